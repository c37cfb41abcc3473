printf '%s\n' "$@" >> {path}  # one write for all lines: each echo is one of its own

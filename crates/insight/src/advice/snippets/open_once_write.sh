for name in "$@"; do
    printf '%s\n' "$name"
done >> {path}  # opened once, around the loop, not in it

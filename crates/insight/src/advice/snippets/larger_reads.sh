awk '{ print $1 }' {path}  # reads blocks; read in a loop takes a line, or a byte, at a time

var.set_collective(True)  # every rank
var[first:first + count] = buf

var.set_collective(True)  # every rank
buf = var[first:first + count]

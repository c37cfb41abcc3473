dset[first:first + count] = buf  # a slice, not one element after the other

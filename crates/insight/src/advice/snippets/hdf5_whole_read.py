buf = dset[first:first + count]  # a slice, not one element after the other

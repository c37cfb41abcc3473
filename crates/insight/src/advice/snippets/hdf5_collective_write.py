with dset.collective:  # every rank
    dset[first:first + count] = buf

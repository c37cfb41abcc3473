with dset.collective:  # every rank
    buf = dset[first:first + count]

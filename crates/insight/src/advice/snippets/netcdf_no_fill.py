nc.set_fill_off()  # before createVariable

h5.flush()  # once, when the checkpoint is complete

for data in parts:
    file.write(data)  # no flush, no fsync here
file.flush()
os.fsync(file.fileno())  # once, when the checkpoint is complete

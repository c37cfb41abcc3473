with open(path, "wb") as file:
    buf.tofile(file)  # one call for all, and nothing to format

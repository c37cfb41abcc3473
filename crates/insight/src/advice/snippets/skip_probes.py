try:  # no os.path.exists() before
    file = open(path, "rb")
except FileNotFoundError:
    file = None

# Before the loop over epochs.
cache = {path: pathlib.Path(path).read_bytes() for path in paths}
for epoch in range(epochs):
    for path in paths:
        use(cache[path])

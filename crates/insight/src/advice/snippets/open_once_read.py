with open({path}, "rb") as file:  # around the loop, not in it
    for step in range(steps):
        use(file.read(size))

with open(path, "w", buffering=1 << 20) as file:
    for step in range(steps):
        file.writelines("%d %.9g\n" % line for line in enumerate(buf))
        file.flush()  # once per step, if someone looks on

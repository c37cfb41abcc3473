# mode: as the program opens it now; "a" appends, "r+" keeps what is there.
with open({path}, mode, buffering=1 << 20) as file:
    for step in range(steps):
        file.writelines("%d %.9g\n" % line for line in enumerate(buf))
        file.flush()  # once per step, if someone looks on

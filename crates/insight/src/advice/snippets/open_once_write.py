with open({path}, "ab") as file:  # around the loop, not in it
    for step in range(steps):
        file.write(data)

with open(path, "wb", buffering={bytes}) as file:
    for record in records:
        file.write(record)

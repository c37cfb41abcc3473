with open({path}, "rb", buffering={bytes}) as file:
    while record := file.read(size):
        use(record)

# mode: as the program opens it now; "ab" appends, "r+b" keeps what is there.
with open({path}, mode, buffering={bytes}) as file:
    for record in records:
        file.write(record)  # no flush here

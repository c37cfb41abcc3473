with tarfile.open("data.tar", "x") as archive:  # x: it must not be there before
    for name, data in pieces:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))

with tarfile.open("data.tar", "r|") as archive:  # from front to back, in large reads
    for member in archive:
        use(archive.extractfile(member).read())

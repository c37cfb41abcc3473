from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(max_workers=1) as reader:
    coming = reader.submit(read_piece, 0)
    for i in range(npieces):
        data = coming.result()
        if i + 1 < npieces:
            coming = reader.submit(read_piece, i + 1)
        compute_with(data)

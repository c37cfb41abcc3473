from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(max_workers=1) as writer:
    writing = None
    for step in range(steps):
        data = compute_step(step)
        if writing is not None:
            writing.result()
        writing = writer.submit(file.write, data)

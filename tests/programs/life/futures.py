"""Six files by a process pool and six by a thread pool of concurrent.futures."""

import concurrent.futures
import os


def work(name):
    with open(name, "wb", buffering=0) as file:
        for _ in range(3):
            file.write(b"8 bytes\n")
    return os.getpid()


if __name__ == "__main__":
    for kind, pool in (
        ("process", concurrent.futures.ProcessPoolExecutor(2)),
        ("thread", concurrent.futures.ThreadPoolExecutor(4)),
    ):
        with pool:
            list(pool.map(work, [f"{kind}-{i}" for i in range(6)]))

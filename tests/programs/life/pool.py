"""pool.py METHOD HOW: six files by three workers of a pool, which HOW ends.

`with` leaves the workers to SIGTERM; `close` lets them end by themselves."""

import multiprocessing
import os
import sys


def work(number):
    fd = os.open(f"file-{number}", os.O_WRONLY | os.O_CREAT)
    for _ in range(number + 1):
        os.write(fd, b"8 bytes\n")
    os.close(fd)
    return number


if __name__ == "__main__":
    method, how = sys.argv[1:]
    multiprocessing.set_start_method(method)
    if how == "with":
        with multiprocessing.Pool(3) as pool:
            done = pool.map(work, range(6), chunksize=1)
    else:
        pool = multiprocessing.Pool(3)
        done = pool.map(work, range(6), chunksize=1)
        pool.close()
        pool.join()
    print(sum(done))

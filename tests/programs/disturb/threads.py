"""Threads that write files of their own and one together."""

import os
import threading

shared = os.open("shared", os.O_RDWR | os.O_CREAT)
totals = [0] * 8


def work(number):
    with open(f"by-thread-{number}", "w+") as file:
        for i in range(1000):
            file.write(f"{i}\n")
            os.pwrite(shared, bytes([65 + number]) * 10, number * 10)
        file.seek(0)
        totals[number] = sum(int(line) for line in file)


threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(totals, os.pread(shared, 100, 0))

"""multiprocessing and subprocess: queues, shared memory, pools, redirections, failures."""

import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing import shared_memory


def square(number):
    with open(f"square-{number}", "w") as file:
        file.write(str(number**2))
    return number**2


def put(queue, name):
    memory = shared_memory.SharedMemory(name=name)
    memory.buf[0] = 77
    memory.close()
    queue.put(sum(range(100)))


if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        print(pool.map(square, range(10)))
    memory = shared_memory.SharedMemory(create=True, size=100)
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=put, args=(queue, memory.name))
    child.start()
    print(queue.get())
    child.join()
    print(child.exitcode, memory.buf[0])
    memory.close()
    memory.unlink()

    print(subprocess.run(["sh", "-c", "cat; echo err >&2; exit 5"], input=b"in", capture_output=True))
    with open("redirected", "w") as file:
        subprocess.run("echo out; echo err >&2", shell=True, stdout=file, stderr=subprocess.STDOUT)
    sys.stdout.write("after the child\n")
    sys.stdout.flush()
    print(subprocess.check_output(["ls", "redirected"], close_fds=True, cwd=os.getcwd()))
    sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True)
    sleeper.send_signal(signal.SIGTERM)
    print(sleeper.wait())
    first = subprocess.Popen(["cat", "words"], stdout=subprocess.PIPE)
    second = subprocess.Popen(["wc", "-l"], stdin=first.stdout, stdout=subprocess.PIPE)
    first.stdout.close()
    print(second.communicate()[0], first.wait())
    try:
        subprocess.run(["nonexistent-program"])
    except FileNotFoundError as problem:
        print(problem.errno)
    pid = os.fork()
    if pid == 0:
        os.write(1, b"from a fork\n")
        os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

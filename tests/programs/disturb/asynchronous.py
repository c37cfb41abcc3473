"""asyncio: subprocesses, pipes, a server on a socket of the file system, files in threads."""

import asyncio
import os


async def serve(reader, writer):
    writer.write(b"got " + await reader.readline())
    await writer.drain()
    writer.close()


async def ask(number):
    reader, writer = await asyncio.open_unix_connection("socket")
    writer.write(b"%d\n" % number)
    answer = await reader.read()
    writer.close()
    return answer


def write(number):
    with open(f"written-{number}", "wb") as file:
        return file.write(b"x" * number * 1000)


async def main():
    server = await asyncio.start_unix_server(serve, "socket")
    print(await asyncio.gather(*(ask(number) for number in range(10))))
    server.close()
    child = await asyncio.create_subprocess_exec(
        "sort", "-n", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    print((await child.communicate(b"3\n1\n2\n"))[0], child.returncode)
    print(await asyncio.gather(*(asyncio.to_thread(write, number) for number in range(5))))


asyncio.run(main())
if os.path.exists("socket"):
    os.remove("socket")

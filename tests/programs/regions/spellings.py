# Every spelling of the Python package; `calls:` below has what the runtime is told.
import asyncio
import sys
import threading

from ioglass import region


@region
def plain(x):
    """Its text."""
    return x + 1


@region("a name")
def fails():
    raise KeyError


@region
def numbers():
    got = yield 1
    yield got


@region
async def fetch():
    await asyncio.sleep(0)
    return 5


@region
async def stream():
    yield 1
    yield 2


def first_of(items):
    for item in region.loop("returns", items):
        return item


class Unhashable(bytearray):
    pass


async def concurrent():
    assert await fetch() == 5
    assert [item async for item in stream()] == [1, 2]
    with region.span("with") as s:
        await asyncio.sleep(0)
        s.stop()
    async with region.span("async with"):
        pass


def other_thread(context):
    with region.attach(context), region("work"):
        pass


with region("main") as main:
    assert (plain(1), plain.__name__, plain.__doc__) == (2, "plain", "Its text.")
    try:
        fails()
    except KeyError:
        pass
    for i in region.loop("step", range(9)):
        if i == 1:
            continue
        if i == 2:
            break
    try:
        for i in region.loop("raises", "a"):
            raise ValueError
    except ValueError:
        pass
    assert first_of([7]) == 7
    generator = numbers()
    assert (next(generator), generator.send(7)) == (1, 7)
    generator.close()
    asyncio.run(concurrent())
    thread = threading.Thread(target=other_thread, args=(region.here(),))
    thread.start()
    thread.join()
    region.count("cells", 3)
    region.count("most", 2**70)
    region.count("no number", "x")
    region.value("residual [m/s]", 0.5)
    region.value("no number", None)
    region.tag("kind", "io")
    with region(b"a\0b"), region(None), region("ä"), region(Unhashable(b"no hash")):
        pass
    with region.iteration("one"):
        pass
    assert region(len)([1]) == region("built in")(len)([1])
    again = region("again")
    with again, again:
        pass
    region.execution()
    region.snapshot()
    region.profile("name")
    status = region.flush()
    is_active = region.active()
    main.leave()
    main.leave()


class Kept:
    @region
    @classmethod
    def made(cls):
        return cls

    @region("still")
    @staticmethod
    def fixed(x):
        return x

    @region
    @property
    def three(self):
        return 3


@region
class Plain:
    pass


assert (Kept.made(), Kept().fixed(4), Kept().three, type(Plain())) == (Kept, 4, 3, Plain)
sys.exit(status if is_active else 3)

# calls:
# 0 regions 1
# 0 enter_site "main" region spellings.py:62
# 0 enter_site "plain" region spellings.py:9
# 0 leave_site "plain"
# 0 enter_site "a name" region spellings.py:15
# 0 leave_site "a name"
# 0 enter_site "step" iteration spellings.py:68
# 0 leave_site "step"
# 0 enter_site "step" iteration spellings.py:68
# 0 leave_site "step"
# 0 enter_site "step" iteration spellings.py:68
# 0 leave_site "step"
# 0 enter_site "raises" iteration spellings.py:74
# 0 leave_site "raises"
# 0 enter_site "returns" iteration spellings.py:39
# 0 leave_site "returns"
# 0 start "numbers" spellings.py:20 -> 1
# 0 stop 1
# 0 start "fetch" spellings.py:26 -> 2
# 0 stop 2
# 0 start "stream" spellings.py:32 -> 3
# 0 stop 3
# 0 start "with" spellings.py:50 -> 4
# 0 stop 4
# 0 start "async with" spellings.py:53 -> 5
# 0 stop 5
# 0 here -> 18446744073709551615
# 1 attach 18446744073709551615
# 1 enter_site "work" region spellings.py:58
# 1 leave_site "work"
# 1 detach
# 0 count "cells" 3
# 0 count "most" 9223372036854775807
# 0 value "residual [m/s]" 0.5
# 0 tag "kind" "io"
# 0 enter_site "a\x00b" region spellings.py:92
# 0 enter_site "" region spellings.py:92
# 0 enter_site "ä" region spellings.py:92
# 0 enter "no hash" region spellings.py:92
# 0 leave "no hash"
# 0 leave_site "ä"
# 0 leave_site ""
# 0 leave_site "a\x00b"
# 0 enter_site "one" iteration spellings.py:94
# 0 leave_site "one"
# 0 enter_site "len" region -
# 0 leave_site "len"
# 0 enter_site "built in" region -
# 0 leave_site "built in"
# 0 enter_site "again" region spellings.py:97
# 0 enter_site "again" region spellings.py:97
# 0 leave_site "again"
# 0 leave_site "again"
# 0 execution
# 0 snapshot
# 0 profile "name"
# 0 flush -> 0
# 0 active -> 1
# 0 leave_site "main"
# 0 enter_site "made" region spellings.py:110
# 0 leave_site "made"
# 0 enter_site "still" region spellings.py:115
# 0 leave_site "still"

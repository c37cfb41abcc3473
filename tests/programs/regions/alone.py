"""The same from Python: one act per run."""
import os
import sys
from ioglass import region

act = sys.argv[1]
with region("main"):
    for i in region.loop("step", range(3)):
        region.count("cells", i)
    if act == "flushes":
        print(region.flush())
        sys.stdout.flush()
        os.kill(os.getpid(), 9)
    elif act == "forks":
        child = os.fork()
        if child == 0:
            with region("child"):
                sys.exit(3)
        os.waitpid(child, 0)
    elif act == "names":
        region.profile("from python")
    elif act == "fails":
        raise ValueError("as it should")
    elif act == "writes":
        with open("out", "w") as out:
            out.write("hello")
        print("done")
        sys.exit(5)

"""Children whose standard output is a file, and a parent that goes on printing."""

import subprocess
import sys

with open("parent", "wb", buffering=0) as parent:
    parent.write(b"8 bytes\n")
    for number in range(3):
        with open(f"child-{number}", "wb") as file:
            # A child of ours that writes twice to its standard output.
            code = "import os; os.write(1, b'8 bytes\\n'); os.write(1, b'8 bytes\\n')"
            subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        parent.write(b"8 bytes\n")
        sys.stdout.write("8 bytes\n")
        sys.stdout.flush()

"""Reads a text line by line."""

total = 0
with open("lines.txt") as lines:
    for line in lines:
        total += len(line)
print(total)

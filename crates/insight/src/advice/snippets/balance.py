# No rank has more than one item above any other.
first, end = total * rank // nranks, total * (rank + 1) // nranks
for i in range(first, end):
    transfer_item(i)

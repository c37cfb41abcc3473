// No rank has more than one item above any other.
long long first = total * rank / nranks, end = total * (rank + 1) / nranks;
for (long long i = first; i < end; i++)
    transfer_item(i);

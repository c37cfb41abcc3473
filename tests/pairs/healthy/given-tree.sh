# A tree of small files.
n=$((2000 / ${PAIR_SCALE:-1}))
i=0
while [ $i -lt $n ]; do
    directory=tree/$((i / 100))
    [ $((i % 100)) -eq 0 ] && mkdir -p $directory
    echo "file $i: some words, and a needle in one of a hundred: $((i % 100))" > $directory/$i.txt
    i=$((i + 1))
done

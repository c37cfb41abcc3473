# Small settings, one to a file.
n=$((1200 / ${PAIR_SCALE:-1}))
mkdir settings
i=0
while [ $i -lt $n ]; do
    echo "value $i" > settings/$i.conf
    i=$((i + 1))
done

# Numbers in no order.
n=$((1000000 / ${PAIR_SCALE:-1}))
awk -v n=$n 'BEGIN { srand(1); for (i = 0; i < n; i++) print int(rand() * 1e9) }' > numbers.txt

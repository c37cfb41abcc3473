seq 100000000 | head -c $((64000000 / ${PAIR_SCALE:-1})) > table.bin

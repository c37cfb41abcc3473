seq 100000000 | head -c $((2000000 / ${PAIR_SCALE:-1})) > input.bin

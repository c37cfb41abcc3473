# Many lines of text.
seq $((16000000 / ${PAIR_SCALE:-1})) > lines.txt

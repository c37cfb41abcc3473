# A file that no cache holds once the program has said so: it must be on the disk for that.
seq 100000000 | head -c $((128 * 1024 * 1024 / ${PAIR_SCALE:-1})) > pages.dat
sync pages.dat

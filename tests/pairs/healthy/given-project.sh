# A small project in C.
n=$((20 / ${PAIR_SCALE:-1}))
mkdir project
cd project
objects=
i=0
while [ $i -le $n ]; do
    printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint part_%d(int x) { return x + %d; }\n' $i $i > part_$i.c
    objects="$objects part_$i.o"
    i=$((i + 1))
done
printf 'int main(void) { return 0; }\n' > main.c
printf 'program: main.o%s\n\tcc -o $@ $^\n\n%%.o: %%.c\n\tcc -O1 -c -o $@ $<\n' "$objects" > Makefile

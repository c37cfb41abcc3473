# Files to commit.
mkdir project
i=0
while [ $i -lt 100 ]; do
    seq $i $((i + 200)) > project/$i.txt
    i=$((i + 1))
done

# Opens its output for every line.
number=1000000000
end=$((number + 40000 / ${PAIR_SCALE:-1}))
while [ $number -lt $end ]; do
    rest=$number
    sum=0
    while [ $rest -gt 0 ]; do
        sum=$((sum + rest % 10))
        rest=$((rest / 10))
    done
    echo "$number $sum" >> out.txt
    number=$((number + 1))
done

mkdir cache
i=0
while [ $i -lt 300 ]; do
    : > cache/item-$((i * 2000))
    i=$((i + 1))
done

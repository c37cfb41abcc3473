while read -r line; do
    printf '%s\n' "$line"
done < {path}  # opened once, around the loop, not in it

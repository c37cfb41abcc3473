# Descriptors as a plain POSIX shell moves them.
exec 3> x
echo a >&3
(echo b >&3)
echo c 1>&3 | cat
cat <<END
here $((2 * 3))
END
exec 3>&- 4< x
read first <&4
echo "$first"
{ read second; cat; } <&4
echo "$second" | { exec 5>&1; echo "to five" >&5; }

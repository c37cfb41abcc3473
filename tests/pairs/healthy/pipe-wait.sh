# The reader of a named pipe waits for its writer.
mkfifo pipe
{ sleep 1; echo done; } > pipe &
cat pipe

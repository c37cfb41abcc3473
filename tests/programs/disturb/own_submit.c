// A part of a program that has a function under a name of liburing's, and calls it as everybody would.
int io_uring_submit(void *ring);

int call(void) { return io_uring_submit(0); }

int io_uring_submit(void *ring) { return ring ? 0 : VALUE; }

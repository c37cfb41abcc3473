/* A library that takes much of the room for thread-local variables that the loader keeps. */
__thread volatile char room[512] __attribute__((tls_model("initial-exec")));
char first(void) { return room[0]; }

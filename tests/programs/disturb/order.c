// Constructors, destructors and exit handlers, all of which do I/O, in their order.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *what) {
    int fd = open("order", O_WRONLY | O_CREAT | O_APPEND, 0644);
    dprintf(fd, "%s\n", what);
    close(fd);
    FILE *stream = fopen("stream", "a");
    fprintf(stream, "%s\n", what);
    fclose(stream);
    if (write(1, what, strlen(what)) < 0 || write(1, "\n", 1) < 0) _exit(1);
}

__attribute__((constructor(101))) static void very_first(void) { say("constructor 101"); }
__attribute__((constructor)) static void first(void) { say("constructor"); }
__attribute__((destructor)) static void last(void) { say("destructor"); }
__attribute__((destructor(101))) static void very_last(void) { say("destructor 101"); }
static void one(void) { say("atexit one"); }
static void two(void) { say("atexit two"); }
static void three(int status, void *text) {
    say(text);
    if (status != 6) say("with another status");
}
static void quick(void) { say("at_quick_exit"); }

int main(int argc, char **argv) {
    atexit(one);
    atexit(two);
    on_exit(three, "on_exit");
    at_quick_exit(quick);
    say("main");
    printf("buffered until the end\n");
    if (argc < 2) return 2;
    if (!strcmp(argv[1], "exit")) exit(6);
    if (!strcmp(argv[1], "_exit")) _exit(0);
    if (!strcmp(argv[1], "quick_exit")) quick_exit(0);
    return 0;
}

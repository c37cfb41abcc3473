// Streams of every kind; prints the size of each buffer, and what is in the files at the end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[8192];

static FILE *used(const char *name, FILE *stream) {
    if (!stream) {
        perror(name);
        exit(1);
    }
    int writes = __fwritable(stream);
    if (writes)
        fputs("x", stream);
    else
        fgetc(stream);
    printf("size %s %zu\n", name, __fbufsize(stream));
    return stream;
}

static void show(const char *path) {
    char text[100] = "";
    FILE *stream = fopen(path, "r");
    size_t read = stream ? fread(text, 1, sizeof text - 1, stream) : 0;
    text[read] = 0;
    printf("data %s %s\n", path, text);
    if (stream)
        fclose(stream);
}

int main(void) {
    fclose(used("write", fopen("write", "w")));
    fclose(used("read", fopen("write", "r")));
    fclose(used("append", fopen("write", "a")));
    fclose(used("update", fopen("write", "r+")));
    fclose(used("fdopen", fdopen(open("fdopen", O_CREAT | O_WRONLY | O_TRUNC, 0644), "w")));
    fclose(used("null", fopen("/dev/null", "w")));

    // The same stream over another file, and over the same file again.
    FILE *stream = used("first", fopen("first", "w"));
    fputs("rest", stream);
    stream = used("second", freopen("second", "w", stream));
    stream = used("again", freopen(NULL, "w", stream));
    fputs("rest", stream);
    fclose(stream);

    // The program's own buffer wins.
    stream = fopen("own", "w");
    setvbuf(stream, own, _IOFBF, sizeof own);
    fclose(used("own", stream));
    stream = fopen("none", "w");
    setvbuf(stream, NULL, _IONBF, 0);
    fclose(used("none", stream));

    // What a child inherits is written by both.
    stream = used("forked", fopen("forked", "w"));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fputs("child", stream);
        exit(0);
    }
    waitpid(child, NULL, 0);
    fputs("parent", stream);
    fclose(stream);

    // More streams than get buffers, opened and closed in turns.
    FILE *many[100];
    size_t large = 0;
    for (int turn = 0; turn < 3; turn++) {
        large = 0;
        for (int i = 0; i < 100; i++) {
            many[i] = fopen("many", turn ? "r" : "w");
            if (turn)
                fgetc(many[i]);
            else
                fputs("m", many[i]);
            large += __fbufsize(many[i]) > 65536;
        }
        for (int i = 0; i < 100; i++)
            fclose(many[i]);
    }
    printf("size large %zu\n", large);

    for (const char *const *path = (const char *const[]){"write", "fdopen", "first", "second", "own",
             "none", "forked", "many", NULL}; *path; path++)
        show(*path);
    // Open at the end: exit writes what is left.
    stream = used("left", fopen("left", "w"));
    for (int i = 0; i < 30000; i++)
        fputs("0123456789", stream);
    printf("size stdout %zu\n", __fbufsize(stdout));
    fputs("the end\n", stdout);
    return 0;
}

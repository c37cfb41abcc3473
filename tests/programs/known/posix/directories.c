// Directories are read: every call counts, also those that a buffer serves.
// expect: POSIX data: OPENS 1, MODE 0644
// expect: POSIX many: OPENS 1
// metadata: .: mkdir 1
// metadata: many: link 1000, opendir 2, readdir 1007, unlink 1000
// metadata: none: opendir 1/1
// facts: many: type dir
#include "../common.h"
#include <dirent.h>
#include <sys/stat.h>

enum { FILES = 1000 };

// Entries of a directory, with `.` and `..`.
static int entries(DIR *directory) {
    int count = 0;
    while (readdir(directory))
        count++;
    return count;
}

int main(int argc, char **argv) {
    go(argv);
    char name[64];
    create("data");
    is(0, mkdir("many", 0755));
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "many/file-%d", i);
        is(0, link("data", name));
    }
    DIR *many = there(opendir("many"));
    is(FILES + 2, entries(many));
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        is(0, unlinkat(dirfd(many), name, 0));
    }
    is(0, closedir(many));
    is(0, (long)opendir("none"));

    // By a descriptor: `.` and `..`, and twice the end.
    many = there(fdopendir(ok(open("many", O_RDONLY | O_DIRECTORY))));
    is(2, entries(many));
    is(0, (long)readdir64(many));
    is(0, closedir(many));
}

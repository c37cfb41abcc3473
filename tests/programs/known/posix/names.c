// Names with everything that a name can have. Bytes that are not UTF-8 are written as %XX.
// expect: POSIX a blank: OPENS 1, MODE 0644; w 0 1
// expect: POSIX a\nline: OPENS 1, MODE 0644; w 0 2
// expect: POSIX ünïcödé: OPENS 1, MODE 0644; w 0 3
// expect: POSIX bad%FF%FEbytes: OPENS 1, MODE 0644; w 0 4
// expect: POSIX {x*255}: OPENS 1, MODE 0644; w 0 5
// expect: POSIX {a*200}/{b*200}/{c*200}/{d*200}/{e*200}/{f*200}/{g*200}/{h*200}/deep: OPENS 1, MODE 0644; w 0 6
// expect: POSIX 100%: OPENS 1, MODE 0644; w 0 7
#include "../common.h"
#include <sys/stat.h>

static void use(const char *name, int bytes) {
    int fd = create(name);
    is(bytes, write(fd, buf, bytes));
    is(0, close(fd));
}

int main(int argc, char **argv) {
    go(argv);
    use("a blank", 1);
    use("a\nline", 2);
    use("ünïcödé", 3);
    use("bad\xff\xfe" "bytes", 4);
    char name[256] = {0};
    memset(name, 'x', 255);
    use(name, 5);
    use("100%", 7);
    for (int c = 'a'; c <= 'h'; c++) {
        memset(name, 0, sizeof name);
        memset(name, c, 200);
        is(0, mkdir(name, 0755));
        is(0, chdir(name));
    }
    use("deep", 6);
}

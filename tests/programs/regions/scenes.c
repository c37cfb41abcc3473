/* Annotated in every way, one scene per run. */
#include <ioglass.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void nap(long ms) { usleep(ms * 1000); }

static void nest(void) {
    IOGLASS_REGION("main");
    for (int i = 0; i < 3; i++) {
        IOGLASS_REGION("solve");
        IOGLASS_ENTER("comm");
        nap(1);
        IOGLASS_LEAVE("comm");
    }
    ioglass_enter("comm");
    ioglass_leave("comm");
}

static int fib(int n) {
    IOGLASS_REGION("fib");
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void walk(int n) {
    IOGLASS_REGION("walk");
    IOGLASS_REGION("visit");
    nap(2);
    if (n > 0)
        walk(n - 1);
}

static void fold(void) {
    IOGLASS_REGION("main");
    fib(5);
    walk(2);
}

static void order(void) {
    ioglass_enter("main");
    ioglass_enter("a");
    ioglass_enter("b");
    ioglass_enter("c");
    ioglass_leave("a");
    ioglass_leave("c");
    ioglass_leave("b");
    ioglass_leave("nobody");
    ioglass_enter("d");
    ioglass_leave(NULL);
    ioglass_leave("main");
    ioglass_leave(NULL);
}

static jmp_buf back;

static void jumps(void) {
    IOGLASS_ENTER("main");
    if (!setjmp(back)) {
        IOGLASS_ENTER("deep");
        IOGLASS_ENTER("deeper");
        longjmp(back, 1);
    }
    IOGLASS_ENTER("after");
    IOGLASS_LEAVE("after");
    IOGLASS_LEAVE("main");
}

static void iterations(long count) {
    IOGLASS_REGION("main");
    for (long i = 0; i < count; i++) {
        IOGLASS_ITERATION("step");
        ioglass_count("cells", i);
        if (i % 2 == 0)
            ioglass_value("residual [m/s]", i * 0.5);
    }
}

/* Iterations in each other: it > b > it is it. */
static void again(void) {
    IOGLASS_REGION("main");
    for (int i = 0; i < 2; i++) {
        IOGLASS_ENTER_ITERATION("it");
        ioglass_value("v", 10 + i);
        IOGLASS_ENTER("b");
        IOGLASS_ENTER_ITERATION("it");
        ioglass_value("v", 20 + i);
        ioglass_count("c", 3);
        nap(2);
        IOGLASS_LEAVE("it");
        IOGLASS_LEAVE("b");
        ioglass_count("c", 4);
        IOGLASS_LEAVE("it");
    }
    IOGLASS_ENTER_ITERATION("it");
    IOGLASS_ENTER_ITERATION("it");
    IOGLASS_LEAVE("it");
    nap(1);
    _exit(0);
}

static void executions(long count) {
    for (long i = 0; i < count; i++) {
        IOGLASS_REGION("main");
        IOGLASS_REGION("part");
        for (long j = 0; j <= i % 3; j++) {
            IOGLASS_REGION("inner");
        }
    }
    IOGLASS_REGION("end");
}

/* An execution has so many steps as its number says: none to four. */
static void repeats(long count) {
    for (long i = 0; i < count; i++) {
        IOGLASS_REGION("main");
        for (long j = 0; j < i % 5; j++) {
            IOGLASS_ITERATION("step");
            if (i % 2)
                ioglass_count("cells", j + 1);
        }
    }
}

static void said(void) {
    ioglass_execution();
    ioglass_execution(); /* no region yet: still the first one */
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            ioglass_execution();
        for (int j = 0; j < 2; j++) {
            IOGLASS_REGION("main");
        }
    }
}

static void metrics(void) {
    ioglass_count("early", 1);
    IOGLASS_REGION("main");
    ioglass_count("cells", 40);
    ioglass_count("cells", 2);
    ioglass_value("cells", 1.5);
    ioglass_value("residual [m/s]", 0.5);
    ioglass_value("residual [m/s]", 0.25);
    ioglass_value("residual [m/s]", NAN);
    ioglass_value("residual [m/s]", 2);
    ioglass_count("big", INT64_MAX);
    ioglass_count("big", 1);
    ioglass_tag("kind", "io");
    ioglass_tag("kind", "io");
    ioglass_tag("ranks", "some");
    ioglass_tag("kind", "network");
    ioglass_profile("my/profile");
}

static void spans(void) {
    IOGLASS_ENTER("main");
    ioglass_span a = ioglass_start("fetch");
    ioglass_span b = ioglass_start("fetch");
    IOGLASS_ENTER("work");
    ioglass_span c = ioglass_start("fetch");
    nap(5);
    IOGLASS_LEAVE("work");
    ioglass_stop(a);
    ioglass_stop(c);
    IOGLASS_LEAVE("main");
    ioglass_stop(a);
    ioglass_stop(0);
    ioglass_stop(12345);
    nap(5);
    (void)b;
}

static ioglass_context context;
static ioglass_span handed;

static void *work(void *argument) {
    if (argument)
        ioglass_attach(context);
    {
        IOGLASS_REGION("work");
        nap(3);
    }
    if (argument) {
        ioglass_stop(handed);
        ioglass_detach();
        ioglass_detach();
    } else {
        ioglass_leave("main");
        ioglass_enter("forgotten");
        ioglass_enter("inner");
    }
    return NULL;
}

static void threads(void) {
    IOGLASS_REGION("main");
    IOGLASS_REGION("solve");
    context = ioglass_here();
    handed = ioglass_start("handed");
    for (int attached = 0; attached < 2; attached++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, attached ? &context : NULL);
        pthread_join(thread, NULL);
    }
    ioglass_attach(99999);
}

/* A thread that works below regions of its own: those in which it is, and one that it has left. */
static void attached_to_itself(void) {
    ioglass_context outer, left;
    IOGLASS_ENTER("main");
    outer = ioglass_here();
    IOGLASS_ENTER("solve");
    left = ioglass_here();
    ioglass_attach(ioglass_here());
    ioglass_enter("work");
    nap(2);
    ioglass_leave("work");
    ioglass_detach();
    ioglass_attach(outer);
    ioglass_enter("other");
    nap(30);
    ioglass_leave("other");
    ioglass_detach();
    IOGLASS_LEAVE("solve");
    IOGLASS_LEAVE("main");
    ioglass_attach(left);
    ioglass_enter("late");
    nap(40);
    ioglass_leave("late");
    ioglass_detach();
}

static void forks(void) {
    IOGLASS_ENTER("main");
    IOGLASS_ENTER("solve");
    IOGLASS_ENTER("before");
    IOGLASS_LEAVE("before");
    pid_t child = fork();
    if (child == 0) {
        int fd = open("child", O_CREAT | O_WRONLY, 0600);
        if (write(fd, "12345", 5) != 5)
            abort();
        IOGLASS_ENTER("inner");
        nap(1);
        IOGLASS_LEAVE("inner");
        IOGLASS_ENTER("before");
        IOGLASS_LEAVE("before");
        IOGLASS_LEAVE("solve");
        IOGLASS_ENTER("other");
        IOGLASS_LEAVE("other");
        IOGLASS_LEAVE("main");
        IOGLASS_ENTER("own");
        IOGLASS_LEAVE("own");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    IOGLASS_LEAVE("solve");
    IOGLASS_LEAVE("main");
}

static void execs(char *program) {
    IOGLASS_ENTER("main");
    IOGLASS_ENTER("before");
    nap(2);
    execl(program, program, "nest", NULL);
}

static volatile sig_atomic_t handled;

static void handle(int signal) {
    (void)signal;
    handled++;
    IOGLASS_ENTER("handler");
    ioglass_count("signals", 1);
    IOGLASS_LEAVE("handler");
}

static void signals(void) {
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 100}, {0, 100}};
    IOGLASS_ENTER("main");
    setitimer(ITIMER_REAL, &timer, NULL);
    long calls = 0;
    while (handled < 300) {
        IOGLASS_ENTER("busy");
        IOGLASS_LEAVE("busy");
        calls++;
    }
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    IOGLASS_LEAVE("main");
    printf("%ld %d\n", calls, (int)handled);
}

static void dies(const char *how) {
    IOGLASS_ENTER("main");
    IOGLASS_ENTER("quick");
    IOGLASS_LEAVE("quick");
    ioglass_enter_iteration("step");
    nap(1);
    ioglass_leave("step");
    ioglass_enter_iteration("step");
    IOGLASS_ENTER("long");
    nap(20);
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "_exit"))
        _exit(3);
    exit(4);
}

static void io(void) {
    char buffer[64] = {0};
    FILE *out = fopen("outside", "w");
    fwrite(buffer, 1, 10, out);
    fclose(out);
    IOGLASS_ENTER("main");
    int fd = open("data", O_CREAT | O_RDWR, 0600);
    {
        IOGLASS_ITERATION("write");
        for (int i = 0; i < 4; i++)
            if (write(fd, buffer, 16) != 16)
                abort();
        fsync(fd);
    }
    {
        IOGLASS_ITERATION("write");
        if (pwrite(fd, buffer, 8, 100) != 8)
            abort();
    }
    IOGLASS_ENTER("read");
    lseek(fd, 0, SEEK_SET);
    if (read(fd, buffer, 64) != 64)
        abort();
    if (access("nothing", R_OK) == 0)
        abort();
    FILE *stream = fopen("stream", "w+");
    for (int i = 0; i < 100; i++)
        putc('x', stream);
    fprintf(stream, "%d\n", 12345);
    rewind(stream);
    while (getc(stream) != EOF)
        ;
    fclose(stream);
    IOGLASS_LEAVE("read");
    close(fd);
    IOGLASS_LEAVE("main");
    unlink("data");
}

static void deep(long depth) {
    for (long i = 0; i < depth; i++) {
        char name[32];
        int size = snprintf(name, sizeof name, "level %ld", i);
        ioglass_enter_n(name, size);
    }
    for (long i = 0; i < depth; i++)
        ioglass_leave(NULL);
}

static void recursive(long depth) {
    for (long i = 0; i < depth; i++)
        IOGLASS_ENTER("again");
    for (long i = 0; i < depth; i++)
        IOGLASS_LEAVE("again");
}

static void many(long count) {
    IOGLASS_REGION("main");
    for (long i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "region %ld", i);
        ioglass_enter(name);
        ioglass_leave(name);
    }
}

static void names(void) {
    char text[2000];
    memset(text, 'x', sizeof text);
    text[1022] = (char)0xC3;
    text[1023] = (char)0xA4;
    ioglass_enter_n("a\0b", 3);
    ioglass_enter_n(text, sizeof text);
    ioglass_leave_n(text, sizeof text);
    ioglass_enter("");
    ioglass_leave(NULL);
    ioglass_enter("say \"1,2;3|4-5+6>7<8\\/\n");
    ioglass_leave(NULL);
    ioglass_leave_n("a\0b", 3);
}

int main(int count, char **words) {
    const char *scene = count > 1 ? words[1] : "nest";
    long number = count > 2 ? atol(words[2]) : 0;
    if (!strcmp(scene, "nest"))
        nest();
    else if (!strcmp(scene, "fold"))
        fold();
    else if (!strcmp(scene, "order"))
        order();
    else if (!strcmp(scene, "jumps"))
        jumps();
    else if (!strcmp(scene, "iterations"))
        iterations(number);
    else if (!strcmp(scene, "again"))
        again();
    else if (!strcmp(scene, "executions"))
        executions(number);
    else if (!strcmp(scene, "repeats"))
        repeats(number);
    else if (!strcmp(scene, "said"))
        said();
    else if (!strcmp(scene, "metrics"))
        metrics();
    else if (!strcmp(scene, "spans"))
        spans();
    else if (!strcmp(scene, "threads"))
        threads();
    else if (!strcmp(scene, "attached"))
        attached_to_itself();
    else if (!strcmp(scene, "forks"))
        forks();
    else if (!strcmp(scene, "execs"))
        execs(words[0]);
    else if (!strcmp(scene, "signals"))
        signals();
    else if (!strcmp(scene, "dies"))
        dies(words[2]);
    else if (!strcmp(scene, "io"))
        io();
    else if (!strcmp(scene, "deep"))
        deep(number);
    else if (!strcmp(scene, "recursive"))
        recursive(number);
    else if (!strcmp(scene, "many"))
        many(number);
    else if (!strcmp(scene, "names"))
        names();
    else if (!strcmp(scene, "active"))
        printf("%d\n", ioglass_active());
    return 0;
}

/* Programs whose profile the library writes, one act per run. */
#include <ioglass.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void steps(void) {
    for (int i = 0; i < 3; i++) {
        IOGLASS_ITERATION("step");
        usleep(1000);
    }
}

/* Ends the process. */
static void end(const char *how) {
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "quick_exit"))
        quick_exit(3);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
}

static void at_end(void) {
    IOGLASS_ENTER("at exit");
    IOGLASS_LEAVE("at exit");
}

/* A child that is in regions of its own, and one that is in none. */
static void forks(const char *how) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        IOGLASS_ENTER("child");
        end(how);
    }
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0)
        end(how);
    waitpid(child, NULL, 0);
    printf("%d\n", getpid());
}

static void flushes(void) {
    printf("%d ", ioglass_flush());
    IOGLASS_ENTER("after");
    usleep(1000);
    printf("%d\n", ioglass_flush());
    fflush(stdout);
}

static int wrong;

static void *flushing(void *number) {
    for (int i = 0; i < 20; i++) {
        ioglass_enter(number);
        if (ioglass_flush() != 0)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        ioglass_leave(number);
    }
    return NULL;
}

static void crowd(void) {
    pthread_t threads[4];
    char *names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, flushing, names[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", wrong);
}

static volatile int handled;

static void handler(int number) {
    int before = errno;
    (void)number;
    int result = ioglass_flush();
    if (result != 0 && result != EAGAIN)
        wrong++;
    if (errno != before)
        wrong++;
    handled++;
}

/* Handlers flush while the program annotates and flushes. */
static void handlers(void) {
    struct sigaction action = {.sa_handler = handler};
    struct itimerval often = {{0, 2000}, {0, 2000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 20) {
        IOGLASS_REGION("busy");
        if (ioglass_flush() != 0)
            wrong++;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    printf("%d\n", wrong);
}

/* Waits for a snapshot of this process: NAME.snapshot/PID.ioprof. */
static void await_snapshot(void) {
    char name[300];
    struct stat found;
    for (int tries = 0; tries < 60000; tries++) {
        DIR *here = opendir(".");
        for (struct dirent *entry; here && (entry = readdir(here));) {
            if (strstr(entry->d_name, ".snapshot") == NULL)
                continue;
            snprintf(name, sizeof name, "%s/%d.ioprof", entry->d_name, getpid());
            if (stat(name, &found) == 0) {
                closedir(here);
                return;
            }
        }
        if (here)
            closedir(here);
        usleep(1000);
    }
    _exit(7);
}

static void *annotating(void *unused) {
    for (;;) {
        IOGLASS_REGION("busy");
    }
    return unused;
}

static void filter(void) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
        exit(9);
}

/* Loads a library with thread-local variables before anything is annotated. */
static void load(const char *path) {
    if (path && !dlopen(path, RTLD_NOW))
        exit(8);
}

int main(int count, char **words) {
    const char *act = count > 1 ? words[1] : "", *how = count > 2 ? words[2] : "";
    if (!strcmp(act, "tls"))
        load(how);
    if (!strcmp(act, "no files"))
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, RLIM_INFINITY});
    IOGLASS_ENTER("main");
    steps();
    if (!strcmp(act, "ends"))
        end(how);
    else if (!strcmp(act, "destructors"))
        atexit(at_end);
    else if (!strcmp(act, "forks"))
        forks(how);
    else if (!strcmp(act, "flushes")) {
        flushes();
        end(how);
    } else if (!strcmp(act, "crowd"))
        crowd();
    else if (!strcmp(act, "handlers"))
        handlers();
    else if (!strcmp(act, "snapshots")) {
        await_snapshot();
        end(how);
    } else if (!strcmp(act, "child snapshots")) {
        pid_t child = fork();
        if (child == 0) {
            IOGLASS_ENTER("child");
            await_snapshot();
            await_snapshot();
            exit(3);
        }
        await_snapshot();
        waitpid(child, NULL, 0);
    } else if (!strcmp(act, "busy")) {
        pthread_t thread;
        pthread_create(&thread, NULL, annotating, NULL);
        usleep(atoi(how) * 1000);
        exit(3);
    } else if (!strcmp(act, "last thread")) {
        await_snapshot();
        pthread_exit(NULL);
    } else if (!strcmp(act, "moves")) {
        if (chdir("/"))
            return 9;
        printf("%d\n", ioglass_flush());
    } else if (!strcmp(act, "names"))
        ioglass_profile("my/run");
    else if (!strcmp(act, "asks")) {
        ioglass_snapshot();
        await_snapshot();
        end(how);
    } else if (!strcmp(act, "fills")) {
        static char block[1 << 16];
        int fd = open("/dev/shm/fill", O_CREAT | O_WRONLY, 0600);
        while (write(fd, block, sizeof block) > 0) {
        }
        while (write(fd, block, 1) > 0) {
        }
        printf("%d\n", ioglass_flush());
    } else if (!strcmp(act, "limit")) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){64, RLIM_INFINITY});
        printf("%d\n", ioglass_flush());
    } else if (!strcmp(act, "no files")) {
        printf("%d\n", ioglass_flush());
    } else if (!strcmp(act, "filter")) {
        filter();
        printf("%d\n", ioglass_flush());
    } else if (!strcmp(act, "writes")) {
        IOGLASS_ENTER("dump");
        int fd = open("out", O_CREAT | O_WRONLY, 0600);
        if (write(fd, "hello", 5) != 5 || close(fd))
            return 9;
        IOGLASS_LEAVE("dump");
        printf("done\n");
        return 5;
    }
    IOGLASS_LEAVE("main");
    return 0;
}

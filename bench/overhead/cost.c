// Runs one command and says what it and its children cost, as the kernel accounts them.
#include "driver.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

// A command can be preceded by settings of its environment, which only it sees.
int cost_mode(char **words) {
    long settings = 0, inherited = 0;
    while (words[settings] && strchr(words[settings], '='))
        settings++;
    while (environ[inherited])
        inherited++;
    char **environment = calloc(settings + inherited + 1, sizeof *environment);
    memcpy(environment, words, settings * sizeof *words);
    memcpy(environment + settings, environ, inherited * sizeof *environ);
    char **command = words + settings;
    pid_t pid;
    int error = posix_spawnp(&pid, command[0], NULL, NULL, command, environment);
    if (error)
        return fprintf(stderr, "driver: %s: %s\n", command[0], strerror(error)), 1;
    int status;
    struct rusage usage;
    check(wait4(pid, &status, 0, &usage) == pid, "wait4");
    struct timeval user = usage.ru_utime, kernel = usage.ru_stime;
    printf("cpu\t%lld\n", (user.tv_sec + kernel.tv_sec) * 1000000000ll +
                              (user.tv_usec + kernel.tv_usec) * 1000ll);
    printf("peak\t%lld\n", usage.ru_maxrss * 1024ll);
    return status != 0;
}

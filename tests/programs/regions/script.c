/* Does what a script says: `THREAD OPERATION ARGUMENTS` line by line, each thread when it is its
 * turn. If the first line is `free`, threads are numbered in turn and then run side by side. A rank
 * of a launcher reads the script with its number at the end of the name. */
#include <ioglass.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, LINES = 4096, SLOTS = 64 };

struct line {
    int thread;
    char what;
    char words[2][40];
};

static struct line lines[LINES];
static int count, is_free;
static sem_t go[THREADS], done;
static pthread_t threads[THREADS];
static int is_there[THREADS];
static ioglass_span spans[SLOTS];
static ioglass_context contexts[SLOTS];

static ioglass_site sites[] = {IOGLASS_SITE("a"), IOGLASS_SITE("b"), IOGLASS_SITE("main"),
                               IOGLASS_ITERATION_SITE("step"), IOGLASS_ITERATION_SITE("inner")};

static ioglass_site *site(const char *name) {
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        if (!strcmp(sites[i].name, name))
            return &sites[i];
    abort();
}

static void act(struct line *line) {
    const char *one = line->words[0], *two = line->words[1];
    switch (line->what) {
    case 'e': ioglass_enter(one); break;
    case 'i': ioglass_enter_iteration(one); break;
    case 'E': ioglass_enter_site(site(one)); break;
    case 'l': ioglass_leave(one); break;
    case 'L': ioglass_leave_site(site(one)); break;
    case 'n': ioglass_leave(NULL); break;
    case 's': spans[atoi(one)] = ioglass_start(two); break;
    case 'S': ioglass_stop(spans[atoi(one)]); break;
    case 'c': ioglass_count(one, atoll(two)); break;
    case 'v': ioglass_value(one, strtod(two, NULL)); break;
    case 't': ioglass_tag(one, two); break;
    case 'x': ioglass_execution(); break;
    case 'h': contexts[atoi(one)] = ioglass_here(); break;
    case 'a': ioglass_attach(contexts[atoi(one)]); break;
    case 'w': ioglass_attach(99999); break;
    case 'd': ioglass_detach(); break;
    case 'q': pthread_exit(NULL);
    default: abort();
    }
}

static void *work(void *argument) {
    int thread = (int)(long)argument;
    if (is_free) {
        ioglass_here();
        sem_post(&done);
        sem_wait(&go[thread]);
        for (int i = 0; i < count; i++)
            if (lines[i].thread == thread)
                act(&lines[i]);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (lines[i].thread != thread)
            continue;
        sem_wait(&go[thread]);
        act(&lines[i]);
        sem_post(&done);
    }
    sem_wait(&go[thread]); /* until the process ends */
    return NULL;
}

static void read_script(const char *name) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096], text[128];
    if (!rank)
        rank = getenv("PMI_RANK");
    snprintf(path, sizeof path, "%s%s", name, rank ? rank : "");
    FILE *file = fopen(path, "r");
    if (!file)
        abort();
    while (fgets(text, sizeof text, file) && count < LINES) {
        struct line *line = &lines[count];
        if (!strcmp(text, "free\n"))
            is_free = 1;
        else if (sscanf(text, "%d %c %39s %39s", &line->thread, &line->what, line->words[0],
                        line->words[1]) >= 2)
            count++;
    }
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    read_script(argv[1]);
    sem_init(&done, 0, 0);
    for (int thread = 0; thread < THREADS; thread++)
        sem_init(&go[thread], 0, 0);
    for (int i = 0; i < count; i++) {
        int thread = lines[i].thread;
        if (thread && !is_there[thread]) {
            is_there[thread] = 1;
            pthread_create(&threads[thread], NULL, work, (void *)(long)thread);
            if (is_free)
                sem_wait(&done);
        }
        if (is_free)
            continue;
        if (!thread) {
            act(&lines[i]);
            continue;
        }
        sem_post(&go[thread]);
        if (lines[i].what == 'q')
            pthread_join(threads[thread], NULL);
        else
            sem_wait(&done);
    }
    if (is_free) {
        act(&lines[0]); /* the first region of all is in the first thread */
        for (int thread = 1; thread < THREADS; thread++)
            sem_post(&go[thread]);
        for (int i = 1; i < count; i++)
            if (lines[i].thread == 0)
                act(&lines[i]);
        for (int thread = 1; thread < THREADS; thread++)
            if (is_there[thread])
                pthread_join(threads[thread], NULL);
    }
    return 0;
}

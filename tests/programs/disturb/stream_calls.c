// Each call on a stream many times, in every mode and with every buffer. A failed access(2) says which
// call comes next. With an argument there is another thread.
// So that `getc_unlocked` and `putc_unlocked` are calls.
#define __NO_INLINE__
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { TIMES = 200 };

static FILE *f;
static char text[64], *line;
static size_t room;
static int number;
static fpos_t place;

#define CALL(name, body)                                                                           \
    static void name##_(void) {                                                                    \
        body;                                                                                      \
    }
#define CALLS(call)                                                                                \
    call(fscanf, number = fscanf(f, "%d", &number))                                                \
    call(fscanf_char, number = fscanf(f, "%c", text))                                              \
    call(fread, number = fread(text, 1, 8, f))                                                     \
    call(fread_unlocked, number = fread_unlocked(text, 1, 8, f))                                   \
    call(fgets, number = fgets(text, sizeof text, f) != NULL)                                      \
    call(getline, number = getline(&line, &room, f))                                               \
    call(getdelim, number = getdelim(&line, &room, '7', f))                                        \
    call(getw, getw(f))                                                                            \
    call(getc, getc(f))                                                                            \
    call(getc_unlocked, getc_unlocked(f))                                                          \
    call(getc_ungetc, ungetc(getc(f), f))                                                          \
    call(getc_ungetc_other, (getc(f), ungetc('x', f)))                                             \
    call(fgetwc, fgetwc(f))                                                                        \
    call(fwrite, number = fwrite(text, 1, 8, f))                                                   \
    call(fwrite_unlocked, number = fwrite_unlocked(text, 1, 8, f))                                 \
    call(fputs, fputs("text\n", f))                                                                \
    call(fprintf, fprintf(f, "%d\n", number))                                                      \
    call(putw, putw(number, f))                                                                    \
    call(putc, putc('x', f))                                                                       \
    call(putc_unlocked, putc_unlocked('x', f))                                                     \
    call(fputwc, fputwc('x', f))                                                                   \
    call(fflush, fflush(f))                                                                        \
    call(fprintf_fflush, (fprintf(f, "%d\n", number), fflush(f)))                                  \
    call(fseek_set, fseek(f, 100, SEEK_SET))                                                       \
    call(fseek_cur, fseek(f, 1, SEEK_CUR))                                                         \
    call(fseek_end, fseek(f, -100, SEEK_END))                                                      \
    call(fread_fseek_cur, (number = fread(text, 1, 8, f), fseek(f, 1, SEEK_CUR)))                  \
    call(rewind, rewind(f))                                                                        \
    call(fsetpos, (fgetpos(f, &place), fsetpos(f, &place)))                                        \
    call(ftell, ftell(f))                                                                          \
    call(fileno, fileno(f))                                                                        \
    call(fopen_fclose, fclose(fopen("data", "r+")))

CALLS(CALL)

static const struct call {
    const char *name;
    void (*make)(void);
} calls[] = {
#define ENTRY(name, body) {#name, name##_},
    CALLS(ENTRY)};

static void *sleep_on(void *unused) {
    pause();
    return unused;
}

static void fill(void) {
    FILE *out = fopen("data", "w");
    for (int i = 0; i < 5000; i++)
        fprintf(out, "%d\n", i);
    fclose(out);
}

int main(int argc, char **argv) {
    static const char *const modes[] = {"r", "r+", "w", "a", "a+"};
    static const int buffers[] = {_IOFBF, _IOLBF, _IONBF};
    pthread_t thread;
    (void)argv;
    if (argc > 1 && pthread_create(&thread, NULL, sleep_on, NULL))
        return 1;
    for (int mode = 0; mode < 5; mode++)
        for (int buffer = 0; buffer < 3; buffer++)
            for (size_t call = 0; call < sizeof calls / sizeof *calls; call++) {
                char next[100];
                snprintf(next, sizeof next, "next/%s %d %s", modes[mode], buffer, calls[call].name);
                fill();
                f = fopen("data", modes[mode]);
                if (!f || setvbuf(f, NULL, buffers[buffer], 4096))
                    return 2;
                access(next, F_OK);
                for (int i = 0; i < TIMES; i++)
                    calls[call].make();
                access("next/end", F_OK);
                fclose(f);
            }
    return 0;
}

// Every spelling of ioglass.h, and what the runtime must be told; `calls:` below has it.
#include <ioglass.h>

static inline int helper(int x) {
    IOGLASS_FUNCTION();
    return x + 1;
}

#define BOTH(first, second) \
    IOGLASS_REGION(first);  \
    IOGLASS_REGION(second)

static int jumps(int n) {
    IOGLASS_FUNCTION();
    for (int i = 0; i < 5; i++) {
        IOGLASS_ITERATION("pass");
        if (i == 0) continue;
        if (i == 1) break;
    }
    {
        IOGLASS_REGION("goto");
        if (n == 1) goto out;
    }
    if (n == 2) {
        IOGLASS_REGION("return");
        return 1;
    }
out:
    return 0;
}

static void named(const char *name) {
    char text[] = "made here";
    ioglass_enter(text);
    text[0] = 'b';
    ioglass_enter_iteration(name);
    ioglass_leave(name);
    ioglass_leave("made here");
    ioglass_enter_n("a\0b and more", 3);
    ioglass_leave_n("a\0b", 3);
    ioglass_enter_at("placed", 6, IOGLASS_KIND_ITERATION, "other.c", 7);
    ioglass_leave(NULL);
    ioglass_enter(NULL);
    ioglass_leave_n(NULL, 5);
    ioglass_enter("");
    ioglass_leave("");
    void (*as_function)(const char *) = ioglass_enter;
    as_function("pointer");
    ioglass_leave("pointer");
}

static void numbers(void) {
    ioglass_count("cells", 3);
    ioglass_count("least", INT64_MIN);
    ioglass_value("residual [m/s]", 0.5);
    ioglass_tag("kind", "communication");
    ioglass_tag("nothing", NULL);
}

int main(void) {
    IOGLASS_REGION("main");
    IOGLASS_REGION("quote \" and \\, ä, \n");
    BOTH("first", "second");
    jumps(1), jumps(2);
    if (helper(1) == 2)
        IOGLASS_ENTER("then");
    else
        IOGLASS_ENTER("else");
    IOGLASS_LEAVE("then");
    IOGLASS_ENTER_ITERATION("step"); IOGLASS_ENTER("in" " two" " parts"); IOGLASS_LEAVE("in two parts");
    IOGLASS_LEAVE("step");
    static ioglass_site site = IOGLASS_SITE("site"), loop = IOGLASS_ITERATION_SITE("loop");
    ioglass_enter_site(&site);
    ioglass_enter_site(&loop);
    ioglass_leave_site(&loop);
    ioglass_leave_site(&site);
    named("given");
    ioglass_span first = ioglass_start("fetch"), second = ioglass_start("store");
    ioglass_stop(first);
    ioglass_stop(second);
    ioglass_stop(0);
    numbers();
    ioglass_context context = ioglass_here();
    ioglass_attach(context);
    ioglass_detach();
    ioglass_execution();
    int status = ioglass_flush();
    ioglass_snapshot();
    ioglass_profile("name");
    return ioglass_active() == 1 ? status : 3;
}

// calls:
// 0 regions 1
// 0 enter_site "main" region spellings.c:61
// 0 enter_site "quote \x22 and \x5c, ä, \x0a" region spellings.c:62
// 0 enter_site "first" region spellings.c:63
// 0 enter_site "second" region spellings.c:63
// 0 enter_site "jumps" region spellings.c:14
// 0 enter_site "pass" iteration spellings.c:16
// 0 leave_site "pass"
// 0 enter_site "pass" iteration spellings.c:16
// 0 leave_site "pass"
// 0 enter_site "goto" region spellings.c:21
// 0 leave_site "goto"
// 0 leave_site "jumps"
// 0 enter_site "jumps" region spellings.c:14
// 0 enter_site "pass" iteration spellings.c:16
// 0 leave_site "pass"
// 0 enter_site "pass" iteration spellings.c:16
// 0 leave_site "pass"
// 0 enter_site "goto" region spellings.c:21
// 0 leave_site "goto"
// 0 enter_site "return" region spellings.c:25
// 0 leave_site "return"
// 0 leave_site "jumps"
// 0 enter_site "helper" region spellings.c:5
// 0 leave_site "helper"
// 0 enter_site "then" region spellings.c:66
// 0 leave_site "then"
// 0 enter_site "step" iteration spellings.c:70
// 0 enter_site "in two parts" region spellings.c:70
// 0 leave_site "in two parts"
// 0 leave_site "step"
// 0 enter_site "site" region spellings.c:72
// 0 enter_site "loop" iteration spellings.c:72
// 0 leave_site "loop"
// 0 leave_site "site"
// 0 enter "made here" region spellings.c:34
// 0 enter "given" iteration spellings.c:36
// 0 leave "given"
// 0 leave "made here"
// 0 enter "a\x00b" region spellings.c:39
// 0 leave "a\x00b"
// 0 enter "placed" iteration other.c:7
// 0 leave null
// 0 enter null region spellings.c:43
// 0 leave null
// 0 enter "" region spellings.c:45
// 0 leave ""
// 0 enter "pointer" region -
// 0 leave "pointer"
// 0 start "fetch" spellings.c:78 -> 1
// 0 start "store" spellings.c:78 -> 2
// 0 stop 1
// 0 stop 2
// 0 count "cells" 3
// 0 count "least" -9223372036854775808
// 0 value "residual [m/s]" 0.5
// 0 tag "kind" "communication"
// 0 tag "nothing" null
// 0 here -> 18446744073709551615
// 0 attach 18446744073709551615
// 0 detach
// 0 execution
// 0 flush -> 0
// 0 snapshot
// 0 profile "name"
// 0 active -> 1
// 0 leave_site "second"
// 0 leave_site "first"
// 0 leave_site "quote \x22 and \x5c, ä, \x0a"
// 0 leave_site "main"

// What is done wrong, or ends early; one scene per run.
#include <ioglass.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/seccomp.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

static void twice() {
    ioglass::region main{"main"};
    {
        ioglass::region r{"guard"};
        r.leave();
        r.leave();
    }
    ioglass_span span = ioglass_start("span");
    ioglass_stop(span);
    ioglass_stop(span);
}

static void throws(int depth) {
    IOGLASS_REGION("thrown");
    ioglass::region inner{"depth " + std::to_string(depth)};
    if (depth == 3) throw std::runtime_error("enough");
    throws(depth + 1);
}

static int returns() {
    IOGLASS_REGION("returned");
    for (;;) {
        IOGLASS_ITERATION("broken");
        break;
    }
    for (int i = 0; i < 2; i++) {
        IOGLASS_ITERATION("continued");
        if (i == 0) continue;
        return i;
    }
    return 0;
}

static void unwinds() {
    ioglass::region main{"main"};
    try {
        throws(0);
    } catch (const std::runtime_error &) {
        IOGLASS_REGION("caught");
    }
    returns();
    int round = 0;
again : {
    IOGLASS_REGION("jumped");
    if (round++ < 2) goto again;
}
    IOGLASS_REGION("after");
}

static void nameless() {
    const char *volatile null = nullptr;
    ioglass_enter("main");
    ioglass_enter(null);
    ioglass_count(null, 1);
    ioglass_tag(null, "text");
    ioglass_leave(nullptr);
    ioglass_enter("");
    ioglass_leave("");
    ioglass_enter_n(null, 0);
    ioglass_leave(nullptr);
    ioglass_leave("main");
    ioglass_leave(null);
    ioglass_stop(ioglass_start(null));
}

static void nowhere() {
    ioglass_tag("kind", "io");
    ioglass_value("residual", 1);
    {
        IOGLASS_REGION("main");
    }
    ioglass_count("cells", 1);
}

// No region is entered.
static void strays() {
    ioglass_leave("stray");
    ioglass::count("cells", 1);
}

// A thread leaves what another has entered.
static void elsewhere() {
    ioglass_enter("main");
    std::thread([] { ioglass_leave("main"); }).join();
    ioglass_leave("main");
}

// After a filter that allows nothing but read, write and exit.
static void filtered() {
    ioglass_enter("main");
    ioglass_enter("known");
    ioglass_leave("known");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) std::abort();
    for (int i = 0; i < 100; i++) {
        ioglass_enter("known");
        ioglass_leave("known");
    }
    for (int i = 0; i < 20000; i++) {
        char name[16] = "new ";
        for (int at = 4, rest = i; at < 9; at++, rest /= 10) name[at] = char('0' + rest % 10);
        ioglass_enter(name);
        ioglass_leave(name);
    }
    if (write(1, "done\n", 5) != 5) std::abort();
    syscall(SYS_exit, 0);
}

int main(int count, char **words) {
    const char *scene = count > 1 ? words[1] : "";
    if (!std::strcmp(scene, "twice")) twice();
    else if (!std::strcmp(scene, "unwinds")) unwinds();
    else if (!std::strcmp(scene, "nameless")) nameless();
    else if (!std::strcmp(scene, "nowhere")) nowhere();
    else if (!std::strcmp(scene, "elsewhere")) elsewhere();
    else if (!std::strcmp(scene, "strays")) strays();
    else if (!std::strcmp(scene, "filtered")) filtered();
    else return 2;
}

// The names of the TinyProf paper; `calls:` below has what the runtime is told.
#include <tinyprof.hpp>

int main() {
    TinyProf::Profiler profiler("app", 0, "tag:0,mem:1,size:var:B,odd:7,kind:const");
    TinyProf::Event main("main");
    { TinyProf::Event e("some", 0); }
    { TinyProf::Event e("all", 1); }
    { TinyProf::Event e("plain", 1, 0); }
    for (int i = 0; i < 2; i++) { TinyProf::Event e("step", 1, 1, "compute, 1.5,4096,3,"); }
    { TinyProf::Event e("sum", 0, 2, ",,7"); }
    { TinyProf::Event e("by key", 1, 2, "mem=1e3; kind=a,b ;size=x;unknown=1"); }
    TinyProf::Profiler::flush();
    TinyProf::Profiler again("with snapshots", 1e-9);
    { TinyProf::Event e("snapshot"); }
}

// calls:
// 0 regions 1
// 0 profile "app"
// 0 active -> 1
// 0 enter "main" region paper.cpp:6
// 0 enter "some" region paper.cpp:7
// 0 tag "ranks" "some"
// 0 leave "some"
// 0 enter "all" region paper.cpp:8
// 0 tag "ranks" "all"
// 0 leave "all"
// 0 enter "plain" region paper.cpp:9
// 0 tag "ranks" "all"
// 0 leave "plain"
// 0 enter "step" iteration paper.cpp:10
// 0 tag "ranks" "all"
// 0 tag "tag" "compute"
// 0 value "mem" 1.5
// 0 value "size [B]" 4096
// 0 leave "step"
// 0 enter "step" iteration paper.cpp:10
// 0 tag "ranks" "all"
// 0 tag "tag" "compute"
// 0 value "mem" 1.5
// 0 value "size [B]" 4096
// 0 leave "step"
// 0 enter "sum" region paper.cpp:11
// 0 tag "ranks" "some"
// 0 value "size [B]" 7
// 0 leave "sum"
// 0 enter "by key" region paper.cpp:12
// 0 tag "ranks" "all"
// 0 value "mem" 1000
// 0 tag "kind" "a,b"
// 0 leave "by key"
// 0 flush -> 0
// 0 profile "with snapshots"
// 0 active -> 1
// 0 enter "snapshot" region paper.cpp:15
// 0 leave "snapshot"
// 0 snapshot
// 0 leave "main"
// 0 snapshot

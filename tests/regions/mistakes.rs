//! What programs do wrong, and what becomes of it.
//!
//! | what is done | test |
//! |---|---|
//! | leave of what is not open | `paths::wrong_leaves_are_repaired` |
//! | leave of an outer region | `paths::wrong_leaves_are_repaired` |
//! | leave in another thread than enter | `mistakes::a_thread_leaves_only_its_own` |
//! | `leave()` of a guard twice, `stop` of what is stopped | `mistakes::a_second_end_is_none` |
//! | a thread ends with open regions | `processes::threads_have_trees_of_their_own` |
//! | a process ends so, or is killed | `ends::open_visits_count_until_the_end` |
//! | exception, `break`, `return`, `goto` out of a guard's block | `mistakes::guards_end_with_their_block` |
//! | `longjmp` over guards or leaves | `paths::jumps_end_what_they_leave` |
//! | a metric or tag where nothing is open | `mistakes::what_belongs_to_nobody_is_dropped` |
//! | a metric as count and as value | `figures::metrics_and_tags` |
//! | a tag with a second text | `figures::metrics_and_tags`, `probes::hints_are_compared_with_what_happened` |
//! | NULL or empty name | `mistakes::what_has_no_name_is_unnamed` |
//! | a name above 1,023 bytes | `paths::names_are_any_bytes` |
//! | a value that is not finite | `figures::metrics_and_tags` |
//! | more than the memory takes | `limits::what_finds_no_room_is_put_together` |
//! | a path of more than 65,535 names | `limits::paths_end_somewhere` |
//! | attach to something stale, detach without | `processes::threads_have_trees_of_their_own` |
//! | the hint `ranks` is `all`, but one was never there | `probes::hints_are_compared_with_what_happened` |
//! | memory refused, no space, `RLIMIT_FSIZE`, seccomp | `mistakes::what_is_refused_is_counted`, `mistakes::a_filter_is_respected` |

use std::path::PathBuf;

use super::seen::{Seen, annotated, read, scenes};
use crate::lifecycle::recording::{log_path, run};
use crate::lifecycle::room::Room;

fn program() -> PathBuf {
    annotated("regions/mistakes.cpp")
}

/// Runs a scene, which must succeed.
fn see(scene: &str) -> Seen {
    let room = Room::new(&format!("regions-mistakes-{scene}"));
    let words = [program().into_os_string(), scene.into()];
    let output = run(&room, &["--no-report"], words).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let seen = Seen { output, profile: read(&log_path(&room).with_extension("ioprof")) };
    room.check_nothing_left();
    seen
}

#[test]
fn a_second_end_is_none() {
    let seen = see("twice");
    assert_eq!(seen.tree(), ["main 1", "main > guard 1", "main > span 1"]);
    assert_eq!(seen.notices(), ["stray-stop  in main: 1"]);
}

#[test]
fn a_thread_leaves_only_its_own() {
    let seen = see("elsewhere");
    assert_eq!(seen.tree(), ["main 1"]);
    assert_eq!(seen.notices(), ["stray-leave main in -: 1"]);
}

#[test]
fn guards_end_with_their_block() {
    let seen = see("unwinds");
    let thrown = "main > thrown";
    assert_eq!(
        seen.tree(),
        [
            "main 1".to_owned(),
            "main > after 1".to_owned(),
            "main > caught 1".to_owned(),
            "main > jumped 3".to_owned(),
            "main > returned 1".to_owned(),
            "main > returned > broken 1".to_owned(),
            "main > returned > continued 2".to_owned(),
            format!("{thrown} 4"),
            format!("{thrown} > depth 0 1"),
            format!("{thrown} > depth 1 1"),
            format!("{thrown} > depth 2 1"),
            format!("{thrown} > depth 3 1"),
        ]
    );
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
}

#[test]
fn what_has_no_name_is_unnamed() {
    let seen = see("nameless");
    assert_eq!(seen.tree(), ["(unnamed) 1", "main 1", "main > (unnamed) 3"]);
    let of = |code: &str| -> u64 {
        let notices = seen.profile.notices.iter().filter(|notice| notice.code.word() == code);
        notices.map(|notice| notice.count).sum()
    };
    // Three visits, a span, a metric and a tag; the last leave has nothing to leave.
    assert_eq!((of("unnamed"), of("stray-leave")), (6, 1), "{:?}", seen.notices());
    assert_eq!(seen.at("main > (unnamed)").tags[0].key, b"(unnamed)");
}

#[test]
fn what_belongs_to_nobody_is_dropped() {
    let seen = see("nowhere");
    assert_eq!(seen.tree(), ["main 1"]);
    assert!(seen.at("main").tags.is_empty() && seen.row("main").metrics.is_empty());
    let nowhere = ["cells", "kind", "residual"].map(|name| format!("nowhere {name} in -: 1"));
    assert_eq!(seen.notices(), nowhere);
}

#[test]
fn processes_without_regions_make_mistakes_too() {
    let room = Room::new("regions-mistakes-beside");
    let words = ["sh".into(), "-c".into(), "\"$0\" strays && \"$0\" twice".into()];
    let words = words.into_iter().chain([program().into_os_string()]);
    let output = run(&room, &["--no-report"], words).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let seen = Seen { output, profile: read(&log_path(&room).with_extension("ioprof")) };
    assert_eq!(
        seen.notices(),
        ["stray-leave stray in -: 1", "stray-stop  in main: 1", "nowhere cells in -: 1"]
    );
}

#[test]
fn what_is_refused_is_counted() {
    // Of space for the capture, of the size of files, of memory.
    for (space, limit) in [("600k", "true"), ("50%", "ulimit -f 600"), ("50%", "ulimit -v 16000")] {
        let room = Room::with_memory("regions-refused", space);
        let script = format!("{limit}; exec \"$0\" many 100000");
        let words = ["sh".into(), "-c".into(), script.into(), scenes().into_os_string()] as [_; 4];
        let output = run(&room, &["--no-report"], words).output().unwrap();
        assert!(output.status.success(), "{limit}: {output:?}");
        let profile = read(&log_path(&room).with_extension("ioprof"));
        let inner = profile.regions.iter().filter(|region| region.name != b"main");
        let calls: u64 = inner.flat_map(|region| &region.rows).map(|row| row.calls).sum();
        let lost = profile.lost;
        assert!(lost.regions + lost.visits > 0, "{space} {limit}: {lost:?}");
        assert_eq!(calls + lost.visits, 100_000, "{space} {limit}: {lost:?}");
    }
}

#[test]
fn a_filter_is_respected() {
    let seen = see("filtered");
    assert_eq!(seen.output.stdout, b"done\n");
    let known = &seen.at("main > known").rows;
    assert_eq!(known.iter().map(|row| row.calls).sum::<u64>(), 101);
    let inner = seen.profile.regions.iter().filter(|region| region.name != b"main");
    let calls: u64 = inner.flat_map(|region| &region.rows).map(|row| row.calls).sum();
    let lost = seen.profile.lost;
    assert!(lost.regions + lost.visits > 0, "{lost:?}");
    assert_eq!(calls + lost.visits, 20_101, "{lost:?}");
}

//! The tree of regions: nesting, recursion, and mistakes.

use super::seen::see;
use crate::lifecycle::room::Room;

#[test]
fn regions_nest() {
    let room = Room::new("regions-nest");
    let seen = see(&room, &["nest"]);
    assert_eq!(seen.tree(), ["main 1", "main > comm 1", "main > solve 3", "main > solve > comm 3"]);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
    let comm = seen.row("main > solve > comm");
    assert!(comm.time_ns >= 3_000_000 && comm.min_ns >= 1_000_000, "{comm:?}");
    let solve = seen.at("main > solve");
    assert!(solve.file.ends_with(b"scenes.c") && solve.line > 0);
    let head = &seen.profile.head;
    assert_eq!((head.ranks, head.executions, head.has_io), (1, 1, true));
    assert_eq!(seen.profile.processes.len(), 1);
    assert_eq!(seen.profile.processes[0].threads, 1);
    assert!(seen.profile.overhead.annotations >= 16);
    room.check_nothing_left();
}

#[test]
fn recursion_folds() {
    let room = Room::new("regions-fold");
    let seen = see(&room, &["fold"]);
    assert_eq!(seen.tree(), ["main 1", "main > fib 15", "main > walk 3", "main > walk > visit 3"]);
    let (walk, visit) = (seen.row("main > walk"), seen.row("main > walk > visit"));
    // No moment counts twice, and the outer visits stand still while an inner walk runs.
    assert!(visit.time_ns >= 6_000_000 && visit.time_ns <= walk.time_ns);
    assert!(walk.max_ns <= walk.time_ns);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
}

#[test]
fn wrong_leaves_are_repaired() {
    let room = Room::new("regions-order");
    let seen = see(&room, &["order"]);
    assert_eq!(
        seen.tree(),
        ["main 1", "main > a 1", "main > a > b 1", "main > a > b > c 1", "main > d 1"]
    );
    assert_eq!(
        seen.notices(),
        [
            "stray-leave  in -: 1",
            "stray-leave b in main: 1",
            "stray-leave c in main: 1",
            "stray-leave nobody in main: 1",
            "out-of-order b in main > a: 1",
            "out-of-order c in main > a > b: 1",
        ]
    );
}

#[test]
fn jumps_end_what_they_leave() {
    let room = Room::new("regions-jumps");
    let seen = see(&room, &["jumps"]);
    assert_eq!(
        seen.tree(),
        ["main 1", "main > deep 1", "main > deep > deeper 1", "main > deep > deeper > after 1"]
    );
    assert_eq!(
        seen.notices(),
        ["out-of-order deep in main: 1", "out-of-order deeper in main > deep: 1"]
    );
}

#[test]
fn names_are_any_bytes() {
    let room = Room::new("regions-names");
    let seen = see(&room, &["names"]);
    let names: Vec<&[u8]> = seen.profile.regions.iter().map(|region| &region.name[..]).collect();
    let has = |name: &[u8]| names.contains(&name);
    assert!(has(b"a\0b") && has(b"(unnamed)") && has(b"say \"1,2;3|4-5+6>7<8\\/\n"), "{names:?}");
    // Cut before the letter that does not fit.
    assert!(has(&[b'x'; 1022]), "{names:?}");
    // Once, however often it is entered and left.
    assert_eq!(seen.profile.lost.names, 1);
    assert_eq!(seen.notices(), ["unnamed  in a\0b: 1"]);
}

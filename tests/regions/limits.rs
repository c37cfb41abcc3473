//! Deep, long and many.

use super::seen::{see, see_with};
use crate::lifecycle::room::Room;

#[test]
fn recursion_may_be_deep() {
    let room = Room::new("regions-recursive");
    let seen = see(&room, &["recursive", "200000"]);
    assert_eq!(seen.tree(), ["again 200000"]);
}

#[test]
fn paths_end_somewhere() {
    let room = Room::new("regions-deep");
    let seen = see(&room, &["deep", "65600"]);
    assert_eq!(seen.profile.regions.len(), 65_535);
    assert_eq!(seen.profile.notices.iter().map(|notice| notice.count).sum::<u64>(), 65);
    assert!(seen.profile.notices.iter().all(|notice| notice.code.word() == "too-deep"));
    // What is too deep belongs to the deepest level: nothing is lost.
    assert_eq!(seen.profile.lost, ioglass_profile::Lost::default());
}

#[test]
fn what_finds_no_room_is_put_together() {
    let room = Room::new("regions-many");
    let memory = [("IOGLASS_REGION_MEMORY", "1")];
    let seen = see_with(&room, &[], &memory, &["many", "20000"]);
    let more = seen.row("main > (more)").calls;
    let own = seen.profile.regions.len() as u64 - 2;
    assert_eq!(more + own, 20_000);
    assert!(own > 1000, "{own}");
    assert_eq!(seen.profile.lost.regions, more);
    assert!(seen.notices().is_empty(), "{:?}", seen.notices());
    let seen = see(&room, &["many", "20000"]);
    assert_eq!(seen.profile.regions.len(), 20_001);
}

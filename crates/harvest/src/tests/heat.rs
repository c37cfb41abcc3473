//! Heat maps.

use super::*;

#[test]
fn heat_maps_share_a_scale() {
    let mut fine = Builder::new(10, 0);
    fine.posix("/data/a", 0, |_| {});
    let mut heat = HeatCell::read(&vec![0; size_of::<HeatCell>()]).unwrap();
    heat.bins[0][3] = 100;
    heat.bins[1][4] = 7;
    fine.entry(Kind::Heat, &[heat.bytes()]);
    let mut thread = ThreadCell::read(&vec![0; size_of::<ThreadCell>()]).unwrap();
    thread.bin_begin_ns = SECOND / 2;
    thread.pending[Api::Posix as usize] = [11, 0];
    thread.pending[Api::Stdio as usize] = [0, 13];
    fine.entry(Kind::Thread, &[thread.bytes()]);
    let mut coarse = Builder::new(11, 0);
    coarse.posix("/data/b", 0, |_| {});
    heat.doublings = 1;
    coarse.entry(Kind::Heat, &[heat.bytes()]);

    let log = harvest(&gone(&[&fine, &coarse]), &run());
    let maps: Vec<ioglass_log::Heatmap> = log.special().unwrap().map(Result::unwrap).collect();
    let named: Vec<_> =
        maps.iter().map(|map| (map.base.rank, log.names().lookup(map.base.id))).collect();
    let expected = [(0, "heatmap:POSIX"), (0, "heatmap:STDIO"), (1, "heatmap:POSIX")];
    assert_eq!(named, expected.map(|(rank, name)| (rank, name.into())));
    for map in &maps {
        assert_eq!((map.bin_width, map.writes.len(), map.reads.len()), (0.2, 50, 50));
    }
    assert_eq!((maps[0].writes[1], maps[0].writes[2], maps[0].reads[2]), (100, 11, 7));
    assert_eq!(maps[1].reads[2], 13);
    assert_eq!((maps[2].writes[3], maps[2].reads[4]), (100, 7));

    // In a job inside another the process counts from later.
    fine.header.origin_real_ns = ORIGIN + SECOND;
    let log = harvest(&gone(&[&fine]), &run());
    let map: ioglass_log::Heatmap = log.special().unwrap().next().unwrap().unwrap();
    assert_eq!((map.bin_width, map.writes[13], map.reads[14]), (0.1, 100, 7));
    fine.header.origin_real_ns = ORIGIN;

    // A long job doubles the width until 200 bins are enough.
    let long = Run { end_ns: Some(ORIGIN + 100 * SECOND), ..run() };
    let log = harvest(&gone(&[&fine]), &long);
    let map: ioglass_log::Heatmap = log.special().unwrap().next().unwrap().unwrap();
    assert_eq!((map.bin_width, map.writes.len()), (0.8, 125));
    assert_eq!(log.module_info(heatmap::MODULE.id).version, 1);
}

//! Data sets, and files on Lustre.

use ioglass_log::Lustre;
use ioglass_schema::h5d;
use ioglass_shm::{H5dCell, LayoutHead, MoreWide};

use super::*;

#[test]
fn data_sets_have_their_accesses_and_their_file() {
    let mut builder = Builder::new(1, 0);
    let (name, file) = ("/d/a.h5:/x", record_id(b"/d/a.h5"));
    builder.name(name);
    let mut more = MoreWide::read(&vec![0; size_of::<MoreWide>()]).unwrap();
    (more.value[0][0], more.value[0][5], more.count[0]) = (4096, 512, 9);
    let offset = builder.entry(Kind::MoreWide, &[more.bytes()]);
    let mut cell = H5dCell::read(&vec![0; size_of::<H5dCell>()]).unwrap();
    (cell.id, cell.file) = (record_id(name.as_bytes()), file);
    cell.int[h5d::OPENS] = 1;
    for (slot, count) in [2, 3, 2, 1].into_iter().enumerate() {
        (cell.accesses[0].value[slot][0], cell.accesses[0].count[slot]) =
            (100 + slot as i64, count);
    }
    cell.accesses[0].more = offset as u64;
    let words = [cell.id, cell.file].into_iter().chain(cell.int.map(i64::cast_unsigned));
    let words: Vec<u8> = words.chain(cell.tick).flat_map(u64::to_le_bytes).collect();
    let others = cell.others.to_le_bytes();
    builder.entry(Kind::H5d, &[&words, cell.accesses[0].bytes(), &others]);
    let log = harvest(&gone(&[&builder]), &run());
    let mut records = log.records(&h5d::MODULE).unwrap();
    let record = records.next().unwrap().unwrap();
    assert_eq!(record.link, [file]);
    let access = |slot: usize| record.int[h5d::ACCESS1_ACCESS + 11 * slot];
    assert_eq!([0, 1, 2, 3].map(access), [4096, 101, 102, 100]);
    assert_eq!(record.int[h5d::ACCESS1_LENGTH_D5], 512);
    assert_eq!(record.int[h5d::ACCESS1_COUNT..=h5d::ACCESS4_COUNT], [9, 3, 2, 2]);
    assert_eq!(log.names().lookup(record.base.id), name);
}

#[test]
fn the_last_layout_of_a_file_counts_once_for_all_ranks() {
    let plain = |stripe_size: u32, osts: &[u32]| {
        let mut bytes = [0x0BD1_0BD0_u32.to_le_bytes(), 1_u32.to_le_bytes()].concat();
        bytes.extend([0; 16]);
        bytes.extend(stripe_size.to_le_bytes());
        bytes.extend((osts.len() as u32).to_le_bytes());
        for ost in osts {
            bytes.extend([0; 20]);
            bytes.extend(ost.to_le_bytes());
        }
        bytes
    };
    let mut builders = [Builder::new(1, 0), Builder::new(2, 1)];
    for builder in &mut builders {
        builder.posix("/l/shared", 0, |_| {});
        for osts in [&[1][..], &[1, 7]] {
            let attribute = plain(1 << 20, osts);
            let id = record_id(b"/l/shared");
            let head = LayoutHead { id, length: attribute.len() as u64 };
            builder.entry(Kind::Lustre, &[head.bytes(), &attribute]);
        }
    }
    builders[1].posix("/l/own", 1, |_| {});
    let attribute = plain(4096, &[3]);
    let head = LayoutHead { id: record_id(b"/l/own"), length: attribute.len() as u64 };
    builders[1].entry(Kind::Lustre, &[head.bytes(), &attribute]);
    // One that was about to change when its process was killed.
    builders[1].entry(Kind::Lustre, &[LayoutHead { id: 5, length: 0 }.bytes(), &attribute]);

    let log = harvest(&gone(&[&builders[0], &builders[1]]), &run());
    let records: Vec<_> = log.special::<Lustre>().unwrap().map(Result::unwrap).collect();
    let found = |name: &str| {
        let id = record_id(name.as_bytes());
        let record = records.iter().find(|record| record.base.id == id).unwrap();
        (record.base.rank, record.components[0].stripe_size, record.osts.clone())
    };
    assert_eq!(records.len(), 2);
    assert_eq!(found("/l/shared"), (-1, 1 << 20, vec![1, 7]));
    assert_eq!(found("/l/own"), (1, 4096, vec![3]));
}

//! Copies of odd logs are sound.

use ioglass_log::{Compression, Log, copy, dxt};

use super::craft::{Craft, ZLIB, compress, job, repeated, words};
use crate::memory::peak_of;

type Names = Vec<(u64, Vec<u8>)>;

/// The names of a log, and of its copy.
fn copied_names(craft: &Craft) -> (Names, Names) {
    let owned = |log: &Log| log.names().iter().map(|(id, name)| (id, name.to_vec())).collect();
    let log = Log::from_bytes(craft.build()).unwrap();
    let copied = Log::from_bytes(copy(&log, Vec::new(), Compression::None).unwrap()).unwrap();
    (owned(&log), owned(&copied))
}

#[test]
fn empty_names_keep_their_order() {
    let names: Vec<u8> = [(5, ""), (3, "x"), (2, ""), (9, ""), (1, "y")]
        .iter()
        .flat_map(|(id, name)| [words(&[*id]), format!("{name}\0").into()].concat())
        .collect();
    let (original, copied) = copied_names(&Craft::new(ZLIB).names(&names));
    assert_eq!(original.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [5, 3, 2, 9, 1]);
    assert_eq!(original, copied);
}

#[test]
fn names_with_a_nul_end_there() {
    let name = |id: i64, name: &[u8]| {
        [&words(&[id])[..], &(name.len() as u32).to_le_bytes(), name].concat()
    };
    let job = compress(ZLIB, &job(&[0, 1, 2, 1, 1], b"./app"));
    let names = [name(1, b"/a\0bcdefghijk"), name(2, b"/b")].concat();
    let craft = Craft { version: "3.00", job, ..Craft::new(ZLIB) }.names(&names);
    let (_, copied) = copied_names(&craft);
    assert_eq!(copied, [(1, b"/a".to_vec()), (2, b"/b".to_vec())]);
}

/// Copies keep thread ids apart from their trace, and all at once.
#[test]
fn threads_without_number() {
    let streams = 40;
    let count = 400_000 * streams;
    let head = [words(&[1, 0, 0]), vec![0; 64], words(&[count, 0])].concat();
    let mut craft = Craft::new(ZLIB);
    let mut out = compress(ZLIB, &head);
    out.extend(repeated(ZLIB, &vec![0; 400_000 * 40], streams as usize));
    craft.modules.push((dxt::POSIX.id.index(), 2, out));
    let bytes = craft.build();
    let (result, peak) = peak_of(|| {
        let log = Log::from_bytes(bytes.clone()).unwrap();
        copy(&log, Vec::new(), Compression::Zlib).map(drop)
    });
    assert!(result.unwrap_err().to_string().contains("thread ids"));
    assert!(peak <= (64 << 20) + 4 * bytes.len() as u64, "{peak}");
}

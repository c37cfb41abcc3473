//! Profiles as files: parts, cuts, damage, size and speed.

use ioglass_profile::{
    Builder, Compression, Groups, Head, Manifest, Node, Part, Process, Profile, RankKind, Reader,
    Set, write,
};
use serde_json::Value;

use super::made::{self, row};
use super::{run, saved, text, word};
use crate::support::{Rng, scratch};

#[test]
fn a_manifest_reads_as_the_whole() {
    let whole = made::climate(16, 103.0);
    let folder = scratch("profiles-manifest");
    let mut parts = Vec::new();
    for number in 0..4 {
        let part = made::climate_part(16, 4 * number..4 * number + 4, 103.0);
        let name = format!("job.{number}.ioprof");
        std::fs::write(folder.join(&name), write(&part, Compression::Deflate).unwrap()).unwrap();
        parts.push(Part { name: name.into_bytes(), first_rank: 4 * number, ranks: 4 });
    }
    let manifest = folder.join("job.ioprof");
    let bytes = Manifest { head: whole.head.clone(), parts }.write().unwrap();
    std::fs::write(&manifest, bytes).unwrap();
    let single = saved("whole", &whole);
    let json = |path: &str| -> Value {
        let output = run(&["show", "--json", "--by", "all", path]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["profile"]["files"] = Value::Null;
        document
    };
    let expected = json(word(&single));
    assert!(json(word(&manifest)) == expected);
    // In any order, and as a folder.
    let names: Vec<_> =
        [2, 0, 3, 1].iter().map(|n| folder.join(format!("job.{n}.ioprof"))).collect();
    let (sets, errors) = Set::open(&names);
    assert_eq!((sets.len(), errors.len()), (1, 0));
    assert!(format!("{:?}", sets[0].whole()) == format!("{whole:?}"));
    // A file that is named twice, or copied, counts once.
    let copy = folder.join("copy.ioprof");
    std::fs::copy(&names[0], &copy).unwrap();
    let (sets, _) = Set::open(&[&[manifest.clone(), copy.clone()], &names[..]].concat());
    assert_eq!(sets.len(), 1);
    assert!(format!("{:?}", sets[0].whole()) == format!("{whole:?}"));
    std::fs::remove_file(copy).unwrap();
    // Split by ranks, whatever their number.
    for files in [1, 3, 5, 16] {
        let mut builder = Builder::default();
        let parts = whole.parts(Groups::new(16, Some(files))).map(Result::unwrap);
        parts.for_each(|part| builder.profile(part).unwrap());
        assert!(format!("{:?}", builder.finish().unwrap()) == format!("{whole:?}"), "{files}");
    }
    // So is a manifest that is damaged: the list of files does for the rest.
    let sound = std::fs::read(&manifest).unwrap();
    let mut bytes = sound.clone();
    // The index has the place of the head in its first entry.
    let head = u64::from_le_bytes(bytes[48..56].try_into().unwrap());
    bytes[head as usize] ^= 1;
    std::fs::write(&manifest, &bytes).unwrap();
    let output = run(&["show", word(&manifest)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("write_fields"));
    let said = text(&output.stderr);
    assert!(said.contains("job.ioprof") && said.contains("head at byte"), "{said}");
    std::fs::write(&manifest, &sound).unwrap();
    // So is a part that has the ranks of another one, or is of another job.
    let [second, third] = [1, 2].map(|number| folder.join(format!("job.{number}.ioprof")));
    let sound = std::fs::read(&third).unwrap();
    let mut other = made::climate_part(16, 8..12, 103.0);
    other.head.job += 1;
    for bytes in [std::fs::read(&second).unwrap(), write(&other, Compression::None).unwrap()] {
        std::fs::write(&third, bytes).unwrap();
        let output = run(&["show", "--json", word(&manifest)]);
        assert_eq!(output.status.code(), Some(3));
        assert!(text(&output.stderr).contains("job.2.ioprof"), "{}", text(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["regions"][0]["ranks"]["count"], 12);
    }
    std::fs::write(&third, sound).unwrap();
    // A part that is missing is named, and the others are shown.
    std::fs::remove_file(folder.join("job.2.ioprof")).unwrap();
    let output = run(&["show", word(&manifest)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("write_fields"));
    assert!(text(&output.stderr).contains("job.2.ioprof"), "{}", text(&output.stderr));
}

#[test]
fn what_is_sound_of_a_cut_profile_is_shown() {
    let file = saved("cut", &made::climate(8, 103.0));
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let output = run(&["show", word(&file)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("write_fields"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("ends too early"), "{}", text(&output.stderr));
    // JSON is whole JSON even then.
    let output = run(&["show", "--json", "--by", "iteration", word(&file)]);
    assert_eq!(output.status.code(), Some(3));
    serde_json::from_slice::<Value>(&output.stdout).unwrap();
    std::fs::write(&file, &bytes[..20]).unwrap();
    let output = run(&["show", word(&file)]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
}

#[test]
fn damage_anywhere_is_told() {
    let sound = std::fs::read(saved("damage", &made::climate(2, 103.0))).unwrap();
    let file = scratch("profiles-damage").join("damaged.ioprof");
    let mut random = Rng::new();
    for _ in 0..40 {
        let mut bytes = sound.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        std::fs::write(&file, &bytes).unwrap();
        for words in [&["show"][..], &["show", "--depth", "1"], &["show", "--json"]] {
            let output = run(&[words, &[word(&file)]].concat());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{words:?}, byte {at}: {said}");
            assert!(said.contains("damaged.ioprof"), "{words:?}, byte {at}: {said}");
        }
    }
}

#[test]
fn random_bytes_are_no_profile() {
    let mut random = Rng::new();
    let folder = scratch("profiles-random");
    let file = folder.join("random.ioprof");
    let sound = write(&made::climate(2, 103.0), Compression::Deflate).unwrap();
    for number in 0..40 {
        let mut bytes = sound.clone();
        for _ in 0..=random.below(20) {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        std::fs::write(&file, &bytes).unwrap();
        let output = run(&["show", "-v", word(&file)]);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{number}: {:?}", output.status);
    }
    for (content, why) in
        [(&b""[..], "empty"), (b"hello, world", "hello"), (b"\x89IOPROF\n", "index")]
    {
        std::fs::write(&file, content).unwrap();
        let output = run(&["show", word(&file)]);
        assert_eq!(output.status.code(), Some(3));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

/// A document of a path with 20,000 names is not its square, and tells all of them.
#[test]
fn a_deep_profile_is_a_short_document() {
    const DEPTH: u32 = 20_000;
    let names: Vec<String> = (0..DEPTH).map(|level| format!("level {level}")).collect();
    let node = |level: u32| Node {
        parent: level.checked_sub(1),
        name: names[level as usize].as_bytes(),
        rows: vec![row(1, 1.0)],
        ..Node::default()
    };
    let mut builder = Builder::new(Head { ranks: 1, ..Head::default() });
    builder.process(Process::default(), (0..DEPTH).map(node).collect()).unwrap();
    let file = saved("deep", &builder.finish().unwrap());
    let output = run(&["show", "--json", word(&file)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stdout.len() < 64 << 20, "{} bytes", output.stdout.len());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let regions = document["regions"].as_array().unwrap();
    assert_eq!(regions.len(), DEPTH as usize);
    for (level, region) in regions.iter().enumerate() {
        assert_eq!(region["parent"].as_u64(), level.checked_sub(1).map(|parent| parent as u64));
        assert_eq!(region["name"], names[level]);
        assert_eq!(region["path"].as_array().map(Vec::len), (level < 1024).then_some(level + 1));
    }
}

/// A job of very many ranks.
fn large(ranks: u32, regions: u32) -> Profile {
    let mut random = Rng::new();
    let head =
        Head { ranks, rank_kind: RankKind::Mpi, duration_ns: 100_000_000_000, ..Head::default() };
    let mut builder = Builder::new(head);
    let names: Vec<String> = (0..regions).map(|number| format!("region_{number}")).collect();
    for rank in 0..ranks {
        let node = |number: usize| {
            let seconds = 1.0 + random.below(10_000) as f64 / 1e6;
            let seconds = if number == 0 { 100.0 } else { seconds * 0.9 };
            Node {
                parent: (number > 0).then_some(0),
                name: names[number].as_bytes(),
                rows: vec![row(10, seconds)],
                ..Node::default()
            }
        };
        let nodes = (0..names.len()).map(node).collect();
        let process = Process {
            rank,
            pid: 1000 + u64::from(rank % 64),
            host: format!("n{}", rank / 64).into_bytes(),
            threads: 1,
            ..Process::default()
        };
        builder.process(process, nodes).unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn an_overview_of_16384_ranks_reads_kilobytes() {
    let file = saved("large", &large(16_384, 100));
    let bytes = std::fs::read(&file).unwrap();
    let per_row = bytes.len() as f64 / (16_384.0 * 100.0);
    assert!(per_row < 12.0, "{per_row} bytes for a row");
    let (sets, _) = Set::open(&[file]);
    assert_eq!(sets[0].summaries()[0].ranks.count, 16_384);
    // All of it stands before the rows: a file that is cut after a megabyte still has it.
    let cut = Reader::of_bytes(bytes[..1 << 20].to_vec()).unwrap();
    assert_eq!(cut.summaries().unwrap()[99].ranks.count, 16_384);
}

#[test]
fn an_iteration_takes_two_bytes() {
    let mut random = Rng::new();
    let mut builder = Builder::new(Head { ranks: 64, rank_kind: RankKind::Mpi, ..Head::default() });
    for rank in 0..64 {
        // Steps of 200 µs that vary by 1 %, and one in 50 that writes.
        let steps: Vec<f64> = (0..4096)
            .map(|step| {
                let noise: f64 = (0..4).map(|_| random.below(2000) as f64).sum::<f64>() / 4.0;
                (200_000.0 + noise + if step % 50 == 0 { 1_000_000.0 + 10.0 * noise } else { 0.0 })
                    / 1e9
            })
            .collect();
        let step = Node {
            name: b"step",
            kind: ioglass_profile::Kind::Iteration,
            rows: vec![made::iterations(&steps)],
            ..Node::default()
        };
        builder.process(Process { rank, ..Process::default() }, vec![step]).unwrap();
    }
    let profile = builder.finish().unwrap();
    let bytes = write(&profile, Compression::Deflate).unwrap();
    let per_value = bytes.len() as f64 / (64.0 * 4096.0);
    assert!(per_value <= 2.0, "{per_value}");
}

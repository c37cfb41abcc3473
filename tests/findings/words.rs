//! What is said of a run, and what to type.

use ioglass_insight::Language;

use super::counters::{Counters, nothing, read, write};
use super::of;
use super::recipe::{KIB, MIB, Recipe, only, run};

/// A run of one process by this command.
fn by(command: &str) -> Recipe {
    let mut recipe = run(1);
    recipe.command(command);
    recipe
}

fn commands(recipe: &Recipe, code: &str) -> Vec<String> {
    let found = recipe.diagnose();
    let finding = of(&found, code).unwrap_or_else(|| panic!("{code} is absent"));
    let commands = finding.advice.iter().flat_map(|advice| &advice.commands);
    commands.map(|command| command.line.clone()).collect()
}

#[test]
fn streams_are_called_by_what_they_carry() {
    let said = |counters| {
        let found = run(1).stdio(only(0), counters).diagnose();
        found.budget.parts[0].on.word()
    };
    assert_eq!(said(write(9000.0, 80.0, 20.0)), "text output");
    assert_eq!(said(write(9000.0, 64.0 * KIB, 20.0)), "stream writes");
    assert_eq!(said(read(9000.0, 80.0, 20.0)), "stream reads");
    assert_eq!(said(read(9000.0, 80.0, 20.0).writes(10.0, 80.0, 20.0)), "streams");
    assert_eq!(said(nothing().opened(5.0).with("F_META_TIME", 3.0)), "streams");
}

#[test]
fn what_is_mapped_is_said_at_the_top() {
    let mapped = || nothing().opened(1.0).with("MMAPS", 1.0);
    let found = run(1).posix(only(0), mapped()).diagnose();
    let warnings: Vec<&str> = found.warnings.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(
        warnings,
        ["1 file is mapped into memory: no figure includes accesses there (A08)."]
    );
    for file in ["/tmp/ompi.node.0/pid.7/hwloc.sm", "/dev/shm/vader_segment.node"] {
        let found = run(1).file(file).posix(only(0), mapped()).diagnose();
        assert!(found.warnings.is_empty(), "{file}: {:?}", found.warnings);
    }
}

#[test]
fn a_copy_is_advised_with_its_own_files() {
    let small = |command: &str| by(command).posix(only(0), write(60_000.0, 512.0, 50.0));
    let line = "dd bs=1M count=30720000 iflag=count_bytes if=/dev/zero of=out";
    assert_eq!(commands(&small("dd if=/dev/zero of=out bs=512 count=60000"), "A01"), [line]);
    let line = "dd bs=1M if=a of=b";
    assert_eq!(commands(&small("sh -c dd if=a of=b"), "A01"), [line]);
    for unknown in ["dd", "dd if=a of=b seek=3", "sh -c dd if=a of=b | wc"] {
        assert_eq!(commands(&small(unknown), "A01"), [] as [&str; 0], "{unknown}");
    }
}

#[test]
fn commands_start_the_program_with_its_arguments_or_not_at_all() {
    let printing = |command: &str| {
        by(command).file("<STDOUT>").stdio(only(0), write(2e6, 80.0, 20.0)).file("/data/file")
    };
    let printed = "out=$(mktemp) && sort big.txt > \"$out\"; echo \"$out\"";
    assert_eq!(commands(&printing("sort big.txt"), "X02"), [printed]);
    assert_eq!(commands(&printing("407752450 big.txt"), "X02"), [] as [&str; 0]);
    assert_eq!(commands(&printing("sort it's"), "X02"), [] as [&str; 0]);
}

#[test]
fn who_packs_is_not_told_to_pack() {
    let many = |command: &str| {
        (0..3000).fold(by(command), |recipe, number| {
            let counters = read(1.0, 4.0 * KIB, 0.001).opened(1.0).with("F_META_TIME", 0.01);
            recipe.file(format!("/data/{number}")).posix(only(0), counters)
        })
    };
    assert_eq!(commands(&many("tar cf a.tar src"), "N02"), [] as [&str; 0]);
    assert_eq!(commands(&many("./app"), "N02"), ["tar -cf data.packed.tar -C /data ."]);
    let found = many("./app").diagnose();
    let text = &of(&found, "N02").unwrap().advice[0].text;
    assert!(text.starts_with("Pack the 3,000 files of 4 KiB each"), "{text}");
}

#[test]
fn random_writes_are_mended_by_writing() {
    let jumps = |counters: super::counters::Counters, verb: &str| {
        let counters = counters.with(&format!("SEQ_{verb}"), 10.0);
        by("python3 job.py").posix(only(0), counters.with(&format!("CONSEC_{verb}"), 10.0))
    };
    for (recipe, code, verb) in [
        (jumps(write(5000.0, 2.0 * MIB, 50.0), "WRITES"), "P13", "os.pwrite("),
        (jumps(read(5000.0, 2.0 * MIB, 50.0), "READS"), "P11", "os.pread("),
    ] {
        let found = recipe.diagnose();
        let finding = of(&found, code).unwrap_or_else(|| panic!("{code} is absent"));
        let first = &finding.advice[0].snippets[0];
        assert_eq!(first.language, Language::Python);
        assert!(first.code.contains(verb), "{code}: {}", first.code);
    }
}

/// The title and the first sentence of advice of a finding.
fn said(recipe: &Recipe, code: &str) -> [String; 2] {
    let found = recipe.diagnose();
    let finding = of(&found, code).unwrap_or_else(|| panic!("{code} is absent"));
    let advice = finding.advice.first().map_or("", |advice| advice.text.as_str());
    [finding.title.clone(), advice.to_owned()]
}

#[test]
fn small_requests_are_mended_in_their_own_direction() {
    // The large writes take longer than the small reads.
    let both = run(1).posix(only(0), read(60_000.0, 512.0, 10.0).writes(500.0, MIB, 40.0));
    let [title, advice] = said(&both, "A01");
    assert_eq!(title, "60,000 reads move 512 B at a time");
    assert_eq!(advice, "Read 1 MiB at a time.");
}

#[test]
fn who_only_reads_is_not_told_to_write() {
    let spread = |counters: Counters| {
        (0..64).fold(run(64), |run, rank| run.posix(only(rank), counters.clone()))
    };
    let [_, advice] = said(&spread(read(1.0, 60_000.0, 20.0)), "A03");
    assert!(advice.starts_with("Read on 3 ranks and send it to the others"), "{advice}");
    let [_, advice] = said(&spread(write(1.0, 60_000.0, 20.0)), "A03");
    assert!(advice.starts_with("Gather on 3 ranks and let these write"), "{advice}");
}

#[test]
fn only_what_is_read_again_is_copied() {
    let again = read(1200.0, MIB, 40.0).with("MAX_BYTE_READ", 100.0 * MIB - 1.0);
    let one = run(1).mount("/data", "lustre").posix(only(0), again);
    let lines = commands(&one, "A04");
    assert_eq!(lines[1], "dir=$(mktemp -d) && cp /data/file \"$dir\"/ && echo \"$dir\"");
}

#[test]
fn a_buffer_is_advised_where_calls_wait() {
    let waiting = run(1).stdio(only(0), write(9001.0, 80.5, 20.0));
    let [title, advice] = said(&waiting, "X01");
    assert!(title.ends_with("of text"), "{title}");
    assert!(advice.contains("buffer of 1 MiB"), "{advice}");
    // A fraction of a microsecond for a call is spent in the program.
    let buffered = run(1).stdio(only(0), write(9e7, 8.0, 20.0));
    let [title, advice] = said(&buffered, "X01");
    assert!(title.ends_with("through a stream"), "{title}");
    assert!(advice.starts_with("Write arrays as a whole: the buffer works"), "{advice}");
}

#[test]
fn imports_are_searched_for_only_where_there_are_some() {
    let asked = |path: &str| {
        let asked = nothing().with("STATS", 5000.0).with("F_META_TIME", 20.0);
        commands(&by("python3 walk.py").file(path).posix(only(0), asked), "N05")
    };
    assert_eq!(asked("/data/0.bin"), ["strace -f -e trace=%file python3 walk.py"]);
}

//! Screens that are asked for: narrow, wide, plain, detailed, filtered, coloured.

use anstream::adapter::strip_str;
use ioglass_insight::model::Region;
use ioglass_insight::{Command, Diagnosis, FileShare, Level, RegionShare, Role, Top};

use super::screen_tests::{options, screen};
use super::{Only, Options, explain, summary_line, thresholds, write};
use crate::samples::*;
use crate::text;

/// The lines from the first that begins so, up to the next blank one.
fn part(screen: &str, first: &str) -> String {
    let lines = screen.lines().skip_while(|line| !line.starts_with(first));
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn plain_signs_keep_the_columns() {
    let plain = |log, diagnosis: &Diagnosis| {
        let shown = screen(diagnosis, &Options { is_ascii: true, ..options(log, 80) });
        assert!(shown.is_ascii(), "{shown}");
        shown
    };
    let shown = plain("imbalanced-io.darshan", &imbalanced());
    assert_eq!(
        part(&shown, "  time"),
        "  time    ##################################################=====..... 1,479 s\n          \
         # MPI-IO 1,244 s, 84 %   = text output 114 s   . outside I/O 122 s\n  \
         moved   74.1 GiB written, 49.3 GiB read by MPI-IO at 102 MiB/s\n  \
         where   lustre /lus/theta-fs0 and overlay, 1,026 files, 3 of them shared"
    );
    let line = |first| part(&shown, first).lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        line("!! HIGH 187"),
        "!! HIGH 187 collective writes per rank take 3.0 s each           543 s *    37 %"
    );
    assert_eq!(
        line("!  WARN"),
        "!  WARN Rank 0 needs 113 s to write 44 KiB of text                 113 s     8 %"
    );
    assert_eq!(
        line("ok"),
        "ok 31 checks fine   -- 12 not checkable   + 1 note below 1 % of the run (-v)"
    );
    let shown = plain("sample-badost.darshan", &slow_ost());
    assert!(
        shown.contains("        MiB/s by OST, 0 to 23:  min 0.5 at 14, median 23.0\n"),
        "{shown}"
    );
    assert!(shown.contains("!! HIGH OST 14 writes 46x slower"), "{shown}");
    assert!(plain("empty.darshan", &empty()).contains("ioglass run -- mpirun .. ./mpi-io-test"));
}

#[test]
fn below_sixty_columns_the_share_goes() {
    let shown = screen(&slow_ost(), &options("sample-badost.darshan", 50));
    assert_eq!(
        shown,
        "\
ior  2,048 ranks  780 s  job 6265799
2017-06-20 17:49 UTC
sample-bados…darshan  Darshan 3.1.3  complete
no trace

One slow storage target cost 762 of 780 s.

  time    ██████████████████████████████   780 s
          █ write 777.9 s, 99.7 %
          ▒ metadata 0.6 s   ░ outside I/O 1.5 s
  moved   512 GiB written at 673 MiB/s
  where   lustre /scratch1, 2,048 files

▲ HIGH  OST 14 writes 46× slower than the    762 s
        other 23
        85 of 2,048 files lie on it, at
        0.50 MiB/s each against 23.0 elsewhere.
        Slowest file there 777.9 s, slowest
        anywhere else 16.4 s.
        MiB/s by OST, 0 to 23:
        ▇▇▇███▇▇▆▇▇█▇█▁██▇█▇█▇██
        do this:  lfs df /scratch1 | grep OST:14
                  # full or degraded? then
                  # report OST 14 to your centre
                  write to /scratch2 until it is
                  repaired
        F01 slow-ost  derived from counters and
        stripes

✓ 31 checks fine   ○ 12 not checkable
"
    );
    let narrow = screen(&slow_ost(), &options("sample-badost.darshan", 39));
    assert!(narrow.contains("  time    780 s\n"), "the bar goes too: {narrow}");
}

#[test]
fn beyond_a_hundred_columns_only_figures_move() {
    let shown = screen(&imbalanced(), &options("imbalanced-io.darshan", 200));
    let lines: Vec<&str> = shown.lines().collect();
    let widths = |first: &str| {
        lines.iter().filter(|line| line.starts_with(first)).map(|line| text::width(line)).max()
    };
    assert_eq!(widths("▲"), Some(200));
    assert_eq!(widths("  time"), Some(198));
    assert_eq!(widths("        "), Some(95), "{shown}");
    assert!(
        shown.contains(
            "most need a trace: ioglass run --trace, or DXT_ENABLE_IO_TRACE=1   + 1 note"
        )
    );
}

#[test]
fn details_add_files_ranks_snippets_notes_and_consequences() {
    let mut diagnosis = slow_ost();
    let mut follows = fired(&STRAGGLERS, Level::High, "85 ranks come late", "", (700.0, 780.0));
    (follows.role, follows.caused_by, follows.seconds_net) =
        (Some(Role::Secondary), Some("F01"), 0.0);
    diagnosis.findings.insert(1, follows);
    let short = screen(&diagnosis, &options("a.darshan", 80));
    assert!(short.contains("derived from counters and stripes; 1 more follows (-v)\n"), "{short}");
    assert!(!short.contains("85 ranks come late"), "{short}");
    let detailed = screen(&diagnosis, &Options { verbosity: 1, ..options("a.darshan", 80) });
    assert_eq!(
        part(&detailed, "        files:"),
        "        files:    762 s  256 MiB  1 rank  …/test-scratch1/testFile.00001507
                  749 s  256 MiB  1 rank  …/test-scratch1/testFile.00000083
                  + 83 more
        ranks:    1507, 83, 611 + 82 more
        also:     T03 stragglers: 85 ranks come late, 700 s
        F01 slow-ost  derived from counters and stripes"
    );
    let detailed = screen(&imbalanced(), &Options { verbosity: 1, ..options("a.darshan", 80) });
    assert_eq!(
        part(&detailed, "        do this:  Give"),
        "        do this:  Give the stream a large buffer, and flush it once per step.
                  in C:
                  setvbuf(f, NULL, _IOFBF, 1 << 20);  // and flush once per step
                  see https://en.cppreference.com/w/c/io/setvbuf
        X01 slow-text-output  derived"
    );
    let all = screen(&imbalanced(), &Options { verbosity: 2, ..options("a.darshan", 80) });
    assert!(all.contains("                  in Python:\n                  log = open("), "{all}");
    assert_eq!(
        part(&detailed, "○ INFO").lines().next(),
        Some("○ INFO  Rank 0 opens 990 files                                       9 s   0.6 %")
    );
    assert!(!detailed.contains("1 note"));
}

#[test]
fn the_table_of_checks_says_why() {
    let mut diagnosis = slow_ost();
    diagnosis.findings.dedup_by_key(|finding| finding.detector.code);
    let shown = screen(&diagnosis, &Options { verbosity: 2, ..options("a.darshan", 80) });
    assert_eq!(
        part(&shown, "  code"),
        "  code  name          state          why
▲ F01   slow-ost      HIGH           OST 14 writes 46× slower than the other 23,
                                     762 s
✓ P06   small-writes  fine           0.2 % of the writes are below 1 MiB; the
                                     limit is 10 %.
○ T03   stragglers    not checkable  record a trace: ioglass run --trace, or
                                     DXT_ENABLE_IO_TRACE=1"
    );
}

#[test]
fn the_first_screen_has_five_findings() {
    let mut diagnosis = imbalanced();
    let one = fired(&SMALL_WRITES, Level::Warn, "Half the writes are small", "", (20.0, 1_479.0));
    diagnosis.findings.splice(3..3, std::iter::repeat_n(one, 4));
    let shown = screen(&diagnosis, &options("a.darshan", 80));
    assert_eq!(shown.matches("Half the writes are small").count(), 2);
    assert!(shown.contains("\n\n+ 2 more, 40 s together (-v)\n✓ 31 checks fine"), "{shown}");
}

#[test]
fn only_what_is_asked_for_is_shown() {
    let only = |names| Only::parse(names, &DETECTORS).unwrap();
    let shown = |names, only_codes| {
        screen(&imbalanced(), &Options { only: only(names), only_codes, ..options("a", 80) })
    };
    assert_eq!(shown("", true), "F02\nC03\nX01\nP17\n");
    assert_eq!(shown("high", true), "F02\nC03\n");
    assert_eq!(shown("slow-text-output, c03", true), "C03\nX01\n");
    assert_eq!(shown("metadata_intensity", true), "P17\n");
    assert!(shown("p17", false).contains("○ INFO  Rank 0 opens 990 files"));
    assert!(!shown("p17", false).contains("checks fine"));
    let unknown = Only::parse("F01,nonsense", &DETECTORS).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "nonsense is not a code, name, dimension or level of a finding"
    );
}

#[test]
fn names_cannot_control_the_terminal() {
    let evil = format!("/\x1b]0;x\x07\u{202e}数据\r\n\u{9b}2J{}", "a/very long name".repeat(400));
    let mut diagnosis = slow_ost();
    diagnosis.subject.program = evil.clone();
    diagnosis.subject.command = evil.clone();
    diagnosis.subject.recorder = evil.clone();
    diagnosis.place.systems = vec![(evil.clone(), evil.clone())];
    diagnosis.place.folder = evil.clone();
    diagnosis.verdict.sentence = evil.clone();
    let finding = &mut diagnosis.findings[0];
    finding.title = evil.clone();
    finding.detail = evil.clone();
    finding.advice = vec![type_this([Command::new("ls", evil.clone())]), say(&evil)];
    let file = FileShare { path: evil.as_str().into(), ..FileShare::default() };
    finding.files = Top { list: vec![file], more: 0 };
    let hides = |text: &str| text.chars().any(|c| c != '\n' && c.is_control() || c == '\u{202e}');
    for (width, is_ascii) in [(0, false), (33, true), (50, false), (80, true), (120, false)] {
        let options = Options { verbosity: 2, is_ascii, ..options(&evil, width) };
        let shown = screen(&diagnosis, &options);
        assert!(!hides(&shown), "{shown}");
        let longest = shown.lines().map(text::width).max().unwrap();
        assert!(longest <= width.max(40), "{width} {longest} {shown}");
        let mut out = Vec::new();
        explain(&mut out, &SLOW_OST, diagnosis.findings.first(), &options).unwrap();
        assert!(!hides(&strip_str(&String::from_utf8(out).unwrap()).to_string()));
        assert!(!hides(&strip_str(&summary_line(&diagnosis, &options)).to_string()));
    }
    diagnosis.verdict.outcome = ioglass_insight::Outcome::NotJudgeable;
    diagnosis.subject.is_traced = None;
    assert!(!hides(&screen(&diagnosis, &options("a", 80))));
}

#[test]
fn colours_say_what_words_say() {
    let mut out = Vec::new();
    write(&mut out, &imbalanced(), &options("imbalanced-io.darshan", 80)).unwrap();
    let out = String::from_utf8(out).unwrap();
    for piece in [
        "\x1b[2mimbalanced-io.darshan  Darshan 3.2.1  no trace\x1b[0m\n",
        "\x1b[33m! \x1b[0mPOSIX is incomplete",
        "\x1b[1mI/O took 92 % of this run",
        "\x1b[31m▲ \x1b[0m\x1b[1m\x1b[31mHIGH  \x1b[0m98.6 GiB",
        "\x1b[33m◆ \x1b[0m",
        "\x1b[1m543 s\x1b[0m\x1b[33m †\x1b[0m    37 %",
        "do this:  \x1b[36mlfs setstripe -c 29 -S 16M DIR\x1b[0m   # before",
        "\x1b[2mF02 single-stripe  derived\x1b[0m\n",
        "\x1b[32m✓\x1b[0m 31 checks fine",
        "\x1b[31m██",
        "\x1b[2m░░░░░\x1b[0m 1,479 s\n",
    ] {
        assert!(out.contains(piece), "{piece:?} is missing in {out:?}");
    }
}

#[test]
fn the_last_line_says_what_is_at_stake() {
    let line = |diagnosis: &Diagnosis| {
        strip_str(&summary_line(diagnosis, &options("8a_1322696.darshan", 80))).to_string()
    };
    let mut diagnosis = imbalanced();
    diagnosis.subject.is_complete = true;
    diagnosis.verdict.avoidable = 9.6;
    diagnosis.budget.run_time = 12.0;
    assert_eq!(
        line(&diagnosis),
        "▲ 9.6 of 12 s avoidable, 2 HIGH 1 WARN   ioglass report -v 8a_1322696.darshan"
    );
    diagnosis.subject.is_complete = false;
    assert!(line(&diagnosis).contains("1 WARN, incomplete data   ioglass"));
    diagnosis.findings.drain(..3);
    assert!(line(&diagnosis).starts_with("○ 9.6 of 12 s avoidable, 1 INFO, "));
    assert_eq!(
        line(&healthy()),
        "✓ I/O 0.03 of 3 s, healthy   ioglass report -v 8a_1322696.darshan"
    );
    assert_eq!(
        line(&not_judgeable()),
        "! Not judgeable: the records were full after 1,024 start-up files   \
         ioglass report -v 8a_1322696.darshan"
    );
}

#[test]
fn what_cannot_be_judged_is_said_and_still_shown() {
    let shown = screen(&not_judgeable(), &options("a.darshan", 80));
    assert!(shown.contains("! POSIX is incomplete: it ran out of room. Marked †.\n"));
    assert!(shown.contains("\nNot judgeable: the records were full after 1,024 start-up files.\n"));
    assert!(shown.contains("  where   nfs and local, 74 files\n"), "{shown}");
}

#[test]
fn a_check_is_explained_with_this_log() {
    let explained = |detector, finding| {
        let mut out = Vec::new();
        explain(&mut out, detector, finding, &options("logs/sample-badost.darshan", 80)).unwrap();
        strip_str(&String::from_utf8(out).unwrap()).to_string()
    };
    let what = "\
F01 slow-ost  throughput_utilization, at most HIGH

  what      One storage target is much slower than the others.
  costs     Every rank waits for the slowest file.
  fires     The median rate of the files on it is below slow_target of the
            others' median.
  helps     Tell the centre, and write elsewhere until it is repaired.
  see       https://wiki.lustre.org/
";
    assert_eq!(explained(&SLOW_OST, None), what);
    let mut out = Vec::new();
    explain(&mut out, &SLOW_OST, None, &options("a", 30)).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("see       https://wiki.lustre.org/\n"));
    let here = "
▲ sample-badost.darshan: HIGH, 762 s, 98 % of the run

        OST 14 writes 46× slower than the other 23
        85 of 2,048 files lie on it, at 0.50 MiB/s each against 23.0
        elsewhere. Slowest file there 777.9 s, slowest anywhere else 16.4 s.
        MiB/s by OST, 0 to 23:  ▇▇▇███▇▇▆▇▇█▇█▁██▇█▇█▇██
        numbers:  files on the target  85
                  rate there           514 KiB/s
                  times slower         46×
        files:    762 s  256 MiB  1 rank  …/test-scratch1/testFile.00001507
                  749 s  256 MiB  1 rank  …/test-scratch1/testFile.00000083
                  + 83 more
        ranks:    1507, 83, 611 + 82 more
        do this:  lfs df /scratch1 | grep OST:14   # then tell your centre
                  write to /scratch2 until it is repaired
        F01 slow-ost  derived from counters and stripes
";
    let diagnosis = slow_ost();
    assert_eq!(explained(&SLOW_OST, diagnosis.findings.first()), format!("{what}{here}"));
    let unknown = explained(&STRAGGLERS, diagnosis.findings.last());
    assert!(
        unknown.ends_with(
            "\n○ sample-badost.darshan: not checkable\n\n  \
             record a trace: ioglass run --trace, or DXT_ENABLE_IO_TRACE=1\n"
        ),
        "{unknown}"
    );
}

#[test]
fn limits_are_a_settings_file() {
    use ioglass_insight::threshold::{ALL, Thresholds};
    let mut out = Vec::new();
    let limits = Thresholds { small_bytes: 4096.0, ..Thresholds::default() };
    thresholds(&mut out, &limits).unwrap();
    let table: toml::Table = String::from_utf8(out).unwrap().parse().unwrap();
    assert_eq!(table.len(), ALL.len());
    for limit in ALL {
        let value = &table[limit.name];
        let value = value.as_float().or(value.as_integer().map(|whole| whole as f64));
        assert_eq!(value, limits.get(limit.name), "{}", limit.name);
    }
}

/// A region and its part in a finding.
fn region(path: &[&str], file: &str, share: f64) -> RegionShare {
    let path = path.iter().map(|name| (*name).to_owned()).collect();
    let region = Region { path, file: file.into(), line: 71 };
    RegionShare { region, seconds: 0.0, bytes: 0, share }
}

#[test]
fn a_finding_names_its_regions() {
    let mut diagnosis = slow_ost();
    let lines = |diagnosis: &Diagnosis, width: usize| {
        let shown = screen(diagnosis, &options("sample-badost.darshan", width));
        let lines: Vec<&str> = shown.lines().collect();
        let first = lines.iter().position(|line| line.contains("region:")).unwrap();
        lines[first..].iter().take(3).map(|line| (*line).to_owned()).collect::<Vec<_>>()
    };
    let finding = &mut diagnosis.findings[0];
    finding.seconds_net = 44.6;
    finding.seconds_at_stake = 44.6;
    let path = ["main", "step", "output", "write_fields"];
    finding.regions = vec![region(&path, "src/output.f90", 1.0)];
    assert_eq!(
        lines(&diagnosis, 80)[0],
        "        region:   step › output › write_fields (output.f90:71)    44.6 s, 100 %"
    );
    let others = (0..4).map(|_| region(&["main"], "", 0.04));
    let finding = &mut diagnosis.findings[0];
    finding.regions = vec![region(&path, "src/output.f90", 0.8)];
    finding.regions.extend(others);
    finding.regions.push(region(&["tiny"], "", 0.004));
    assert_eq!(
        lines(&diagnosis, 80),
        [
            "        region:   step › output › write_fields (output.f90:71)     35.7 s, 80 %",
            "                  main                                              1.78 s, 4 %",
            "                  + 3 more",
        ]
    );
    // On a narrow terminal the path is left.
    assert_eq!(lines(&diagnosis, 50)[0], "        region:   step › out…fields  35.7 s, 80 %");
}

//! The regions at the end of a report.

use ioglass_profile::{Builder, Head, Node, Process, Set};
use ioglass_report::profile::terminal::{Options, ending};

use super::{made, saved};

fn shown(set: &Set, options: &Options) -> String {
    let mut out = Vec::new();
    ending(&mut out, set, options).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

#[test]
fn five_regions_end_a_report() {
    let file = saved("climate-ending", &made::climate(64, 103.0));
    let (sets, problems) = Set::open(std::slice::from_ref(&file));
    assert!(problems.is_empty());
    let screen = shown(&sets[0], &Options::default());
    let expected = format!(
        "\
! 12 notices: stray-leave 12 (-v)
  regions 18 regions on 64 ranks; files took 106 of 414 s
          where the time went                   seconds   in I/O  uneven   share
          step › output › write_fields            103 s   99.9 s            25 %
          step › dynamics › advect               65.3 s                     16 %
          step › physics › clouds                60.4 s             56 %    15 %
          step › exchange                        47.0 s             24 %    11 %
          step › physics › radiation             29.6 s                    7.1 %
          + 13 more, 106 s together; slowest step 139, 23.6 s (median 1.17)
          ioglass profile show {}
",
        file.display()
    );
    assert_eq!(screen, expected);
    for width in [40, 60, 120] {
        let screen = shown(&sets[0], &Options { width, ..Options::default() });
        let lines = screen.lines().filter(|line| !line.contains("profile show"));
        for line in lines {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
    let ascii = shown(&sets[0], &Options { is_ascii: true, ..Options::default() });
    assert!(ascii.is_ascii(), "{ascii}");
}

#[test]
fn one_region_is_enough() {
    let head = Head { ranks: 1, duration_ns: 2_000_000_000, ..Head::default() };
    let mut builder = Builder::new(head);
    let rows = vec![made::row(1, 1.5)];
    let node = Node { name: b"only", rows, ..Node::default() };
    builder.process(Process::default(), vec![node]).unwrap();
    let set = Set::of_profile(&builder.finish().unwrap()).unwrap();
    let screen = shown(&set, &Options::default());
    let lines: Vec<&str> = screen.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "  regions 1 region on 1 process",
            "          where the time went                   seconds   in I/O  uneven   share",
            "          only                                   1.50 s                     75 %",
        ]
    );
    assert!(screen.lines().all(|line| !line.trim().is_empty()), "{screen:?}");
    // A profile without regions is not spoken of.
    let set = Set::of_profile(&Builder::new(Head::default()).finish().unwrap()).unwrap();
    assert_eq!(shown(&set, &Options::default()), "");
}

//! What the terminal shows of each way in which a search ends.

use ioglass_tune::report::{
    AtMost, Found, LayerReport, Report, RoundReport, Side, Speedup, TunedSide, Verified,
};
use ioglass_tune::space::Settings;
use ioglass_tune::tuning::State;

use super::samples;
use super::terminal::{Options, summary_line, write};
use crate::text;

/// The text of a result, without colours.
fn shown(report: &Report, options: &Options) -> String {
    let mut out = anstream::StripStream::new(Vec::new());
    write(&mut out, report, options).unwrap();
    String::from_utf8(out.into_inner()).unwrap()
}

fn screen(report: &Report) -> String {
    shown(report, &Options::default())
}

/// Lines fit, but those with a command, which are never broken.
#[track_caller]
fn assert_fits(text: &str, width: usize) {
    for line in text.lines().filter(|line| !line.contains(" ioglass ")) {
        assert!(text::width(line) <= width, "{line}");
    }
}

fn speedup([median, low, high]: [f64; 3], confidence: f64) -> Option<Speedup> {
    Some(Speedup {
        median,
        low: Some(low),
        high: Some(high),
        confidence: Some(confidence),
        confirmed: true,
    })
}

fn side(median: f64, wall: f64) -> Side {
    Side {
        median,
        low: median * 0.97,
        high: median * 1.03,
        runs: 8,
        wall,
        rest: Some(wall - median),
    }
}

/// Rounds with these gains.
fn rounds(ratios: &[f64]) -> Vec<RoundReport> {
    let round = |(ratio, round): (&f64, u64)| RoundReport {
        round,
        default: *ratio,
        tuned: 1.0,
        default_wall: 2.0,
        tuned_wall: 2.0,
        ratio: *ratio,
        default_first: round % 2 == 0,
    };
    ratios.iter().zip(1..).map(round).collect()
}

/// A search whose numbers are known.
fn known() -> Report {
    let verified = |name: &str, value: &str, variables: u64| Verified {
        name: name.into(),
        state: "applied".into(),
        requested: value.into(),
        files: 3,
        variables,
        ..Verified::default()
    };
    let changed = Verified {
        state: "changed".into(),
        effective: Some("16".into()),
        reason: Some("cb_config_list allows 4 per node".into()),
        ..verified("mpiio.cb_nodes", "24", 0)
    };
    let layer = |layer: &str, gain: f64| LayerReport {
        layer: layer.into(),
        speedup: Some(gain),
        low: Some(gain),
        high: Some(gain),
        rounds: 2,
    };
    let mut report = samples::gain();
    report.default = Some(side(15.02, 38.41));
    let settings = Settings::from([("fs.striping_factor".into(), "24".into())]);
    report.tuned = Some(TunedSide { side: side(5.021, 28.62), settings });
    report.speedup = speedup([2.957, 2.78, 3.11], 0.99);
    report.rounds = rounds(&[2.9; 8]);
    report.search.found = Some(Found { n: 23, how: "gp".into() });
    report.trials[22].how = "gp".into();
    report.trials[22].run = 23;
    report.search.random_estimate = Some(2.33);
    report.layers = vec![layer("hdf5", 1.39), layer("fs", 1.74), layer("mpiio", 1.05)];
    report.trials.iter_mut().for_each(|trial| trial.outcome = ioglass_tune::journal::Outcome::Ok);
    report.verified = vec![
        verified("fs.striping_factor", "24", 0),
        verified("fs.striping_unit", "16777216", 0),
        changed,
        verified("hdf5.alignment", "65536,1048576", 0),
        verified("hdf5.fill_time", "never", 48),
    ];
    report
}

#[test]
fn a_gain_is_told_with_its_proof_its_settings_and_how_to_undo_it() {
    let expected = "\
result: 2.96× faster (2.78 to 3.11), 15.0 → 5.02 s of I/O; wall 38.4 → 28.6 s

  default  ███████████████████████████████████████████████████████████  15.0 s
  tuned    ████████████████████                                         5.02 s
  proof    8 fresh rounds, default and tuned in turn, all faster; interval 99 %
  found    run 23 of 30, gp; random's best would be 2.33× (estimate)
  alone    fs 1.74×   hdf5 1.39×   mpiio 1.05×   all 2.96×

  applied         fs.striping_factor    24            3 files
  applied         fs.striping_unit      16777216      3 files
  changed         mpiio.cb_nodes        24 → 16       3 files
                  cb_config_list allows 4 per node
  applied         hdf5.alignment        65536,1048576 3 files
  applied         hdf5.fill_time        never         48 datasets

✓ same data in every run that ended: 3 files, 48 datasets, 21.6 GiB read back
! not compared: climate_model.log, it differs between default runs, too

  use it   ioglass apply best.toml -- mpirun -n 64 ./climate_model --steps 20
  undo     leave out `ioglass apply best.toml --`; files written with it keep
           their layout
  more     ioglass tune --replay climate_model.tune.jsonl --html=tune.html
";
    assert_eq!(screen(&known()), expected);
    assert_eq!(
        summary_line(&known(), true),
        "2.96x faster (2.78 to 3.11), 15.0 -> 5.02 s of I/O; wall 38.4 -> 28.6 s"
    );
}

#[test]
fn nothing_to_gain_says_what_was_tried_and_what_there_would_be_at_most() {
    let mut report = samples::nothing();
    assert_eq!((report.state, &report.reason), (State::NothingToGain, &None));
    report.default = Some(side(5.28, 46.8));
    let settings = report.tuned.unwrap().settings;
    report.tuned = Some(TunedSide { side: side(5.16, 46.7), settings });
    report.speedup = speedup([1.004, 0.94, 1.05], 0.95);
    report.search.best_seen = Some(1.12);
    report.at_most = Some(AtMost { speedup: 1.13, share: 0.113 });
    let ratios = [[1.1; 8].as_slice(), &[0.9; 7]].concat();
    report.rounds = rounds(&ratios);
    report.trials.clear();
    let expected = "\
result: nothing to gain, 1.00× (0.94 to 1.05), 5.28 → 5.16 s of I/O

  The default settings are as good as anything found in 30 runs. One run
  looked 1.12× faster; 15 fresh rounds did not repeat it.

  default  ███████████████████████████████████████████████████████████  5.28 s
  best     ██████████████████████████████████████████████████████████   5.16 s
  proof    15 fresh rounds, 8 faster and 7 slower; interval 95 %
  at most  1.13×, if all I/O took no time: it is 11 % of 46.8 s
  wrote    vpic_io.tune.jsonl; best.toml holds no setting

next:  ioglass run -- mpirun -n 64 ./vpic_io    where the other 41.5 s go
";
    assert_eq!(screen(&report), expected);
}

#[test]
fn where_the_proof_cannot_tell_the_rounds_that_could_are_named() {
    let mut report = samples::undecided();
    assert_eq!(report.state, State::Undecided);
    report.default = Some(side(5.26, 46.8));
    let settings = report.tuned.unwrap().settings;
    report.tuned = Some(TunedSide { side: side(4.93, 46.4), settings });
    report.speedup = speedup([1.07, 0.98, 1.14], 0.95);
    report.more_rounds = Some(14);
    report.typed = ["--confirm", "15", "--param", "a=1,2 3"].map(str::to_owned).to_vec();
    report.trials.clear();
    let expected = "\
result: undecided, 1.07× (0.98 to 1.14), 5.26 → 4.93 s of I/O

  15 rounds cannot tell it from no difference; 14 more probably can.
  best.toml holds no setting.

next:  ioglass tune --resume --confirm 29 --param 'a=1,2 3' -- mpirun -n 64 ./wave
";
    assert_eq!(screen(&report), expected);
}

#[test]
fn a_search_that_was_ended_has_its_best_so_far_and_calls_nothing_faster() {
    let report = samples::interrupted();
    assert_eq!(report.state, State::Interrupted);
    let best = report.speedup.as_ref().unwrap();
    assert!(!best.confirmed && best.median > 1.0);
    let text = screen(&report);
    let first = text.lines().next().unwrap();
    let gain = format!("{:.2}×", best.median);
    assert_eq!(first, format!("result: stopped after 35 runs; best so far {gain}, not proven"));
    assert!(text.contains("\n  wrote    best.toml, with confirmed = false\n"), "{text}");
    assert!(text.contains("\n  settings "), "{text}");
    let next = "
next:  ioglass tune --resume -- mpirun -n 64 ./climate_model
";
    assert!(text.ends_with(next), "{text}");
    assert!(!text.contains("faster"), "{text}");

    // Before anything was better, there is nothing to show.
    let none = Report { tuned: None, speedup: None, ..report };
    let first = screen(&none).lines().next().unwrap().to_owned();
    assert_eq!(first, "result: stopped after 35 runs; nothing better was found so far");
}

#[test]
fn a_gain_of_a_part_that_makes_the_whole_slower_is_none() {
    let mut report = samples::slower_as_a_whole();
    assert_eq!(report.state, State::NothingToGain);
    report.default = Some(side(5.28, 46.8));
    let settings = report.tuned.unwrap().settings;
    report.tuned = Some(TunedSide { side: side(4.1, 48.9), settings });
    let text = screen(&report);
    let first =
        "result: nothing to gain, slower as a whole: I/O 5.28 → 4.10 s, wall 46.8 → 48.9 s\n";
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").starts_with(first.trim_end()), "{text}");
    assert!(!text.contains("did not repeat"), "{text}");
}

#[test]
fn what_failed_shows_its_last_lines() {
    let mut report = samples::gain();
    report.state = State::Failed;
    report.reason = Some("the default run failed with status 139".into());
    (report.default, report.tuned, report.speedup) = (None, None, None);
    report.trials.truncate(1);
    report.trials[0].outcome = ioglass_tune::journal::Outcome::Failed;
    report.trials[0].note = Some("rank 3: bad \x1b[31mmesh\nSegmentation fault".into());
    let expected = "\
result: failed: the default run failed with status 139
  rank 3: bad \u{FFFD}[31mmesh
  Segmentation fault
";
    assert_eq!(screen(&report), expected);
}

#[test]
fn without_a_proof_nothing_is_called_faster() {
    let mut report = samples::interrupted();
    (report.state, report.reason) = (State::Undecided, Some("not proven".into()));
    let text = screen(&report);
    let gain = format!("{:.2}×", report.speedup.unwrap().median);
    assert!(text.starts_with(&format!("result: not proven; best so far {gain}, ")), "{text}");
    assert!(text.contains("--resume --confirm 15 --"), "{text}");
    assert!(!text.contains("faster"), "{text}");
}

#[test]
fn every_line_of_a_model_says_so() {
    let report = samples::model();
    assert_eq!(report.state, State::Gain);
    for width in [40, 80, 120] {
        let text = shown(&report, &Options { width, is_ascii: false });
        for line in text.lines().filter(|line| !line.is_empty()) {
            assert!(line.starts_with("model "), "{line}");
        }
        assert_fits(&text, width);
        assert!(!text.contains("ioglass apply"), "a model's settings are no advice: {text}");
    }
    assert!(screen(&report).contains("formula  vpic on hopper, 2,048 ranks, noise 10 %"));
}

#[test]
fn a_search_on_a_model_goes_on_with_the_model() {
    let mut report = samples::model();
    report.state = State::Interrupted;
    report.typed = ["--runner", "model:hopper-2048"].map(str::to_owned).to_vec();
    let next =
        "model next:  ioglass tune --resume --runner model:hopper-2048 -- ioglass kernel vpic";
    assert_eq!(screen(&report).lines().last(), Some(next));
}

#[test]
fn any_width_and_ascii_will_do() {
    let all = [
        samples::gain(),
        samples::nothing(),
        samples::undecided(),
        samples::interrupted(),
        samples::model(),
    ];
    for report in &all {
        for width in [0, 30, 60, 80, 120, 200] {
            assert_fits(&shown(report, &Options { width, is_ascii: false }), width.max(66));
            let ascii = shown(report, &Options { width, is_ascii: true });
            assert!(ascii.is_ascii() && !ascii.contains('?'), "{ascii}");
        }
    }
}

#[test]
fn names_cannot_control_the_terminal() {
    let mut report = samples::gain();
    report.command = vec!["./a\x1b[2J\n b".into(), "{bs}".into()];
    report.journal = Some("x y\x07.jsonl".into());
    report.best = Some("b'est\n.toml".into());
    report.check.as_mut().unwrap().not_compared = vec!["\x1b]0;title\x07".into()];
    report.verified[0].name = "fs.\x1b[1mx".into();
    report.warnings = vec!["two\nlines \x1b[0m".into()];
    let text = screen(&report);
    assert!(!text.contains(['\x1b', '\x07']), "{text}");
    assert!(text.contains("'{bs}'"), "a shell would not read it as it is: {text}");
}

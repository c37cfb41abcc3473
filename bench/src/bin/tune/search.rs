//! What a search takes for itself: proposals, the journal, files of settings. The runs are the model's,
//! which take no time.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use ioglass_bench::{own_cpu, table::Table};
use ioglass_settings::Settings;
use ioglass_tune::journal::{Direction, Journal, Line, Outcome, Phase, Start, Trial, read};
use ioglass_tune::model::{Kernel, Model, Noise, Stack};
use ioglass_tune::search::{Cost, From, Method, Population};
use ioglass_tune::space::{Space, preset};

use crate::Bench;

pub(crate) fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let before = resident()?;
    let space = space()?;
    for (method, trials) in
        [(Method::Tpe, 600), (Method::Ga, 600), (Method::Gp, 100), (Method::Random, 600)]
    {
        let begin = own_cpu()?;
        propose(&space, method, trials)?;
        let each = (own_cpu()? - begin) * 1e3 / trials as f64;
        let what = format!("{}, {trials} trials, CPU time of one", method.name());
        table.at_most(&what, each, 10.0, "ms", String::new());
    }
    let grown = resident()?.saturating_sub(before) as f64 / 1024.0;
    table.at_most("memory that the four searches add", grown, 64.0, "MiB", String::new());
    journal(bench, &space, table)?;
    settings(bench, table)
}

/// The memory that this process has taken at most, in KiB.
fn resident() -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    Ok(words.context("/proc tells no memory")?.parse()?)
}

fn model() -> anyhow::Result<Model> {
    "hopper-2048".parse().map_err(|error| anyhow::anyhow!("{error}"))
}

/// The paper's space.
fn space() -> anyhow::Result<Arc<Space>> {
    let parameters = preset("sc13-lustre", &model()?.machine(Kernel::Vpic));
    let space = Space::new(parameters.context("there is no such preset")?);
    Ok(Arc::new(space.map_err(|error| anyhow::anyhow!("{error:?}"))?))
}

/// Asks and tells.
fn propose(space: &Arc<Space>, method: Method, trials: u64) -> anyhow::Result<()> {
    let model = model()?;
    let noise = Noise::default();
    let mut searcher = method.searcher(space.clone(), 1, Population::default());
    for n in 1..=trials {
        let Some(ask) = searcher.ask(n) else { break };
        let settings = space.settings(&ask.point);
        let pairs = settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let stack = Stack::of(pairs).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let seconds = model.seconds(Kernel::Vpic, &stack) * noise.factor("bench", 1, n);
        searcher.tell(&ask.point, &ask.from, Cost::Measured(seconds));
    }
    Ok(())
}

/// Lines of a journal, and reading very many.
fn journal(bench: &Bench, space: &Space, table: &mut Table) -> anyhow::Result<()> {
    const LINES: u64 = 200;
    const MANY: u64 = 100_000;
    let path = bench.folder.join("bench.tune.jsonl");
    let start = start(space);
    let mut journal = Journal::create(&path, &start)?;
    let begin = own_cpu()?;
    for n in 1..=LINES {
        journal.append(&trial(n))?;
    }
    let each = (own_cpu()? - begin) * 1e6 / LINES as f64;
    table.at_most("a line of the journal, CPU time", each, 50.0, "µs", String::new());
    drop(journal);
    let mut text = fs::read_to_string(&path)?;
    for n in LINES + 1..=MANY {
        text.push_str(&serde_json::to_string(&trial(n))?);
        text.push('\n');
    }
    fs::write(&path, text)?;
    let begin = Instant::now();
    let found = read(&path)?;
    anyhow::ensure!(found.trials.len() as u64 == MANY, "{} trials", found.trials.len());
    let seconds = begin.elapsed().as_secs_f64();
    table.at_most("a journal of 100,000 trials is read in", seconds, 2.0, "s", String::new());
    Ok(())
}

fn start(space: &Space) -> Start {
    Start {
        schema: "ioglass.journal/1".into(),
        ioglass: env!("CARGO_PKG_VERSION").into(),
        time: String::new(),
        command: vec!["./app".into()],
        cwd: "/".into(),
        space: space.parameters().to_vec(),
        search: "tpe".into(),
        seed: 1,
        objective: "io".into(),
        direction: Direction::Min,
        budget: 600.into(),
        runner: "local".into(),
        options: serde_json::Map::new(),
        digest: String::new(),
        rest: serde_json::Map::new(),
    }
}

fn trial(n: u64) -> Line {
    let settings = [("fs.striping_factor", "64"), ("mpiio.cb_nodes", "128")];
    Line::Trial(Box::new(Trial {
        n,
        run: n,
        phase: Phase::Search,
        from: From::default(),
        settings: settings.map(|(name, value)| (name.into(), value.into())).into(),
        outcome: Outcome::Ok,
        value: Some(1.5 + n as f64 * 1e-3),
        io: Some(1.5),
        wall: 2.5,
        exit: Some(0),
        bytes: Default::default(),
        began: "2026-11-20T10:00:00Z".into(),
        load: Some(0.01),
        cached: false,
        note: None,
        told: None,
        rest: serde_json::Map::new(),
    }))
}

/// A file of settings as large as one may be.
fn settings(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    use std::fmt::Write as _;
    let mut text = "schema = \"ioglass.settings/1\"\n".to_owned();
    for number in 0.. {
        let rule =
            format!("[[for]]\nfile = \"file-{number}.h5\"\nhdf5.alignment = [4096, 65536]\n");
        if text.len() + rule.len() > 1 << 20 {
            break;
        }
        text.write_str(&rule)?;
    }
    let path = bench.folder.join("large.toml");
    fs::write(&path, &text)?;
    let least = (0..bench.runs)
        .map(|_| {
            let begin = own_cpu()?;
            let read = Settings::read(&path).map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
            anyhow::ensure!(read.all().count() > 1000, "too few settings");
            Ok((own_cpu()? - begin) * 1e3)
        })
        .collect::<anyhow::Result<Vec<f64>>>()?
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    table.at_most("a file of settings of 1 MiB is read in", least, 50.0, "ms", String::new());
    Ok(())
}

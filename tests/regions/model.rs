//! What a script of annotations should give: rows, metrics, series, tags and notices, as lines.

use std::collections::BTreeMap;

/// Names from the outermost region on.
pub(super) type Path = Vec<&'static str>;

/// An operation of a thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Enter(&'static str),
    Iterate(&'static str),
    /// By site.
    EnterSite(&'static str),
    Leave(&'static str),
    LeaveSite(&'static str),
    LeaveInnermost,
    Start(usize, &'static str),
    Stop(usize),
    Count(&'static str, i64),
    Value(&'static str, f64),
    Tag(&'static str, &'static str),
    Execution,
    Here(usize),
    Attach(usize),
    AttachWrongly,
    Detach,
    /// The thread ends.
    Quit,
}

/// Names of iterations.
pub(super) const ITERATIONS: [&str; 2] = ["step", "inner"];

/// An open visit, or with no name an attachment.
struct Visit {
    name: Option<&'static str>,
    before: Path,
}

#[derive(Default)]
struct Thread {
    number: usize,
    visits: Vec<Visit>,
    here: Path,
}

/// A metric of a region in an execution.
#[derive(Default, Clone)]
struct Metric {
    calls: u64,
    values: Vec<f64>,
    sum: i64,
    /// What was given since the last visit began or ended.
    fresh: Option<f64>,
    series: Vec<Option<f64>>,
}

impl Metric {
    /// What was given belongs to the visit with this number.
    fn note(&mut self, visit: usize) {
        let Some(fresh) = self.fresh.take() else { return };
        if self.series.len() <= visit {
            self.series.resize(visit + 1, None);
        }
        let is_count = self.values.is_empty();
        let known = self.series[visit].filter(|_| is_count).unwrap_or(0.0);
        self.series[visit] = Some(known + fresh);
    }
}

/// The figures of a region in an execution.
#[derive(Default, Clone)]
struct Row {
    calls: u64,
    open: u64,
    ended: usize,
    /// Numbers of the open visits.
    numbers: Vec<usize>,
    /// Visits that have ended, and others with a visit in them: the highest number, plus 1.
    extent: usize,
    metrics: BTreeMap<&'static str, Metric>,
}

impl Row {
    /// A visit begins.
    fn begin(&mut self) {
        if let Some(outer) = self.numbers.last() {
            self.extent = self.extent.max(outer + 1);
            self.metrics.values_mut().for_each(|metric| metric.note(*outer));
        }
        self.numbers.push(self.calls as usize);
        (self.calls, self.open) = (self.calls + 1, self.open + 1);
    }

    /// The innermost visit ends.
    fn end(&mut self) {
        let own = self.numbers.pop().unwrap();
        self.extent = self.extent.max(own + 1);
        self.metrics.values_mut().for_each(|metric| metric.note(own));
        (self.open, self.ended) = (self.open - 1, self.ended + 1);
    }

    /// Number of iterations.
    fn iterations(&self) -> usize {
        // Without a number it has none yet.
        let is_after = self.open > 0 && self.extent == self.ended;
        self.extent + usize::from(is_after)
    }
}

/// A region on one thread.
#[derive(Default)]
struct Node {
    /// The execution of its last row.
    execution: u32,
    rows: BTreeMap<u32, Row>,
    /// True for metrics that are counts.
    kinds: BTreeMap<&'static str, bool>,
    tags: BTreeMap<&'static str, &'static str>,
}

/// A process.
#[derive(Default)]
pub(super) struct Model {
    execution: u32,
    is_said: bool,
    first: Option<(usize, Path)>,
    threads: BTreeMap<usize, Thread>,
    nodes: BTreeMap<(usize, Path), Node>,
    spans: BTreeMap<usize, Option<(usize, Path)>>,
    contexts: BTreeMap<usize, Path>,
    notices: BTreeMap<String, u64>,
}

impl Node {
    /// The row that counts now. Open visits belong to the execution in which they began.
    fn row(&mut self, execution: u32) -> &mut Row {
        if self.rows.get(&self.execution).is_none_or(|row| row.open == 0) {
            self.execution = execution;
        }
        self.rows.entry(self.execution).or_default()
    }
}

impl Model {
    fn notice(&mut self, code: &str, name: &str, place: &Path) {
        let place = if place.is_empty() { "-".into() } else { place.join(" > ") };
        *self.notices.entry(format!("{code} {name} in {place}")).or_default() += 1;
    }

    fn thread(&mut self, thread: usize) -> &mut Thread {
        let next = self.threads.keys().filter(|at| **at > 0).count() + 1;
        let number = if thread == 0 { 0 } else { next };
        self.threads.entry(thread).or_insert_with(|| Thread { number, ..Thread::default() })
    }

    fn node(&mut self, number: usize, path: &Path) -> &mut Node {
        self.nodes.entry((number, path.clone())).or_default()
    }

    /// A thread begins: it has a number from now on.
    pub(super) fn begin(&mut self, thread: usize) {
        self.thread(thread);
    }

    /// All threads but the first end.
    pub(super) fn end_threads(&mut self) {
        let threads: Vec<usize> = self.threads.keys().copied().filter(|at| *at > 0).collect();
        threads.into_iter().for_each(|thread| self.act(thread, Operation::Quit));
    }

    /// Does an operation.
    pub(super) fn act(&mut self, thread: usize, operation: Operation) {
        let is_annotation = match operation {
            Operation::Stop(slot) => self.spans.contains_key(&slot),
            Operation::Quit => false,
            _ => true,
        };
        if !is_annotation && !self.threads.contains_key(&thread) {
            return;
        }
        let own = self.thread(thread);
        let (number, here) = (own.number, own.here.clone());
        match operation {
            Operation::Enter(name) | Operation::Iterate(name) | Operation::EnterSite(name) => {
                self.enter(thread, name);
            }
            Operation::Leave(name) | Operation::LeaveSite(name) => {
                match own.visits.iter().rposition(|visit| visit.name == Some(name)) {
                    Some(at) => self.end(thread, at, "out-of-order"),
                    None => self.notice("stray-leave", name, &here),
                }
            }
            Operation::LeaveInnermost => match own.visits.last() {
                Some(Visit { name: Some(_), .. }) => {
                    let last = own.visits.len() - 1;
                    self.end(thread, last, "");
                }
                _ => self.notice("stray-leave", "", &here),
            },
            Operation::Start(slot, name) => {
                let path = [&here[..], &[name]].concat();
                let execution = self.execution;
                let row = self.node(number, &path).row(execution);
                (row.calls, row.open) = (row.calls + 1, row.open + 1);
                self.spans.insert(slot, Some((number, path)));
            }
            Operation::Stop(slot) => match self.spans.insert(slot, None) {
                Some(Some((number, path))) => {
                    let node = self.node(number, &path);
                    node.rows.get_mut(&node.execution).unwrap().open -= 1;
                }
                // No span was ever there: that is 0, which is none.
                None => drop(self.spans.remove(&slot)),
                Some(None) => self.notice("stray-stop", "", &here),
            },
            Operation::Count(name, _) | Operation::Value(name, _) | Operation::Tag(name, _)
                if here.is_empty() =>
            {
                self.notice("nowhere", name, &here);
            }
            Operation::Count(name, value) => self.measure(number, &here, name, Ok(value)),
            Operation::Value(name, value) => self.measure(number, &here, name, Err(value)),
            Operation::Tag(key, text) => {
                let before = self.node(number, &here).tags.insert(key, text);
                if before.is_some_and(|before| before != text) {
                    self.notice("tag-changed", key, &here);
                }
            }
            Operation::Execution => {
                self.is_said = true;
                if self.first.is_some() {
                    self.execution += 1;
                }
            }
            Operation::Here(slot) => drop(self.contexts.insert(slot, here)),
            Operation::Attach(slot) => {
                let to = self.contexts.get(&slot).cloned().unwrap_or_default();
                let own = self.thread(thread);
                own.visits.push(Visit { name: None, before: here });
                own.here = to;
            }
            Operation::AttachWrongly => self.notice("stray-attach", "", &here),
            Operation::Detach => match own.visits.iter().rposition(|visit| visit.name.is_none()) {
                Some(at) => self.end(thread, at, "out-of-order"),
                None => self.notice("stray-attach", "", &here),
            },
            Operation::Quit if !own.visits.is_empty() => self.end(thread, 0, "left-open"),
            Operation::Quit => {}
        }
    }

    fn enter(&mut self, thread: usize, name: &'static str) {
        let own = self.thread(thread);
        let (number, here) = (own.number, own.here.clone());
        let is_outermost = own.visits.is_empty();
        let path = match here.iter().position(|known| *known == name) {
            Some(at) => here[..=at].to_vec(),
            None => [&here[..], &[name]].concat(),
        };
        own.visits.push(Visit { name: Some(name), before: here });
        own.here = path.clone();
        if is_outermost {
            let is_first = self.first.as_ref() == Some(&(number, path.clone()));
            if is_first && !self.is_said && !ITERATIONS.contains(&name) {
                self.execution += 1;
            }
            self.first.get_or_insert((number, path.clone()));
        }
        let execution = self.execution;
        self.node(number, &path).row(execution).begin();
    }

    /// Ends all visits from this one on; those inside it are noticed.
    fn end(&mut self, thread: usize, from: usize, code: &str) {
        while self.thread(thread).visits.len() > from {
            let own = self.thread(thread);
            let (number, path) = (own.number, own.here.clone());
            let visit = own.visits.pop().unwrap();
            let is_inside = own.visits.len() > from || code == "left-open";
            own.here = visit.before.clone();
            let Some(name) = visit.name else { continue };
            let node = self.node(number, &path);
            node.rows.get_mut(&node.execution).unwrap().end();
            if is_inside {
                self.notice(code, name, &visit.before);
            }
        }
    }

    fn measure(&mut self, number: usize, here: &Path, name: &'static str, given: Result<i64, f64>) {
        let execution = self.execution;
        let node = self.node(number, here);
        if *node.kinds.entry(name).or_insert(given.is_ok()) != given.is_ok() {
            node.row(execution);
            return self.notice("metric-kind", name, here);
        }
        let metric = node.row(execution).metrics.entry(name).or_default();
        metric.calls += 1;
        match given {
            Ok(count) => {
                metric.sum += count;
                metric.fresh = Some(metric.fresh.unwrap_or(0.0) + count as f64);
            }
            Err(value) if value.is_finite() => {
                metric.values.push(value);
                metric.fresh = Some(value);
            }
            Err(_) => self.notice("not-finite", name, here),
        }
    }

    /// Notices, with their numbers.
    pub(super) fn notices(&self) -> &BTreeMap<String, u64> {
        &self.notices
    }

    /// Number of executions.
    pub(super) fn executions(&self) -> u32 {
        self.execution + 1
    }

    /// Tags.
    pub(super) fn tags(&self) -> Vec<String> {
        let of = |((_, path), node): (&(usize, Path), &Node)| {
            let tags = node.tags.iter();
            tags.map(|(key, text)| format!("{}: {key} {text}", path.join(" > "))).collect()
        };
        self.nodes.iter().flat_map(|node| -> Vec<String> { of(node) }).collect()
    }

    /// Rows with metrics and series.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for ((number, path), node) in &self.nodes {
            let path = path.join(" > ");
            let is_iteration = ITERATIONS.iter().any(|name| path.ends_with(name));
            for (execution, row) in &node.rows {
                let place = format!("{path} @{number} #{execution}");
                if row.calls > 0 || !row.metrics.is_empty() {
                    lines.push(format!("{place}: calls {} open {}", row.calls, row.open));
                }
                let length = row.iterations();
                if is_iteration && length > 0 {
                    lines.push(format!("{place}: iterations {length}"));
                }
                for (name, metric) in &row.metrics {
                    lines.push(match node.kinds[name] {
                        true => format!("{place}: {name} {} sum {}", metric.calls, metric.sum),
                        false => {
                            let all = &metric.values;
                            let sum = all.iter().fold(0.0, |sum, value| sum + value);
                            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                            let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                            let last = all.last().copied().unwrap_or(f64::NAN);
                            let calls = metric.calls;
                            format!("{place}: {name} {calls} {sum} {least} {most} {last}")
                        }
                    });
                    let mut series = metric.series.clone();
                    series.resize(length, None);
                    if is_iteration && series.iter().any(Option::is_some) {
                        lines.push(format!("{place}: {name} {series:?}"));
                    }
                }
            }
        }
        lines.sort();
        lines
    }
}

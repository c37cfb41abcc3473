//! Tables: interfaces, file systems, files.

use ioglass_insight::model::{Direction, Totals};
use ioglass_insight::trace::TargetFacts;
use ioglass_insight::view::{FileGroup, FileRow, Interface, Things};
use maud::{Markup, html};

use super::Page;
use crate::number::{bytes, counted, rate, seconds, thousands};
use crate::text;

/// Storage targets that are listed.
const MOST_TARGETS: usize = 500;
/// Letters of a name in the table; a longer one loses its middle.
const NAME: usize = 300;
/// Pixels of the longest bar beside a number.
const BAR: f64 = 70.0;

impl Page<'_> {
    pub(super) fn modules(&self) -> Markup {
        let interfaces = &self.view.interfaces;
        let has = |name: &str| interfaces.iter().any(|one| one.name == name);
        html! {
            h2 { "Interfaces and file systems" }
            p class="sub" { "Seconds of the slowest " (self.who()) ", and of an average one." @if has("MPI-IO") && has("POSIX") { " Time in MPI-IO includes time in POSIX below it, so times do not add up." } }
            div class="panel" {
                h3 class="ptitle" { "What I/O cost, by interface" }
                div class="tw" { (costs(interfaces, self.who())) }
            }
            div class="two" {
                div class="panel" {
                    h3 class="ptitle" { "File systems" }
                    div class="tw" { (self.systems()) }
                }
                div class="panel" {
                    h3 class="ptitle" { "Files by use" }
                    div class="tw" { (groups(interfaces)) }
                }
            }
            div class="panel" {
                h3 class="ptitle" { "Calls" }
                div class="tw" { (calls(interfaces)) }
            }
            @if !self.view.targets.is_empty() {
                div class="panel" {
                    h3 class="ptitle" { "Storage targets " small { "OSTs, computed from the trace and the file layouts; each byte is counted once" } }
                    div class="tw" { (targets(self.view.targets)) }
                }
            }
        }
    }

    fn systems(&self) -> Markup {
        let systems = &self.view.systems;
        let most = systems.iter().map(|s| s.seconds).fold(0.0, f64::max);
        html! {
            table {
                thead { tr {
                    th scope="col" { "File system" } th scope="col" class="n" { "Time, all together" }
                    th scope="col" class="n" { "Written" } th scope="col" class="n" { "Read" }
                    th scope="col" class="n" { "Requests" } th scope="col" class="n" { "Files" }
                } }
                tbody {
                    @for system in systems {
                        tr {
                            td { (text::shorten(system.kind, 40)) " " @if !system.mount.is_empty() { code { (text::shorten(system.mount, 80)) } } }
                            td class="n" { (bar(system.seconds, most)) (seconds(system.seconds)) }
                            td class="n" { (bytes(system.written)) }
                            td class="n" { (bytes(system.read)) }
                            td class="n" { (thousands(system.requests)) }
                            td class="n" { (thousands(system.files)) }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn files(&self) -> Markup {
        let table = &self.view.files;
        let shown = table.rows.len() as u64;
        let most = table.rows.iter().map(|row| row.seconds).fold(0.0, f64::max);
        let who = if self.is_tree() { "Processes" } else { "Ranks" };
        html! {
            h2 { "Files" }
            p class="sub" {
                (counted(shown + table.more, "file or dataset", "files and datasets"))
                @if table.more > 0 {
                    ". The table lists the " (thousands(shown)) " that took most seconds; " (counted(table.more, "more file", "more files"))
                    " took less each. To list all: " code { "ioglass parse LOG" }
                }
                ". Seconds are those of the " (self.who()) " that spent most on the file."
            }
            @if table.rows.is_empty() {
                div class="panel" { p class="empty" { "No file was read, written or opened." } }
            } @else {
                div class="panel" {
                    div class="tools" {
                        input type="search" id="files-search" placeholder="Filter by name, kind, file system" aria-label="Filter files";
                        span id="files-count" aria-live="polite" { (thousands(shown)) " of " (thousands(shown)) }
                        span class="sp" {}
                        button id="files-csv" { "Save as CSV" }
                    }
                    div class="tw" {
                        table id="files-table" {
                            thead { tr {
                                th scope="col" { button { "Name" } }
                                th scope="col" class="n" aria-sort="descending" { button { "Seconds" } }
                                th scope="col" class="n" { button { "Written" } }
                                th scope="col" class="n" { button { "Read" } }
                                th scope="col" class="n" { button { "Requests" } }
                                th scope="col" class="n" { button { (who) } }
                                th scope="col" { button { "Kind" } }
                                th scope="col" { button { "Through" } }
                                th scope="col" { button { "File system" } }
                            } }
                            tbody { @for row in &table.rows { (file(row, most)) } }
                        }
                    }
                    p class="empty" id="files-none" hidden { "No file matches. " button { "Clear the filter" } }
                }
            }
        }
    }
}

fn file(row: &FileRow<'_>, most: f64) -> Markup {
    html! {
        tr {
            (name(row))
            td class="n" data-v=(row.seconds) { (bar(row.seconds, most)) (seconds(row.seconds)) }
            td class="n" data-v=(row.written) { (bytes(row.written)) }
            td class="n" data-v=(row.read) { (bytes(row.read)) }
            td class="n" data-v=(row.requests) { (thousands(row.requests)) }
            td class="n" data-v=(row.ranks) { (thousands(row.ranks)) }
            td { (row.kind) }
            td { (row.through.join(", ")) }
            td { (text::shorten(row.system, 40)) }
        }
    }
}

/// Shows a name; that of a dataset without the directories of its file.
fn name(row: &FileRow<'_>) -> Markup {
    let whole = text::shorten(row.name, NAME);
    let short = match (row.kind, whole.find(":/")) {
        ("dataset" | "variable", Some(end)) => {
            whole[..end].rfind('/').map(|start| format!("…{}", &whole[start..]))
        }
        _ => None,
    };
    match short {
        Some(short) => html! { td class="p" data-v=(whole) title=(whole) { (short) } },
        None => html! { td class="p" { (whole) } },
    }
}

/// Draws a bar beside a number.
fn bar(value: f64, most: f64) -> Markup {
    let width = if most > 0.0 { (value / most * BAR).max(1.0) } else { 1.0 };
    html! { span class="mb" style={ "width:" (format!("{width:.0}")) "px" } {} }
}

fn things(interface: &Interface<'_>, count: u64) -> String {
    match interface.things {
        Things::Files => thousands(count),
        Things::Datasets => counted(count, "dataset", "datasets"),
        Things::Variables => counted(count, "variable", "variables"),
    }
}

/// The table of seconds and bytes by interface.
fn costs(interfaces: &[Interface<'_>], who: &str) -> Markup {
    let most = interfaces.iter().map(|interface| interface.totals.slowest).fold(0.0, f64::max);
    html! {
        table id="costs" {
            thead { tr {
                th scope="col" { "Interface" } th scope="col" class="n" { "Slowest " (who) }
                th scope="col" class="n" { "reading" } th scope="col" class="n" { "writing" } th scope="col" class="n" { "metadata" }
                th scope="col" class="n" { "Average " (who) }
                th scope="col" class="n" { "Written" } th scope="col" class="n" { "Read" }
                th scope="col" class="n" { "At" } th scope="col" class="n" { "Files" }
            } }
            tbody {
                @for interface in interfaces {
                    @let totals = &interface.totals;
                    tr {
                        td { (interface.name) }
                        td class="n" { (bar(totals.slowest, most)) (seconds(totals.slowest)) }
                        td class="n" { (seconds(totals.slowest_read)) }
                        td class="n" { (seconds(totals.slowest_write)) }
                        td class="n" { (seconds(totals.slowest_meta)) }
                        td class="n" { (seconds(interface.average.iter().sum())) }
                        td class="n" { (bytes(totals.way(Direction::Write).bytes)) }
                        td class="n" { (bytes(totals.way(Direction::Read).bytes)) }
                        td class="n" { (speed(totals)) }
                        td class="n" { (things(interface, totals.files)) }
                    }
                }
            }
        }
    }
}

/// Returns bytes per second of the slowest rank; empty if nothing was moved.
fn speed(totals: &Totals) -> String {
    match totals.sum.bytes() {
        0 => String::new(),
        _ if totals.slowest <= 0.0 => String::new(),
        moved => rate(moved as f64 / totals.slowest),
    }
}

fn groups(interfaces: &[Interface<'_>]) -> Markup {
    let row = |name: &str, words: &str, group: &FileGroup| {
        html! {
            tr {
                td { (name) } td { (words) } td class="n" { (thousands(group.count)) }
                // Some interfaces do not record offsets.
                @if group.largest > 0 { td class="n" { (bytes(group.average())) } td class="n" { (bytes(group.largest)) } }
                @else { td class="n z" { "?" } td class="n z" { "?" } }
            }
        }
    };
    html! {
        table {
            thead { tr {
                th scope="col" { "Interface" } th scope="col" { "Files" } th scope="col" class="n" { "Count" }
                th scope="col" class="n" { "Average size" } th scope="col" class="n" { "Largest" }
            } }
            tbody {
                @for interface in interfaces.iter().filter(|interface| interface.things == Things::Files) {
                    @let groups = &interface.groups;
                    (row(interface.name, "all", &groups.all))
                    @for (words, group) in [("only read", &groups.read_only), ("only written", &groups.write_only), ("read and written", &groups.read_write)] {
                        @if group.count > 0 { (row("", words, group)) }
                    }
                }
            }
        }
    }
}

fn targets(targets: &[TargetFacts]) -> Markup {
    let moved = |target: &TargetFacts| target.read.saturating_add(target.written) as f64;
    let most = targets.iter().map(moved).fold(0.0, f64::max);
    let median =
        |requests: u64, value: f64| if requests == 0 { String::new() } else { rate(value) };
    html! {
        table id="targets" {
            thead { tr {
                @for word in ["OST", "Written", "Read", "Writes", "Reads", "Median rate of writes to it alone", "Median rate of reads from it alone"] {
                    th scope="col" class="n" { (word) }
                }
            } }
            tbody {
                @for target in targets.iter().take(MOST_TARGETS) {
                    tr {
                        td class="n" { (target.target) }
                        td class="n" { (bar(moved(target), most)) (bytes(target.written)) }
                        td class="n" { (bytes(target.read)) }
                        td class="n" { (thousands(target.writes)) }
                        td class="n" { (thousands(target.reads)) }
                        td class="n" { (median(target.lone_writes, target.write_rate)) }
                        td class="n" { (median(target.lone_reads, target.read_rate)) }
                    }
                }
            }
        }
        @if targets.len() > MOST_TARGETS { p class="hint" { (thousands((targets.len() - MOST_TARGETS) as u64)) " more" } }
    }
}

fn calls(interfaces: &[Interface<'_>]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Interface" } th scope="col" class="n" { "Reads" } th scope="col" class="n" { "Writes" }
                th scope="col" class="n" { "Collective" } th scope="col" class="n" { "Opens" } th scope="col" class="n" { "Stats" }
                th scope="col" class="n" { "Seeks" } th scope="col" class="n" { "Maps" } th scope="col" class="n" { "Syncs" }
                th scope="col" class="n" { "Not aligned" }
            } }
            tbody {
                @for interface in interfaces {
                    @let sum = &interface.totals.sum;
                    @let together: u64 = sum.ways.iter().map(|way| way.kinds().together()).sum();
                    tr {
                        td { (interface.name) }
                        td class="n" { (thousands(sum.way(Direction::Read).calls)) }
                        td class="n" { (thousands(sum.way(Direction::Write).calls)) }
                        @for count in [together, sum.opens, sum.stats, sum.seeks, sum.rare().mmaps, sum.rare().syncs, sum.file_misaligned] {
                            td class=(if count == 0 { "n z" } else { "n" }) { (thousands(count)) }
                        }
                    }
                }
            }
        }
    }
}

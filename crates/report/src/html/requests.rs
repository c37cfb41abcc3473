//! Requests: their sizes and their order.

use ioglass_insight::model::{CLASSES, Direction, Totals, Way};
use ioglass_insight::view::Interface;
use maud::{Markup, html};

use super::Page;
use crate::number::{bytes, counted, percent, thousands};

/// Darshan's size classes.
const CLASS_NAMES: [&str; CLASSES] = [
    "0–100 B",
    "100 B–1 KiB",
    "1–10 KiB",
    "10–100 KiB",
    "100 KiB–1 MiB",
    "1–4 MiB",
    "4–10 MiB",
    "10–100 MiB",
    "100 MiB–1 GiB",
    "1 GiB+",
];

impl Page<'_> {
    pub(super) fn requests(&self) -> Markup {
        let known = |interface: &&Interface<'_>| {
            Direction::BOTH.iter().any(|way| interface.totals.way(*way).sizes.all() > 0)
        };
        let interfaces: Vec<&Interface<'_>> = self.view.interfaces.iter().filter(known).collect();
        html! {
            h2 { "Requests" }
            p class="sub" { "Their sizes, and their order in the file." }
            @if interfaces.is_empty() {
                div class="panel" { p class="empty" { "This log has no sizes of requests." } }
            }
            div class="two" {
                @for interface in interfaces { (sizes(interface)) }
            }
        }
    }
}

/// Requests of one interface by size and order, and their most common sizes.
fn sizes(interface: &Interface<'_>) -> Markup {
    let totals = &interface.totals;
    let ways = [(Direction::Read, "k-read"), (Direction::Write, "k-write")];
    let of = |direction: Direction, class: usize| totals.way(direction).sizes.of(class);
    let all = (0..CLASSES).flat_map(|class| ways.map(|(direction, _)| of(direction, class)));
    let most = all.max().unwrap_or(0).max(1) as f64;
    let width = |count: u64| format!("flex:0 0 calc((100% - 130px) * {:.4})", count as f64 / most);
    let words = |direction: Direction, count: u64| match count {
        1 => format!("1 {}", direction.verb()),
        _ => format!("{} {}", thousands(count), direction.noun()),
    };
    html! {
        div class="panel sizes" data-sizes=(interface.name) {
            h3 class="ptitle" { (interface.name) " " small { (counted(totals.sum.calls(), "request", "requests")) ", by Darshan’s size classes" } }
            div class="bf" {
                @for (class, name) in CLASS_NAMES.iter().enumerate() {
                    @let counts = ways.map(|(direction, colour)| (direction, colour, of(direction, class)));
                    @let is_empty = counts.iter().all(|(.., count)| *count == 0);
                    span class=(if is_empty { "c z" } else { "c" }) { (name) }
                    span class="b" {
                        @for (direction, colour, count) in counts.iter().filter(|(.., count)| *count > 0) {
                            span { i class=(colour) style=(width(*count)) {} (words(*direction, *count)) }
                        }
                        @if is_empty { span class="z" { "0" } }
                    }
                }
            }
            div {
                @if totals.sum.ways.iter().any(|way| way.sequential > 0) {
                    p class="subtitle" { "Order" }
                    div class="tw" { (order(totals)) }
                }
                @if !interface.common_sizes.is_empty() {
                    p class="subtitle" { "Most common sizes" }
                    div class="tw" { (common(interface)) }
                }
            }
        }
    }
}

fn order(totals: &Totals) -> Markup {
    let share =
        |part: u64, way: &Way| percent(part.min(way.calls) as f64 / way.calls.max(1) as f64);
    html! {
        table {
            thead { tr { th scope="col" { "" } th scope="col" class="n" { "Requests" } th scope="col" class="n" { "sequential" } th scope="col" class="n" { "consecutive" } } }
            tbody {
                @for direction in Direction::BOTH {
                    @let way = totals.way(direction);
                    @if way.calls > 0 {
                        tr {
                            td { (direction.noun()) }
                            td class="n" { (thousands(way.calls)) }
                            td class="n" { (thousands(way.sequential)) ", " (share(way.sequential, way)) }
                            td class="n" { (thousands(way.consecutive)) ", " (share(way.consecutive, way)) }
                        }
                    }
                }
            }
        }
    }
}

fn common(interface: &Interface<'_>) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "Size" } th scope="col" class="n" { "Bytes" } th scope="col" class="n" { "Requests" } } }
            tbody {
                @for (size, count) in &interface.common_sizes {
                    tr { td { (bytes(*size)) } td class="n" { (thousands(*size)) } td class="n" { (thousands(*count)) } }
                }
            }
        }
    }
}

//! Sections with charts over ranks: titles, explanations, controls, and the reason for a missing one.

use ioglass_insight::Need;
use ioglass_insight::view::{HeatMap, MapMeasure, MapSource};
use maud::{Markup, html};

use super::Page;
use super::missing::remedy;
use super::time::zoom;
use crate::number::{bytes, counted, thousands};
use crate::text;

/// Files that the spatial view offers.
const MOST_FILES: usize = 200;

impl Page<'_> {
    pub(super) fn heat(&self) -> Markup {
        let maps = &self.view.heat;
        let has = |measure| maps.iter().any(|map| map.measure == measure);
        let shown = if has(MapMeasure::Bytes) { MapMeasure::Bytes } else { MapMeasure::Time };
        html! {
            h2 { "I/O by time and " (self.who()) }
            @if maps.is_empty() {
                div class="panel" { p class="empty" {
                    "This log has neither a heat map nor a trace to compute one from. To get one, " (remedy(Need::Heatmap)) "."
                } }
            } @else {
                p class="sub" {
                    "Each row is a " (self.who()) ", each column a stretch of time. The bars above sum up all " (self.whose()) ", the bars on the right all of the time. "
                    "Click a cell to open it in the timeline."
                }
                @if maps.iter().any(|map| map.source == MapSource::Trace) {
                    (self.cut("maps computed from it show only a part of the data"))
                }
                div class="tools" {
                    @if has(MapMeasure::Bytes) && has(MapMeasure::Time) {
                        span class="seg" role="group" aria-label="Show" {
                            button data-heat="bytes" aria-pressed="true" { "Bytes" }
                            button data-heat="time" aria-pressed="false" { "Time in calls" }
                        }
                    }
                    span class="leg" {
                        @if has(MapMeasure::Bytes) { span data-measure="bytes" hidden[shown != MapMeasure::Bytes] { "0 " i class="ramp" {} " most in one cell; square-root scale, each map its own" } }
                        @if has(MapMeasure::Time) { span data-measure="time" hidden[shown != MapMeasure::Time] { "0 % " i class="ramp" {} " 100 % of a cell’s time" } }
                    }
                }
                div class="two maps" {
                    @for (i, map) in maps.iter().enumerate() { (self.heat_map(i, map, map.measure == shown)) }
                }
            }
        }
    }

    fn heat_map(&self, number: usize, map: &HeatMap, is_shown: bool) -> Markup {
        let measure = if map.measure == MapMeasure::Bytes { "bytes" } else { "time" };
        let source = match map.source {
            MapSource::Heatmap => "",
            MapSource::Trace => ", from the trace",
        };
        html! {
            div class="panel" data-measure=(measure) hidden[!is_shown] {
                div class="ptitle" { (map.name) " " small { (self.rows_in_words(&map.rows)) (source) } }
                canvas id={ "heat-" (number) } tabindex="0" role="img"
                    aria-label={ "Heat map of " (map.name) ", " (measure) " by time and " (self.who()) ". Arrow keys move from cell to cell. The table below has its sums." } {}
                details id={ "heat-" (number) "-table" } { summary { "Sums over time as a table" } div class="tw" {} }
            }
        }
    }

    pub(super) fn space(&self) -> Markup {
        let Some(traced) = self.view.traced.as_ref() else {
            let is_traced = self.diagnosis.subject.is_traced == Some(true);
            let why = if is_traced { "no call was traced" } else { "this log has no trace" };
            return self.missing_space(why);
        };
        let offers = |file: &usize| match traced.is_whole {
            true => traced.files[*file].extent > 0,
            false => traced.spaces.iter().any(|space| space.file as usize == *file),
        };
        let offered: Vec<usize> = (0..traced.files.len()).filter(offers).take(MOST_FILES).collect();
        if offered.is_empty() {
            return self.missing_space("its trace has no offsets");
        }
        let lanes: Vec<&str> = traced.lanes.iter().map(|lane| lane.name).collect();
        let first = lanes.last().copied();
        let more = traced.files.len() - offered.len();
        html! {
            h2 { "Where in the file" }
            p class="sub" {
                "File offsets by " (self.who()) ", or over time from top to bottom. The strip above counts how often each part was touched; "
                "red parts were touched more than once. Below, red marks bytes that another " (self.who()) " had touched before."
            }
            (self.cut("calls may have touched further parts of files"))
            div class="panel" {
                div class="tools" {
                    label { "File " select id="space-file" {
                        @for file in &offered { option value=(file) { (text::shorten_path(traced.files[*file].name, 60)) " · " (bytes(traced.files[*file].bytes)) } }
                    } }
                    @if more > 0 { span { (counted(more as u64, "more file", "more files")) } }
                    @if lanes.len() > 1 {
                        span class="seg" role="group" aria-label="Layer" {
                            @for lane in &lanes { button data-lane=(lane) aria-pressed=(if Some(*lane) == first { "true" } else { "false" }) { (lane) } }
                        }
                    }
                    span class="seg" role="group" aria-label="Direction" {
                        button data-way="written" aria-pressed="true" { "Written" }
                        button data-way="read" aria-pressed="false" { "Read" }
                    }
                    span class="seg" role="group" aria-label="From top to bottom" {
                        button data-down="rank" aria-pressed="true" { "By " (self.who()) }
                        button data-down="time" aria-pressed="false" { "Over time" }
                    }
                    (zoom("space"))
                    button id="space-reset" disabled { "Reset" }
                    span class="sp" {}
                    span class="leg" { span { i class="k-ext" {} "first" } span { i class="k-cost" {} "again, after another " (self.who()) } }
                }
                canvas id="space-chart" tabindex="0" role="img"
                    aria-label={ "File offset by " (self.who()) " or over time. Arrow keys pan, plus and minus zoom, 0 resets. The table of files has each file’s sums." } {}
                p class="hint" { span id="space-detail" {} }
            }
        }
    }

    pub(super) fn rank_costs(&self) -> Markup {
        let costs = &self.view.ranks;
        let who = self.who();
        html! {
            h2 { "What I/O cost each " (who) }
            @if costs.is_empty() {
                div class="panel" { p class="empty" {
                    @if self.diagnosis.subject.ranks > 1 {
                        "This log cannot tell ranks apart: the records of shared files are sums over all ranks. The slowest and the average rank are in "
                        a href="#modules" { "Interfaces" } ". " (self.to_see("each rank"))
                    } @else { "No call took measurable time." }
                } }
            } @else {
                p class="sub" {
                    "Seconds of each " (who) " in calls, by interface. The dashed line is the mean. "
                    @if costs.iter().any(|costs| !costs.is_traced) { "Files with one record for all " (self.whose()) " are left out. " }
                }
                div class="two" {
                    @for (i, costs) in costs.iter().enumerate() {
                        div class="panel" {
                            div class="ptitle" {
                                (costs.name) " "
                                small {
                                    @if costs.per_bar > 1 { "a bar is the slowest of " (thousands(costs.per_bar)) } @else { (self.ranks(costs.bars.len() as u64)) }
                                    @if costs.is_traced { ", from the trace: no metadata" }
                                }
                            }
                            canvas id={ "ranks-" (i) } tabindex="0" role="img" aria-label={ "Seconds by " (who) " in " (costs.name) ". Arrow keys move from bar to bar. The table below has the same numbers." } {}
                            div class="leg" { span { i class="k-data" {} "reads and writes" } @if !costs.is_traced { span { i class="k-meta" {} "metadata" } } }
                            details id={ "ranks-" (i) "-table" } { summary { "As a table" } div class="tw" {} }
                        }
                    }
                }
            }
        }
    }
}

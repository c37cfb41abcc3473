//! What the TinyProf paper promises, its known traps, and the tests that hold regions to them.
//!
//! Annotations:
//!
//! | | what | tests |
//! |---|---|---|
//! | A1 | a block is a region, however it is left | `regions::mistakes::guards_end_with_their_block` |
//! | A2 | a name is enough | `regions::paths::regions_nest` |
//! | A3 | a hint says whether all ranks come | `regions::probes::hints_are_compared_with_what_happened` |
//! | A4 | loop mode and values of metrics | `regions::probes::metrics_may_be_absent_zero_or_negative` |
//! | A5 | every iteration, or their sum | `regions::figures::iterations_are_kept_one_by_one`, `regions::probes::metrics_may_be_absent_zero_or_negative` |
//! | A6 | metrics are optional in each visit | `regions::probes::metrics_may_be_absent_zero_or_negative` |
//! | A7 | flush writes all there is, collectively | `regions::together::when_asked_any_number_of_times`, `regions::together::when_a_command_runs_them` |
//! | A8 | libraries need not know each other | `annotations::life::plug_ins_come_and_go`, `annotations::found::the_runtime_is_asked_once` |
//! | A9 | nesting without limit, names by parent | `regions::paths::regions_nest`, `regions::limits::paths_end_somewhere` |
//! | A10 | nothing is done where nothing is annotated | `regions::ends::without_regions_there_is_no_profile`, `annotations::found::without_a_runtime_nothing_happens` |
//! | A11 | threads beside ranks | `regions::processes::threads_have_trees_of_their_own`, `regions::processes::a_crowd_loses_nothing` |
//!
//! The program as a whole:
//!
//! | | what | tests |
//! |---|---|---|
//! | P1 | one profiler | `annotations::spellings::the_runtime_is_told_what_the_program_says` |
//! | P2 | it names the profile | `regions::figures::metrics_and_tags`, `regions::ends::the_profile_goes_where_it_is_asked_for` |
//! | P3 | snapshots by time | `regions::files::snapshots_show_a_run_that_goes_on`, `regions::probes::snapshots_wait_for_nobody` |
//! | P4 | a list of metrics | `regions::probes::metrics_may_be_absent_zero_or_negative` |
//! | P5 | texts of regions, values of visits | `regions::probes::metrics_may_be_absent_zero_or_negative`, `regions::figures::metrics_and_tags` |
//! | P6 | paths and times by themselves | `regions::paths::regions_nest` |
//! | P7 | tags group regions | `profiles::screens::a_screen_shows_where_the_time_went`, `regions::figures::metrics_and_tags` |
//! | P8 | ranks are found | `regions::ranks::ranks_have_what_they_were_in` |
//! | P9 | the number of files is a setting | `regions::together::in_several_files`, `regions::files::ranks_share_files` |
//!
//! The runtime:
//!
//! | | what | tests |
//! |---|---|---|
//! | R1 | paths follow from nesting | `regions::paths::regions_nest`, `regions::random::random_programs_have_the_profile_of_their_model` |
//! | R2 | executions are found | `regions::figures::the_first_region_begins_executions`, `regions::probes::repeated_calls_are_one_execution` |
//! | R3 | one row for a path | `regions::random::random_programs_have_the_profile_of_their_model` |
//! | R4 | a second visit adds to it | `regions::figures::iterations_are_kept_one_by_one` |
//! | R5 | paths give the tree back | `profiles::tools::hatchet_does_what_people_do` |
//! | R6 | killed programs leave their figures | `regions::together::a_flush_outlives_the_ranks`, `regions::kills::ranks_of_open_mpi_are_killed`, `regions::kills::ranks_of_mpich_are_killed` |
//! | R7 | the cost is told | `regions::paths::regions_nest`, `profiles::screens::a_screen_shows_where_the_time_went` |
//! | R8 | always on | `annotations::found::without_a_runtime_nothing_happens` |
//!
//! Ranks together:
//!
//! | | what | tests |
//! |---|---|---|
//! | T1 | what some ranks lack is absent there | `regions::probes::what_one_rank_visits_is_there` |
//! | T2 | a name is the same on all ranks | `regions::probes::the_order_of_first_use_does_not_matter` |
//! | T3 | absent is not zero | `profiles::formats::hatchet_has_a_row_for_every_region_and_rank`, `regions::probes::what_one_rank_visits_is_there` |
//! | T4 | ranks may have any amount | `regions::probes::iterations_may_differ_by_rank_and_execution`, `regions::random::random_ranks_have_the_profile_of_their_models` |
//! | T5 | groups of consecutive ranks | `regions::together::in_several_files` |
//! | T6 | rows come back from any part | `profiles::files::a_manifest_reads_as_the_whole`, `regions::together::over_several_nodes` |
//! | T7 | one file per group | `regions::together::in_several_files` |
//! | T8 | any number of files | `regions::together::in_several_files` |
//! | T9 | one way for flush and end | `regions::together::at_the_end_of_mpi`, `regions::together::when_asked_any_number_of_times` |
//! | T10 | cost stays flat | `profiles::files::an_overview_of_16384_ranks_reads_kilobytes` |
//!
//! Files:
//!
//! | | what | tests |
//! |---|---|---|
//! | F1 | the paper's text | `profiles::formats::text_of_tinyprof_comes_back` |
//! | F2 | its separators | `profiles::formats::text_of_tinyprof_comes_back` |
//! | F3 | texts stand once | `profiles::formats::text_of_tinyprof_comes_back` |
//! | F4 | a table of names | `profiles::formats::text_of_tinyprof_comes_back` |
//! | F5 | other tools read it | `profiles::tools::hatchet_does_what_people_do`, `profiles::tools::caliper_reader_reads_cali`, `profiles::tools::go_reads_pprof`, `profiles::tools::speedscope_reads_it` |
//! | F6 | times and iterations in one file | `regions::figures::iterations_are_kept_one_by_one` |
//! | F7 | it is small | `profiles::files::an_iteration_takes_two_bytes`, `profiles::files::an_overview_of_16384_ranks_reads_kilobytes` |
//!
//! Traps in which profiles by position fell:
//!
//! | trap | tests |
//! |---|---|
//! | a leaf below what one rank alone visits | `regions::probes::what_one_rank_visits_is_there` |
//! | names first used in another order | `regions::probes::the_order_of_first_use_does_not_matter` |
//! | executions with different numbers of iterations | `regions::probes::iterations_may_differ_by_rank_and_execution` |
//! | several calls in an execution | `regions::probes::repeated_calls_are_one_execution` |
//! | snapshots where ranks leave a different number of times | `regions::probes::snapshots_wait_for_nobody` |
//! | fewer ranks than a file is for | `regions::probes::what_one_rank_visits_is_there` |
//! | children with more time than their parent | `regions::random::random_ranks_have_the_profile_of_their_models` |
//!
//! Further:
//!
//! | what | tests |
//! |---|---|
//! | 1, 2, 3, 5, 8, 16 and 17 ranks | `regions::probes::what_one_rank_visits_is_there` |
//! | first seen in a later execution | `regions::probes::iterations_may_differ_by_rank_and_execution` |
//! | names with all separators | `profiles::formats::hostile_names_are_harmless_everywhere`, `regions::paths::names_are_any_bytes` |
//! | zero, absent, negative | `regions::probes::metrics_may_be_absent_zero_or_negative` |
//! | more than 2³² ns | `profiles::screens::json_is_as_the_contract_says` |
//! | iterations in bounded memory | `regions::figures::long_series_are_put_together` |
//! | deep recursion | `regions::limits::recursion_may_be_deep` |
//! | threads | `regions::processes::a_crowd_loses_nothing` |
//! | leaves out of order | `regions::paths::wrong_leaves_are_repaired` |
//! | exceptions | `regions::mistakes::guards_end_with_their_block` |
//! | kills | `regions::kills::ranks_of_open_mpi_are_killed`, `regions::kills::ranks_of_mpich_are_killed` |
//! | `MPI_Abort` | `regions::probes::aborted_ranks_are_there` |
//! | flush twice, after the end of MPI, from any thread | `regions::together::when_asked_any_number_of_times`, `regions::together::at_the_end_of_mpi`, `regions::together::from_any_thread` |
//! | no MPI | `regions::paths::regions_nest` |
//! | any program | `regions::random::random_programs_have_the_profile_of_their_model` |
//! | text comes back | `profiles::formats::text_of_tinyprof_comes_back` |
//! | Hatchet | `profiles::tools::hatchet_does_what_people_do` |

use std::collections::BTreeSet;
use std::process::Command;

/// The names in backquotes in rows of tables that look like tests.
pub(crate) fn named(source: &str) -> BTreeSet<String> {
    let rows = source.lines().filter(|line| line.starts_with("//! |"));
    let words = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    words.filter(|word| word.contains("::")).map(str::to_owned).collect()
}

#[test]
fn tests_that_are_named_exist() {
    let capabilities = named(include_str!("capabilities.rs"));
    let mistakes = named(include_str!("mistakes.rs"));
    assert!(capabilities.len() > 30 && mistakes.len() > 10, "{capabilities:?} {mistakes:?}");
    let mistakes = mistakes.iter().map(|test| format!("regions::{test}"));
    let missing = missing(capabilities.into_iter().chain(mistakes));
    assert!(missing.is_empty(), "{missing:?}");
}

/// Those of these tests that do not exist.
pub(crate) fn missing(names: impl Iterator<Item = String>) -> Vec<String> {
    let list = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let tests: BTreeSet<&str> =
        list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    names.filter(|test| !tests.contains(test.as_str())).collect()
}

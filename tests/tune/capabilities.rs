//! What the SC13 paper promises, the faults of its code, and the tests that hold settings and searches to
//! them. Names without `::` are tests inside the crates.
//!
//! | | what | tests |
//! |---|---|---|
//! | C1 | XML with three sections | `settings::inject::figure_5_as_it_is_printed`, c1_to_c4_figure_5_is_read_and_the_specific_rule_wins |
//! | C2 | specific beats general, in any order | `settings::inject::figure_5_as_it_is_printed`, specificity_decides_and_not_the_order |
//! | C3 | blanks anywhere | `settings::inject::figure_5_as_it_is_printed` |
//! | C4 | settings of one dataset | `settings::inject::force_and_respect` |
//! | C6 | settings of a trial as a file, also as XML | `tune::model::a_search_ends_with_a_proven_gain_and_its_settings`, `settings::command::both_forms_say_the_same` |
//! | C7 | a preloaded library, no change of the program | `settings::inject::settings_reach_files_datasets_and_transfers` |
//! | C8 | hints and properties of a file that is made | `settings::inject::settings_reach_files_datasets_and_transfers` |
//! | C9 | chunks of datasets | `settings::inject::settings_reach_files_datasets_and_transfers`, `tune::results::c9_hdf5_under_mpich_is_read_back`, `tune::results::c9_hdf5_under_open_mpi_is_read_back` |
//! | C10 | three layers | `settings::inject::settings_reach_files_datasets_and_transfers` |
//! | C11 | it costs next to nothing | the benchmark `ioglass-bench-tune` |
//! | C12 | a new parameter is one row | a_new_parameter_is_one_row |
//! | C13 | a space in, the best settings out | `tune::model::c13_the_space_is_a_list_of_values_and_the_result_the_best_of_them` |
//! | C14 | 15 individuals, 40 generations, 600 runs | `tune::model::c14_c16_the_genetic_algorithm_of_the_paper_makes_600_individuals` |
//! | C15 | what is small is time, the injector's included | `tune::logs::f7_reads_and_c23_bandwidth_are_measured` |
//! | C16 | elites, crossover, mutation | `tune::model::c14_c16_the_genetic_algorithm_of_the_paper_makes_600_individuals` |
//! | C17 | the best settings are stored | `tune::model::c17_the_best_settings_are_stored_and_c22_the_space_can_be_edited` |
//! | C22 | the space can be edited | `tune::model::c17_the_best_settings_are_stored_and_c22_the_space_can_be_edited` |
//! | C23 | bandwidth, default beside tuned | `tune::logs::f7_reads_and_c23_bandwidth_are_measured` |
//! | C24 | one layer at a time | `tune::model::c24_each_layer_is_run_alone` |
//! | C25 | what each value goes along with | `tune::model::c25_marginal_effects_come_from_the_journal` |
//! | C26 | gains by platform, kernel and scale | thirty_runs_find_what_there_is_to_find |
//! | F1 | a store of motifs, filled by searches | `tune::motifs::f1_what_helped_is_remembered_and_tried_first` |
//! | F2 | settings by the motif of a run | `tune::motifs::f2_a_run_takes_what_helped_its_like`, `tune::motifs::f3_what_changes_data_or_is_not_proven_is_not_taken` |
//! | F3 | a health check | `tune::motifs::f3_a_health_check_runs_all_kernels` |
//! | F4 | mutation by effect | f4_genes_with_effect_are_drawn_again_more_often |
//! | F5 | Gaussian processes | thirty_runs_find_what_there_is_to_find |
//! | F6 | interference is seen during a search | a_busy_host_is_given_up, a_known_optimum_is_found_through_noise |
//! | F7 | reads | `tune::logs::f7_reads_and_c23_bandwidth_are_measured` |
//!
//! Faults of H5Tuner:
//!
//! | | fault | tests |
//! |---|---|---|
//! | 2 | Figure 5 crashes it | `settings::inject::figure_5_as_it_is_printed` |
//! | 3 | the last element wins | `settings::inject::figure_5_as_it_is_printed` |
//! | 4 | it crashes without a file | `settings::inject::a_damaged_line_changes_nothing`, `settings::command::bad_settings_run_nothing` |
//! | 5 | files without MPI-IO cannot be made | `settings::inject::serial_files_stay_as_they_are_unless_asked` |
//! | 6 | filters and fill values are dropped | `settings::inject::settings_reach_files_datasets_and_transfers`, `settings::inject::force_and_respect` |
//! | 7 | the name of the file is written over | `settings::inject::old_names_change_no_path` |
//! | 8 | sizes are cut off | nothing_is_cut_off_or_guessed |
//! | 10 | the program's lists are changed | `settings::inject::settings_reach_files_datasets_and_transfers` |
//! | 12 | values arrive, and nobody looks whether they have an effect | `tune::walk::from_a_finding_of_gcrm_to_its_proof`, `settings::streams::streams_get_buffers_and_files_stay_the_same` |

use crate::regions::capabilities::{missing, named};

#[test]
fn tests_that_are_named_exist() {
    let names = named(include_str!("capabilities.rs"));
    assert!(names.len() > 15, "{names:?}");
    let missing = missing(names.into_iter());
    assert!(missing.is_empty(), "{missing:?}");
}

//! What the model says of a kernel: `--model`.

use std::fs;

use serde_json::Value;

use super::{folder, outcome, run, text, words};

/// Settings files, one after the other: none, for collective writes, for independent ones.
const SETTINGS: [&str; 3] = [
    "",
    "[fs]\nstriping_factor = 64\nstriping_unit = \"32MiB\"\n[mpiio]\ncb_nodes = 96\n\
     cb_buffer_size = \"32MiB\"\n[hdf5]\nalignment = [4096, 65536]\n",
    "[fs]\nstriping_factor = 8\nstriping_unit = \"4MiB\"\n[mpiio]\ncb_nodes = 2048\n\
     cb_buffer_size = \"4MiB\"\n[hdf5]\nalignment = [0, 4096]\nchunk_bytes = 150059981\n",
];

/// Model, kernel, bytes, and MB/s with each of the settings, as the reference implementation has them.
const KNOWN: &[(&str, &str, u64, [f64; 3])] = &[
    (
        "hopper-2048",
        "vpic",
        549755813888,
        [406.68907776789086, 12822.774091693274, 1928.6264259048617],
    ),
    (
        "hopper-2048",
        "vorpal",
        589824000000,
        [384.6708439069783, 12526.109491934783, 1921.7986752466975],
    ),
    (
        "hopper-2048",
        "gcrm",
        697932185600,
        [392.29907683793783, 12890.303343911028, 1950.4669777684512],
    ),
    (
        "stampede-4096",
        "vpic",
        1099511627776,
        [469.2799467559135, 12750.945272352896, 922.2192897250284],
    ),
    (
        "stampede-4096",
        "gcrm",
        2791728742400,
        [157.16664363810258, 7705.831549634554, 847.1630636571086],
    ),
    (
        "intrepid-2048",
        "vorpal",
        589824000000,
        [2587.5475530182025, 2056.095727243728, 30.06001078636091],
    ),
];

#[test]
fn the_command_says_what_the_reference_says() {
    let folder = folder("model", None);
    for (model, kernel, bytes, rates) in KNOWN {
        for (settings, expected) in SETTINGS.iter().zip(rates) {
            fs::write(folder.join("s.toml"), settings).unwrap();
            let arguments = [kernel, "--model", model, "--settings", "s.toml", "--json"];
            let ours = outcome(&words(None, 1, &arguments), &folder);
            let rate = ours["bandwidth_mb_s"].as_f64().unwrap();
            let apart = (rate / expected - 1.0).abs();
            assert!(apart < 1e-6, "{model} {kernel} {settings}: {rate}, {expected}");
            assert_eq!(ours["bytes"], *bytes);
            assert_eq!(ours["model"], *model);
            assert_eq!(ours["verified"], Value::Null);
        }
    }
}

#[test]
fn the_model_is_called_a_model() {
    let folder = folder("model-words", None);
    let said = run(&words(None, 1, &["vpic", "--model", "hopper-2048"]), &folder);
    let said = text(&said.stdout);
    assert!(
        said.starts_with("model hopper-2048: vpic: 2,048 ranks wrote 549,756 MB in "),
        "{said}"
    );
}

#[test]
fn settings_that_the_model_has_no_use_for_are_told() {
    let folder = folder("model-settings", None);
    let rows = [
        ("[mpiio]\nromio_cb_write = \"enable\"\n", "s.toml:2: the model knows no mpiio.romio"),
        ("[mpiio]\ncb_node = 2\n", "did you mean cb_nodes?"),
    ];
    for (settings, problem) in rows {
        fs::write(folder.join("s.toml"), settings).unwrap();
        let arguments = ["gcrm", "--model", "hopper-2048", "--settings", "s.toml"];
        let output = run(&words(None, 1, &arguments), &folder);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(problem), "{said}");
    }
}

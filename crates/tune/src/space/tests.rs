//! Tests of spaces.

use std::fs;
use std::path::PathBuf;

use super::*;

const ALL: Machine =
    Machine { romio: true, open_mpi: true, interpreter: true, collective: true, targets: None };

fn of_preset(name: &str, machine: Machine) -> Space {
    Space::new(preset(name, &machine).unwrap()).unwrap()
}

fn of_text(test: &str, text: &str) -> Result<Space, String> {
    let folder = std::env::temp_dir().join(format!("ioglass-space-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path: PathBuf = folder.join(format!("{test}.toml"));
    fs::write(&path, text).unwrap();
    let space = match read(&path) {
        Ok(parameters) => Space::new(parameters).map_err(|error| error.to_string()),
        Err(problems) => Err(problems.list[0].to_string().replace(&*folder.to_string_lossy(), "")),
    };
    fs::remove_file(&path).unwrap();
    space
}

#[test]
fn spaces_of_the_paper_have_its_sizes() {
    let lustre = Machine { targets: Some(156), collective: true, ..Machine::default() };
    assert_eq!(of_preset("sc13-lustre", lustre).size(), 15_680);
    let independent = Machine { collective: false, ..lustre };
    assert_eq!(of_preset("sc13-lustre", independent).size(), 28_000);
    assert_eq!(of_preset("sc13-gpfs", lustre).size(), 6_272);
    assert_eq!(of_preset("sc13-gpfs", independent).size(), 350);
    let names: Vec<_> =
        of_preset("sc13-lustre", lustre).parameters().iter().map(|one| one.name.clone()).collect();
    assert_eq!(
        names,
        ["fs.striping_factor", "fs.striping_unit", "mpiio.cb_nodes", "hdf5.alignment"]
    );
}

#[test]
fn only_distinct_settings_count() {
    // Chunks 5, with fill times 1 + 4·2; transfer 2, alignment 3, buffer 5, nodes 4.
    let plain = of_preset("local", Machine::default());
    assert_eq!(plain.size(), 9 * 2 * 3 * 5 * 4);
    assert_eq!(of_preset("local", ALL).size(), 9 * 2 * 3 * 5 * 4 * 3 * 3 * 2 * 4);
    let all = plain.all(10_000).unwrap();
    assert_eq!(all.len() as u64, plain.size());
    let mut distinct: Vec<_> = all.iter().map(|point| plain.settings(point)).collect();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len());
    assert!(plain.all(10).is_none());
}

#[test]
fn settings_are_what_differs_and_lead_back_to_the_point() {
    for space in [of_preset("local", ALL), of_preset("sc13-lustre", ALL), of_preset("libc", ALL)] {
        assert!(space.settings(&space.default_point()).is_empty());
        let mut random = Random::new(1, "test", 0);
        for _ in 0..200 {
            let point = space.random(&mut random);
            assert!(space.is_searched(&point));
            let settings = space.settings(&point);
            assert_eq!(space.point(&settings), Some(point));
        }
    }
    let space = of_preset("sc13-lustre", ALL);
    assert!(!space.is_searched(&space.default_point()), "the paper's space proposes no default");
    let unknown = Settings::from([("fs.striping_factor".into(), "5".into())]);
    assert_eq!(space.point(&unknown), None);
}

#[test]
fn tied_parameters_follow() {
    let space = of_preset("sc13-lustre", ALL);
    let settings = space.settings(&[0, 2, 0, 0]);
    assert_eq!(settings["fs.striping_unit"], "4194304");
    assert_eq!(settings["mpiio.cb_buffer_size"], "4194304");
    let nodes = |machine| {
        let space = of_preset("local", machine);
        let mut point = space.default_point();
        point[space.place("mpiio.cb_nodes").unwrap()] = 3;
        space.settings(&point)
    };
    assert_eq!(nodes(ALL)["mpiio.cb_config_list"], "*:4");
    assert!(!nodes(Machine::default()).contains_key("mpiio.cb_config_list"), "ROMIO's alone");
}

#[test]
fn what_depends_on_others_has_its_default_without_them() {
    let space = of_preset("local", ALL);
    let (chunk, fill) =
        (space.place("hdf5.chunk_bytes").unwrap(), space.place("hdf5.fill_time").unwrap());
    let mut point = space.default_point();
    point[fill] = 1;
    assert_eq!(space.settle(point.clone()), space.default_point());
    point[chunk] = 1;
    assert_eq!(space.settle(point.clone()), point);
}

#[test]
fn a_part_of_a_space() {
    let of = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        only(preset("local", &ALL).unwrap(), &names)
            .map(|kept| kept.into_iter().map(|one| one.name).collect::<Vec<_>>())
    };
    assert_eq!(of(&["env", "hdf5.transfer"]).unwrap().len(), 3);
    // Without chunks there is no fill time to choose.
    assert_eq!(of(&["hdf5.fill_time"]).unwrap(), [""; 0]);
    assert!(of(&["libc"]).unwrap_err().starts_with("the space has no parameter of layer 'libc'"));
    assert!(of(&["cb_nodes"]).unwrap_err().starts_with("the space has no parameter 'cb_nodes'"));
}

#[test]
fn a_file_says_a_space() {
    let space = of_text(
        "whole",
        r#"schema = "ioglass.space/1"
[[param]]
name = "hdf5.alignment"
values = ["default", [4096, "64K"], "0,1"]
[[param]]
name = "mpiio.cb_nodes"
values = [1, 2, 4]
default = 2
tie = ["mpiio.cb_config_list=*:{}"]
[[param]]
name = "mpiio.cb_buffer_size"
values = ["1M", "4M"]
when = { "mpiio.cb_nodes" = [1, 4], "hdf5.alignment" = "set" }
"#,
    )
    .unwrap();
    assert_eq!(space.parameters()[0].values, ["default", "4096,65536", "0,1"]);
    // Of 9 pairs 4 have two buffers.
    assert_eq!(space.size(), 9 + 4);
    // The default of nodes is a value: it is applied, and does not differ.
    let point = space.default_point();
    assert!(space.settings(&point).is_empty());
    assert_eq!(space.applied(&point)["mpiio.cb_nodes"], "2");
    assert_eq!(space.applied(&point)["mpiio.cb_config_list"], "*:2");
}

#[test]
fn a_bad_file_gets_an_error_with_place_and_reason() {
    let rows = [
        ("schema = \"ioglass.space/2\"", "/bad.toml:1: schema is not \"ioglass.space/1\""),
        ("x = 1", "/bad.toml:1: unknown field `x`, expected `schema` or `param`"),
        ("[[param]\n", "/bad.toml:1: unclosed array table, expected `]`"),
        (
            "\n[[param]]\nname = \"mpiio.cb_node\"\nvalues = [1, 2]",
            "/bad.toml:3: no parameter 'cb_node' in [mpiio]; did you mean cb_nodes?",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1,\n -2]",
            "/bad.toml:4: mpiio.cb_nodes = '-2': expected a number, 1 to 65536",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_buffer_size\"\nvalues = [1024, \"1K\"]",
            "/bad.toml:2: mpiio.cb_buffer_size has the value 1024 twice",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1]\ndefault = 1",
            "/bad.toml:2: mpiio.cb_nodes has one value; two are the least",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = []",
            "/bad.toml:3: mpiio.cb_nodes has no values",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [[[1]], 2]",
            "/bad.toml:3: a value of mpiio.cb_nodes is a number, a text, true, false or a list",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]\ntie = [\"mpiio.x\"]",
            "/bad.toml:2: mpiio.x is tied to mpiio.cb_nodes: there is no such parameter",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]\n\
             [[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]",
            "/bad.toml:5: mpiio.cb_nodes is given twice",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]\nwhen = { cb_buffer_size = \"set\" }",
            "mpiio.cb_nodes depends on cb_buffer_size, which is not in the space; \
             did you mean mpiio.cb_buffer_size?",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]\n\
             when = { \"mpiio.cb_buffer_size\" = \"set\" }\n\
             [[param]]\nname = \"mpiio.cb_buffer_size\"\nvalues = [1, 2]\n\
             when = { \"mpiio.cb_nodes\" = 1 }",
            "conditions go round in a circle: mpiio.cb_nodes, mpiio.cb_buffer_size",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]\n\
             [[param]]\nname = \"mpiio.cb_buffer_size\"\nvalues = [1, 2]\n\
             when = { \"mpiio.cb_nodes\" = 3 }",
            "mpiio.cb_buffer_size depends on mpiio.cb_nodes = 3, which is none of its values",
        ),
        (
            "[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [1, 2]\ntie = [\"mpiio.cb_buffer_size\"]\n\
             [[param]]\nname = \"mpiio.cb_buffer_size\"\nvalues = [1, 2]",
            "mpiio.cb_buffer_size is tied to mpiio.cb_nodes, and is given a value elsewhere, too",
        ),
        ("", "the space is empty: no parameter has two values to choose from"),
    ];
    for (text, error) in rows {
        assert_eq!(of_text("bad", text).map(|space| space.size()), Err(error.to_owned()), "{text}");
    }
}

#[test]
fn placeholders_are_arguments() {
    let parameter = argument("bs=64k,1M").unwrap();
    assert_eq!((parameter.name.as_str(), parameter.default.as_str()), ("cmd.bs", "64k"));
    let space = Space::new(vec![parameter]).unwrap();
    assert_eq!(space.applied(&space.default_point())["cmd.bs"], "64k");
    assert_eq!(space.axes()[0].dimensions(), 1, "sizes lie on a line");
    for (text, error) in [
        ("bs", "'bs' is not NAME=V1,V2,…"),
        ("=1,2", "'' is no name of a placeholder"),
        ("b s=1,2", "'b s' is no name of a placeholder"),
        ("bs=1", "bs has one value; two are the least to choose from"),
        ("bs=1,1", "bs has the value '1' twice"),
    ] {
        assert_eq!(argument(text), Err(error.to_owned()));
    }
}

#[test]
fn values_are_places_on_a_line_or_words() {
    let axis = |values: &[&str]| Axis::new(&Parameter::plain("cmd.x", values));
    let sizes = axis(&["default", "1024", "1048576"]);
    assert_eq!(sizes.coordinates, [None, Some(vec![0.0]), Some(vec![1.0])]);
    let pairs = axis(&["0,1", "0,4096", "1024,65536"]);
    assert_eq!(pairs.dimensions(), 2);
    assert_eq!(axis(&["1,4", "1,8"]).dimensions(), 1, "the first number is always the same");
    for words in [&["true", "false"][..], &["1", "x"], &["1,2", "3"], &["NaN", "1"]] {
        assert_eq!(axis(words).dimensions(), 0, "{words:?}");
    }
}

#[test]
fn a_space_has_limits() {
    let many = |count: usize| -> Vec<Parameter> {
        (0..count).map(|n| Parameter::plain(&format!("cmd.p{n}"), &["1", "2"])).collect()
    };
    assert_eq!(Space::new(many(64)).unwrap().size(), u64::MAX, "as many as can be said");
    assert_eq!(Space::new(many(65)).unwrap_err(), SpaceError::Parameters(65));
    let mut entangled = many(64);
    for (n, parameter) in entangled.iter_mut().enumerate().skip(1) {
        let before = Needs::Values(vec!["1".into(), "2".into()]);
        parameter.when.insert(format!("cmd.p{}", n - 1), before);
    }
    assert_eq!(Space::new(entangled).unwrap_err(), SpaceError::Entangled);
}

#[test]
fn a_single_number_beside_the_default_is_a_word() {
    let values = ["256".to_owned()];
    let parameter = Parameter {
        values: values.to_vec(),
        default: DEFAULT.into(),
        ..Parameter::plain("mpiio.cb_nodes", &[])
    };
    let axis = Axis::new(&parameter);
    assert!(axis.coordinates.iter().all(Option::is_none), "{:?}", axis.coordinates);
    assert_eq!(axis.dimensions(), 0);
}

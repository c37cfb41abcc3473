//! Tests of settings files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Settings, argument, refused_variable};

/// The settings file of the SC13 paper, Figure 5.
const FIGURE_5: &str = r#"<Parameters>
  <High_Level_IO_Library>
    <alignment> 0, 65536 </alignment>
  </High_Level_IO_Library>

  <Middleware_Layer>
    <cb_buffer_size> 1048576 </cb_buffer_size>
    <cb_nodes> 32 </cb_nodes>
  </Middleware_Layer>

  <Parallel_File_System>
    <striping_factor FileName="sample_dataset.h5part"> 4 </striping_factor>
    <striping_factor> 16 </striping_factor>
    <striping_unit> 65536 </striping_unit>
  </Parallel_File_System>
</Parameters>
"#;

const EXAMPLE: &str = r#"
schema = "ioglass.settings/1"
[hdf5]
alignment = [4096, "1MiB"]
chunk_bytes = "8MiB"
fill_time = "never"
[mpiio]
cb_nodes = 4
hint = { cray_cb_nodes_multiplier = "2" }
[env]
OMPI_MCA_io = "romio321"
[libc]
stdio_buffer = "256KiB"

[[for]]
file = "sample_dataset.h5part"
fs.striping_factor = 4
[[for]]
file = "*.h5"
variable = "/Step#0/x"
hdf5.chunk = [1, 26, 327680]
force = true
serial = true
respect = true
program = "reader*"
[provenance]
anything = { goes = [1, 2] }
"#;

fn parse(text: &str) -> Settings {
    Settings::parse(text, "t").unwrap_or_else(|problems| panic!("{:?}", problems.list))
}

fn problems(text: &str) -> Vec<String> {
    let problems = Settings::parse(text, "t").expect_err(text);
    problems.list.iter().map(ToString::to_string).collect()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("ioglass-settings-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn c1_to_c4_figure_5_is_read_and_the_specific_rule_wins() {
    assert_eq!(
        parse(FIGURE_5).flat().unwrap(),
        "ioglass-settings/1;@f=sample_dataset.h5part;fs.striping_factor=4;\
         @;hdf5.alignment=0,65536;mpiio.cb_nodes=32;mpiio.cb_buffer_size=1048576;\
         fs.striping_factor=16;fs.striping_unit=65536"
    );
}

#[test]
fn a_file_says_everything_that_can_be_said() {
    let settings = parse(EXAMPLE);
    assert_eq!(
        settings.flat().unwrap(),
        "ioglass-settings/1;@f=*.h5&v=/Step#0/x&p=reader*&force&serial&respect;\
         hdf5.chunk=1,26,327680;@f=sample_dataset.h5part;fs.striping_factor=4;\
         @;hdf5.alignment=4096,1048576;hdf5.chunk_bytes=8388608;hdf5.fill_time=never;\
         mpiio.cb_nodes=4;mpiio.hint.cray_cb_nodes_multiplier=2;\
         libc.stdio_buffer=262144"
    );
    assert_eq!(settings.environment().get("OMPI_MCA_io"), Some(&"romio321"));
    assert!(settings.notes.is_empty());
}

#[test]
fn every_value_may_be_a_string() {
    let typed =
        parse("[mpiio]\ncb_nodes = 32\n[hdf5]\nalignment = [0, 65536]\ncoll_metadata_write = true");
    let quoted = parse(
        "[mpiio]\ncb_nodes = \"32\"\n[hdf5]\nalignment = \"0,65536\"\ncoll_metadata_write = \"true\"",
    );
    assert_eq!(typed.flat(), quoted.flat());
}

#[test]
fn what_is_included_never_gains_by_another_form() {
    let folder = std::env::temp_dir().join(format!("ioglass-included-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let site = "[[for]]\nfile = \"x.h5\"\nmpiio.cb_nodes = 77\nhdf5.fill_time = \"never\"\n";
    fs::write(folder.join("site.toml"), site).unwrap();
    let read = |text: &str| {
        let path = folder.join("own.toml");
        fs::write(&path, format!("include = [\"site.toml\"]\n{text}")).unwrap();
        Settings::read(&path).unwrap()
    };
    // The general part wins over what is included.
    let told = read("[mpiio]\ncb_nodes = 4\n").to_toml().unwrap();
    assert!(!told.contains("77") && told.contains("fill_time"), "{told}");
    // What wins for some files of a pattern only cannot be said in one file.
    let partly = read(
        "[[for]]\nfile = \"*.h5\"\nvariable = \"a*\"\nhdf5.chunk_bytes = 8192\n\
                       [[for]]\nprogram = \"a\"\nmpiio.cb_nodes = 4\n",
    );
    let unsayable = partly.to_toml().unwrap_err();
    assert_eq!((unsayable.form, unsayable.names), ("TOML", vec!["mpiio.cb_nodes".to_owned()]));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_wrong_word_is_told_with_the_right_one() {
    for (text, right) in [
        ("[mpio]\ncb_nodes = 1\n", "no layer 'mpio'; did you mean mpiio?"),
        ("serail = true\n", "no layer 'serail'; did you mean serial?"),
        ("[[for]]\nfil = \"x\"\n", "no layer 'fil'; did you mean file?"),
        ("[zzz]\n", "no layer 'zzz'; layers are hdf5, mpiio, fs, env, libc and cmd"),
    ] {
        assert!(problems(text).iter().any(|told| told.ends_with(right)), "{:?}", problems(text));
    }
}

#[test]
fn both_forms_say_the_same() {
    let figure = parse(FIGURE_5);
    assert_eq!(parse(&figure.to_toml().unwrap()).flat(), figure.flat());
    let back = parse(&figure.to_xml().unwrap());
    assert_eq!(parse(&back.to_toml().unwrap()).flat(), back.flat());
    for (rule, setting) in figure.all() {
        assert!(back.all().any(|(other, same)| {
            (&other.file, &same.name, &same.value) == (&rule.file, &setting.name, &setting.value)
        }));
    }
    let example = parse(EXAMPLE);
    assert_eq!(parse(&example.to_toml().unwrap()).flat(), example.flat());
    let unsayable = example.to_xml().unwrap_err().names;
    assert!(unsayable.contains(&"env.OMPI_MCA_io".to_owned()), "{unsayable:?}");
    assert!(unsayable.contains(&"hdf5.chunk".to_owned()), "force cannot be said");
}

#[test]
fn hostile_names_survive_both_forms() {
    let mut text = String::from("[[for]]\nfile = ");
    let name = "a\"b\\c<d>&;=%@\u{7f}\u{1b}é";
    let _ = writeln!(text, "{}", quoted(name));
    text.push_str("mpiio.cb_nodes = 4\n");
    let settings = parse(&text);
    assert_eq!(settings.rules[0].file.as_deref(), Some(name));
    assert_eq!(parse(&settings.to_toml().unwrap()).rules[0].file.as_deref(), Some(name));
    let mut line = settings.flat().unwrap().into_bytes();
    let flat = ioglass_param::flat::decode(&mut line).unwrap();
    assert_eq!(flat.rules().next().unwrap().scope().unwrap().file, Some(name));
}

fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            letter if letter.is_control() => format!("\\u{:04X}", letter as u32),
            letter => letter.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[test]
fn specificity_decides_and_not_the_order() {
    let text = "
[[for]]
variable = \"x\"
mpiio.cb_nodes = 2
[[for]]
file = \"*.h5\"
mpiio.cb_nodes = 4
[[for]]
file = \"/scratch/*.h5\"
mpiio.cb_nodes = 5
[[for]]
file = \"a.h5\"
mpiio.cb_nodes = 6
[[for]]
file = \"a.h5\"
variable = \"x\"
mpiio.cb_nodes = 1
[[for]]
program = \"reader\"
mpiio.cb_nodes = 7
[mpiio]
cb_nodes = 8
";
    let values: Vec<_> = parse(text).all().map(|(_, setting)| setting.value.clone()).collect();
    assert_eq!(values, ["1", "2", "6", "5", "4", "7", "8"]);
    let arguments = vec![argument("mpiio.cb_nodes=9").unwrap()];
    assert_eq!(parse(text).with_arguments(arguments).all().next().unwrap().1.value, "9");
}

#[test]
fn between_equals_the_later_one_wins_and_is_noted() {
    let text =
        "[[for]]\nfile = \"a\"\nmpiio.cb_nodes = 1\n[[for]]\nfile = \"a\"\nmpiio.cb_nodes = 2\n";
    let settings = parse(text);
    assert_eq!(settings.all().map(|(_, setting)| &setting.value).collect::<Vec<_>>(), ["2"]);
    assert_eq!(
        settings.notes,
        ["mpiio.cb_nodes of t:3 never applies: t:6 sets it for the same things"]
    );
}

#[test]
fn words_at_the_top_hold_for_all() {
    let text = "force = true\nserial = true\n[hdf5]\nchunk = [2]\n[[for]]\nfile = \"a\"\nserial = false\nhdf5.chunk = [3]\n";
    assert_eq!(
        parse(text).flat().unwrap(),
        "ioglass-settings/1;@f=a&force;hdf5.chunk=3;@force&serial;hdf5.chunk=2"
    );
}

#[test]
fn problems_have_their_places_and_all_are_told() {
    let text = "\n[mpiio]\ncb_node = 4\ncb_buffer_size = -1\n[hdf]\nx = 1\n[hdf5]\nalignment = [0, 0]\nfill_time = \"nevr\"\nchunk = [1, [2]]\n[libc]\nstdio_buffer = 1e400\n[env]\n\"a b\" = \"x\"\n";
    assert_eq!(
        problems(text),
        [
            "t:3: no parameter 'cb_node' in [mpiio]; did you mean cb_nodes?",
            "t:4: mpiio.cb_buffer_size = '-1': expected bytes, 1 to 2147483647",
            "t:5: no layer 'hdf'; did you mean hdf5?",
            "t:8: hdf5.alignment = '0,0': expected threshold,boundary in bytes, boundary at least 1",
            "t:9: hdf5.fill_time = 'nevr': expected alloc, never, ifset",
            "t:10: hdf5.chunk = '': expected 1 to 32 lengths from 1, as 1,26,327680",
            "t:12: libc.stdio_buffer = '1e400': expected bytes, 4K to 16M",
            "t:14: 'a b' is no name of a variable",
        ]
    );
    let many: String = (0..30).map(|n| format!("x{n} = 1\n")).collect();
    let found = Settings::parse(&many, "t").unwrap_err();
    assert_eq!((found.list.len(), found.more), (10, 20));
    assert_eq!(
        problems("schema = \"ioglass.settings/2\""),
        ["t:1: schema is not \"ioglass.settings/1\""]
    );
    assert!(problems("[mpiio]\ncb_nodes = 4\ncb_nodes = 5\n")[0].starts_with("t:3: "));
    assert!(problems("[mpiio\n")[0].starts_with("t:1: "));
}

#[test]
fn xml_has_the_same_problems() {
    let around = |inner: &str| {
        format!("<Parameters>\n<Middleware_Layer>\n{inner}\n</Middleware_Layer></Parameters>")
    };
    assert_eq!(
        problems(&around("<cb_node>4</cb_node>")),
        ["t:3: no parameter 'cb_node' in [mpiio]; did you mean cb_nodes?"]
    );
    assert_eq!(
        problems(&around("<cb_nodes FileNam=\"x\">4</cb_nodes>")),
        ["t:3: no attribute FileNam; FileName or VariableName"]
    );
    assert!(problems(&around("<cb_nodes><x/></cb_nodes>"))[0].contains("a value and nothing else"));
    assert_eq!(problems("<Settings/>"), ["t:1: the root is not <Parameters>"]);
    assert_eq!(problems("<Parameters><Nope/></Parameters>"), ["t:1: no section <Nope>"]);
    for text in ["<Parameters>", "<", "<Parameters></Wrong>", "<Parameters>&x;</Parameters>"] {
        assert_eq!(problems(text).len(), 1, "{text}");
    }
    let old = "<bgl_nodes_pset>1</bgl_nodes_pset><IBM_largeblock_io>true</IBM_largeblock_io>";
    assert_eq!(parse(&around(old)).all().count(), 2, "what H5Tuner knew is read");
    let declared = format!(
        "\u{feff}<?xml version=\"1.0\"?>\n<!-- a comment -->\n{}",
        around("<cb_nodes>\n4 <!-- x -->\n</cb_nodes>")
    );
    assert_eq!(parse(&declared).all().next().unwrap().1.value, "4");
}

#[test]
fn bombs_are_refused() {
    let mut laughs = String::from("<!DOCTYPE lolz [<!ENTITY a \"aaaaaaaaaa\">");
    for n in 0..20 {
        let _ = write!(laughs, "<!ENTITY b{n} \"&a;&a;&a;&a;\">");
    }
    laughs.push_str("]><Parameters>&b19;</Parameters>");
    assert_eq!(problems(&laughs).len(), 1);
    let deep =
        format!("<Parameters>{}{}</Parameters>", "<a>".repeat(10_000), "</a>".repeat(10_000));
    assert_eq!(problems(&deep), ["t: elements are nested deeper than 64"]);
    let arrays = format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!problems(&arrays).is_empty());
    let tables = format!("[{}]\n", vec!["a"; 100_000].join("."));
    assert!(!problems(&tables).is_empty());
}

#[test]
fn files_include_others_that_count_less() {
    let folder = folder("include");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("a.toml", "include = [\"b.toml\", \"c.xml\"]\n[mpiio]\ncb_nodes = 1\n");
    write(
        "b.toml",
        "include = \"d.toml\"\n[mpiio]\ncb_nodes = 2\ncb_buffer_size = 2\n[[for]]\nfile = \"x\"\nmpiio.cb_nodes = 3\n",
    );
    write(
        "c.xml",
        "<Parameters><Middleware_Layer><cb_buffer_size>3</cb_buffer_size></Middleware_Layer></Parameters>",
    );
    write("d.toml", "[mpiio]\nind_wr_buffer_size = 4\n");
    let settings = Settings::read(&folder.join("a.toml")).unwrap();
    let first = |name: &str| {
        settings.all().find(|(_, setting)| setting.name == name).unwrap().1.value.clone()
    };
    assert_eq!(first("mpiio.cb_nodes"), "1", "a file before what it includes");
    assert_eq!(first("mpiio.cb_buffer_size"), "3", "the later of two");
    assert_eq!(first("mpiio.ind_wr_buffer_size"), "4");
    write("circle.toml", "include = [\"./circle.toml\"]\n");
    let problem = Settings::read(&folder.join("circle.toml")).unwrap_err().list.remove(0);
    assert_eq!(problem.line, Some(1));
    assert!(problem.text.starts_with("files include each other in a circle: "), "{problem}");
    for n in 0..10 {
        write(&format!("deep{n}.toml"), &format!("include = [\"deep{}.toml\"]\n", n + 1));
    }
    let problem = Settings::read(&folder.join("deep0.toml")).unwrap_err().list.remove(0);
    assert!(problem.text.contains("deeper than 8"), "{problem}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn only_regular_files_of_text_are_read() {
    let folder = folder("files");
    let problem = |path: &Path| Settings::read(path).unwrap_err().list.remove(0).text;
    assert!(problem(&folder.join("none")).contains("No such file"));
    assert_eq!(problem(&folder), "it is a folder");
    assert_eq!(problem(Path::new("/dev/zero")), "it is no regular file");
    fs::write(folder.join("bytes"), b"[mpiio]\ncb_nodes = \xff\n").unwrap();
    assert_eq!(problem(&folder.join("bytes")), "it is not UTF-8: byte 20 is wrong");
    fs::write(folder.join("large"), vec![b'#'; (1 << 20) + 1]).unwrap();
    assert_eq!(problem(&folder.join("large")), "it is larger than 1 MiB");
    fs::write(folder.join("empty"), "").unwrap();
    assert!(Settings::read(&folder.join("empty")).unwrap().is_empty());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn arguments_are_checked() {
    assert_eq!(argument("mpiio.cb_buffer_size=1M").unwrap().value, "1048576");
    assert_eq!(argument("nope=1").unwrap_err(), "no parameter 'nope'");
    assert_eq!(
        argument("cb_nodes=1").unwrap_err(),
        "no parameter 'cb_nodes'; did you mean mpiio.cb_nodes?"
    );
    assert_eq!(argument("mpiio.cb_nodes").unwrap_err(), "'mpiio.cb_nodes' is not NAME=VALUE");
    assert!(argument("mpiio.cb_nodes=").is_err());
}

#[test]
fn only_variables_of_the_stack_are_set_without_force() {
    assert_eq!(refused_variable("OMPI_MCA_io", false), None);
    assert!(refused_variable("HOME", false).is_some());
    assert_eq!(refused_variable("HOME", true), None);
    for name in ["LD_PRELOAD", "PATH", "IOGLASS_SETTINGS", "DARSHAN_DISABLE"] {
        assert!(refused_variable(name, true).is_some(), "{name}");
    }
    let text = "[env]\nHOME = \"/\"\nUCX_TLS = \"tcp\"\n";
    assert_eq!(parse(text).environment().into_iter().collect::<Vec<_>>(), [("UCX_TLS", "tcp")]);
}

#[test]
fn a_line_that_is_too_long_is_refused() {
    let mut text = String::new();
    for n in 0..3000 {
        let _ = writeln!(text, "[[for]]\nfile = \"file-{n}.h5\"\nmpiio.cb_nodes = 4");
    }
    assert!(parse(&text).flat().unwrap_err().0 > 65_536);
}

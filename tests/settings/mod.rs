//! Settings: what `ioglass apply` prints, what reaches programs, and what must not change in them.

mod command;
mod inject;
pub(crate) mod program;
mod streams;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::record::run::without_settings;
use crate::support::ioglass;

/// Figure 5 of the SC13 paper, with the blanks that it has.
const FIGURE_5: &str = "<Parameters>
<High_Level_IO_Library>
<sieve_buf_size> 524288 </sieve_buf_size>
<alignment> 0, 65536 </alignment>
</High_Level_IO_Library>
<Middleware_Layer>
<cb_buffer_size> 1048576 </cb_buffer_size>
<cb_nodes> 32 </cb_nodes>
</Middleware_Layer>
<Parallel_File_System>
<striping_factor FileName=\"sample_dataset.h5part\"> 4 </striping_factor>
<striping_factor> 16 </striping_factor>
<striping_unit> 1048576 </striping_unit>
</Parallel_File_System>
</Parameters>
";

/// `ioglass apply` with these arguments in a directory.
fn apply(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(ioglass());
    command.arg("apply").args(arguments).current_dir(folder);
    without_settings(&mut command);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of a command that must succeed.
#[track_caller]
fn succeeded(mut command: Command) -> Output {
    let output = command.output().unwrap();
    let problem = text(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}: {problem}", output.status);
    output
}

/// State, effective value where it is so, and reason of the setting with this name in a document of
/// `--json`, or in a report.
#[track_caller]
fn setting<'d>(document: &'d Value, name: &str) -> [&'d str; 3] {
    let all = document["settings"].as_array().expect("there are settings");
    let found = all.iter().find(|setting| setting["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {document:#}"));
    let mut places = found["places"].as_array().unwrap().iter();
    let place = places.find(|place| place["state"] == found["state"]).unwrap_or(&Value::Null);
    let effective = &place["effective"];
    let text = |value: &'d Value| value.as_str().unwrap_or_default();
    [text(&found["state"]), text(effective), text(&found["reason"])]
}

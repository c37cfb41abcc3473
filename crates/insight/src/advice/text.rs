//! Text and standard streams.

use super::template::{Template, template};
use super::{Setting, see, words};
use crate::finding::{Advice, Language};

const TEXT: Template = template!("text_output": C "c", Fortran "f90", Python "py", Cpp "cpp");
const WHOLE: Template = template!("whole_array": C "c", Fortran "f90", Python "py");
const RANK0: Template = template!("one_rank_prints": C "c", Fortran "f90", Python "py");

/// Buffer text, and flush once per step.
pub fn text_output(setting: &Setting, operations: u64, bytes: u64) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let text = format!(
        "Buffer the {} of text and flush once per step, not in {}.",
        words::bytes(bytes),
        words::many(operations, "piece"),
    );
    let advice = if setting.language == Language::Python {
        Advice::of(text, see::PYTHON_IO)
    } else {
        Advice::of(text, see::SETVBUF)
    };
    let advice = if setting.language == Language::Fortran {
        advice
            .command("export GFORTRAN_FORMATTED_BUFFER_SIZE=1048576", "gfortran")
            .command("export FORT_BUFFERED=TRUE", "Intel's compilers")
    } else {
        advice
    };
    advice.snippet(setting, &TEXT, &[])
}

/// Make fewer calls on a stream whose buffer does its work already. `is_text`: numbers become
/// text on the way.
pub fn fewer_stream_calls(setting: &Setting, calls: u64, bytes: u64, is_text: bool) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let text = format!(
        "Write arrays as a whole{}: the buffer works, the {} of {} each are what takes time.",
        if is_text { " and in binary" } else { "" },
        words::many(calls, "call"),
        words::bytes(bytes / calls.max(1)),
    );
    let see = if setting.language == Language::Python { see::PYTHON_IO } else { see::FWRITE };
    Advice::of(text, see).snippet(setting, &WHOLE, &[]).set_buffers(setting)
}

/// Read or write a stream from front to back.
pub fn no_seeks(setting: &Setting, seeks: u64, bytes: u64) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let text = format!(
        "Go through the file from front to back without the {}, or take all {} into memory and \
         pick there: each seek throws the buffer away.",
        words::many(seeks, "seek"),
        words::bytes(bytes),
    );
    let see = if setting.language == Language::Python { see::PYTHON_IO } else { see::SETVBUF };
    Advice::of(text, see)
}

/// Let one rank print.
pub fn one_rank_prints(setting: &Setting, ranks: u64) -> Advice {
    let text = format!("Print from rank 0 only, not from {}.", words::many(ranks, "rank"));
    let advice = Advice::of(text, see::SETVBUF);
    if setting.is_parallel { advice.snippet(setting, &RANK0, &[]) } else { advice }
}

/// Print less, or to a file.
pub fn quiet_stream(setting: &Setting, bytes: u64) -> Advice {
    let text = format!(
        "Print less than these {}, or redirect them to a disk of the node.",
        words::bytes(bytes)
    );
    let advice = Advice::of(text, see::SETVBUF);
    // A new file, so that none is overwritten.
    let line = super::again("out=$(mktemp) && ", setting);
    let line = line.map(|line| line + " > \"$out\"; echo \"$out\"");
    advice.command_if(line, "copy it once at the end")
}

//! `ioglass profile convert`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use ioglass_profile::{Compression, Error, OpenError, Set};
use ioglass_report::profile::convert::{self, Together};
use ioglass_report::profile::{By, Selection, table};
use ioglass_report::text::quoted;

use super::{damaged, failed, open_one, output};
use crate::cli::{ProfileConvert, ProfileFormat, RanksTogether};
use crate::failure::{Failure, Message};

/// The longest text that is read.
const TEXT: u64 = 256 << 20;

pub(super) fn run(args: &ProfileConvert) -> Result<ExitCode, Failure> {
    let set = open_one(&args.profile)?;
    output(args.output.as_deref(), |out| {
        let mut out = out;
        write(&mut out, args, &set).map_err(|error| {
            let name = quoted(&args.profile.to_string_lossy());
            let help = format!("ioglass profile convert {name} --to hatchet");
            failed(&set, error, (help, "writes each name once"))
        })
    })?;
    let messages = damaged(&set);
    if messages.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure::BadInput(messages)) }
}

fn write(out: &mut impl Write, args: &ProfileConvert, set: &Set) -> io::Result<()> {
    let by = args.by.as_ref().map_or(Vec::new(), |by| by.to_vec());
    let ranks = match args.ranks {
        Some(RanksTogether::All) => Some(Together::All),
        Some(RanksTogether::Sum) => Some(Together::Sum),
        Some(RanksTogether::Mean) => Some(Together::Mean),
        Some(RanksTogether::Max) => Some(Together::Max),
        None => None,
    };
    let (all, sum) = (ranks.unwrap_or(Together::All), ranks.unwrap_or(Together::Sum));
    match args.to {
        ProfileFormat::Hatchet => convert::hatchet(out, set, &by, all),
        ProfileFormat::HatchetLiteral => convert::hatchet_literal(out, set, sum),
        ProfileFormat::CaliperJson => convert::caliper_json(out, set, all),
        ProfileFormat::Cali => convert::cali(out, set, sum),
        ProfileFormat::Chrome => convert::chrome(out, set, all),
        ProfileFormat::Speedscope => convert::speedscope(out, set, all),
        ProfileFormat::Folded => convert::folded(out, set, sum),
        ProfileFormat::Pprof => convert::pprof(out, set, all),
        ProfileFormat::Tinyprof => convert::tinyprof(out, set),
        ProfileFormat::Csv => table::csv(out, set, &rows(by)),
        ProfileFormat::Parquet => convert::parquet(out, set, &rows(by)),
        ProfileFormat::Ioprof => {
            let bytes = ioglass_profile::write(&set.whole(), Compression::Deflate);
            out.write_all(&bytes.map_err(io::Error::other)?)
        }
    }
}

/// All rows, by what is to be kept apart.
fn rows(by: Vec<By>) -> Selection {
    let by = if by.is_empty() { vec![By::Rank, By::Thread, By::Execution] } else { by };
    Selection { by, ..Selection::default() }
}

/// Reads a file that is no profile as the text of TinyProf, if it looks like one.
pub(super) fn tinyprof(error: &OpenError) -> Option<Result<Set, Message>> {
    if !matches!(error.error, Error::NotAProfile { .. }) {
        return None;
    }
    let mut text = Vec::new();
    File::open(&error.path).ok()?.take(TEXT).read_to_end(&mut text).ok()?;
    let text = String::from_utf8(text).ok()?;
    let profile = match convert::parse_tinyprof(&text)? {
        Ok(profile) => profile,
        Err(reason) => {
            let name = error.path.display();
            return Some(Err(
                Message::new(format!("{name} cannot be read as TinyProf's text")).evidence(reason)
            ));
        }
    };
    Set::of_profile(&profile).ok().map(Ok)
}

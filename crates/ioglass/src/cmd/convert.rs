//! `ioglass convert`: a log from text.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use ioglass_job::output::{self, OutputProblem};
use ioglass_log::text::TextBuilder;
use ioglass_log::{Compression, CopyError, Error, WriteError};
use ioglass_report::number::bytes;
use serde_json::json;

use super::open_file;
use crate::cli;
use crate::failure::{Failure, Message};

pub(super) fn run(args: &cli::Convert) -> Result<(), Failure> {
    let target = ConvertedLog::new(&args.out, &args.texts, args.force)?;
    let mut builder = TextBuilder::new();
    for source in &args.texts {
        let text = open_text(source).map_err(Failure::bad_input)?;
        builder.read(text).map_err(|error| Failure::bad_input(bad_text(source, &error)))?;
    }
    let notes = builder.left_out();
    let size = target.write(builder)?;
    // A failure to print must not fail the command.
    let mut aside = anstream::stderr().lock();
    for note in &notes {
        let _ = writeln!(aside, "note: {note}");
    }
    if args.json {
        let result = json!({
            "schema": "ioglass.convert/1",
            "log": args.out.to_string_lossy(),
            "size": size,
            "notes": notes,
        });
        writeln!(std::io::stdout(), "{result}")?;
    } else {
        let _ = writeln!(aside, "wrote {}, {}", args.out.display(), bytes(size));
    }
    Ok(())
}

/// Text shorter than this is read before a progress bar could be seen.
const LONG_TEXT: u64 = 64 << 20;

fn open_text(path: &Path) -> Result<Box<dyn BufRead>, Message> {
    let cannot = |error| Message::new(format!("cannot read {}", path.display())).evidence(error);
    let file = open_file(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(Message::new(format!("{} is a directory", path.display()))
            .evidence("Give the text files in it one by one."));
    }
    if metadata.len() < LONG_TEXT {
        return Ok(Box::new(BufReader::with_capacity(1 << 20, file)));
    }
    // Draws on standard error, and only on a terminal.
    let style = "reading  {bar:32}  {bytes}/{total_bytes}  {elapsed}, {eta} left";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(metadata.len()).with_style(style.progress_chars("━╸╌"));
    Ok(Box::new(BufReader::with_capacity(1 << 20, bar.wrap_read(file))))
}

fn bad_text(path: &Path, error: &Error) -> Message {
    Message::new(format!("{} cannot become a log", path.display())).evidence(error)
}

/// The log that is to be written.
struct ConvertedLog {
    /// The file, with all links resolved.
    path: PathBuf,
}

impl ConvertedLog {
    /// Checks that nothing is lost by writing to `path`.
    fn new(path: &Path, sources: &[PathBuf], force: bool) -> Result<Self, Failure> {
        let name = path.display();
        if path == Path::new("-") {
            return Err(Failure::cannot_write(path, &OutputProblem::Pipe));
        }
        let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
        let Ok(metadata) = fs::metadata(path) else {
            if path.is_symlink() {
                return Err(cannot(OutputProblem::NotAFile));
            }
            output::try_to_write(path).map_err(cannot)?;
            return Ok(Self { path: path.into() });
        };
        if !metadata.is_file() {
            return Err(cannot(OutputProblem::NotAFile));
        }
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let is_source = |source: &PathBuf| fs::canonicalize(source).is_ok_and(|s| s == path);
        if sources.iter().any(is_source) {
            let message = Message::new(format!("{name} is one of the texts"));
            return Err(Failure::usage(message.evidence("The last file is the log to write.")));
        }
        if !force {
            let message = Message::new(format!("{name} exists already"))
                .evidence("The last file is the log to write.")
                .help("ioglass convert --force …".into(), "overwrites it");
            return Err(Failure::usage(message));
        }
        output::try_to_write(&path).map_err(cannot)?;
        Ok(Self { path })
    }

    /// Writes beside the file and moves into place, so that a failure leaves nothing behind and
    /// an existing log whole.
    fn write(&self, builder: TextBuilder) -> Result<u64, Failure> {
        let beside = self.path.with_file_name(format!(".ioglass-{}", std::process::id()));
        let written = write_log(builder, &beside).and_then(|size| {
            fs::rename(&beside, &self.path)
                .map_err(|error| CopyError::from(WriteError::Sink(error)))?;
            Ok(size)
        });
        written.map_err(|error| {
            // The first error is the one to report.
            let _ = fs::remove_file(&beside);
            match error {
                CopyError::Read(error) => Failure::bad_input(
                    Message::new("the text cannot become a log".into()).evidence(error),
                ),
                CopyError::Write(WriteError::Sink(error)) => {
                    Failure::cannot_write(&self.path, &error.into())
                }
                CopyError::Write(error) => {
                    Failure::cannot_write(&self.path, &io::Error::other(error.to_string()).into())
                }
            }
        })
    }
}

fn write_log(builder: TextBuilder, path: &Path) -> Result<u64, CopyError<io::Error>> {
    let sink = |error| CopyError::from(WriteError::Sink(error));
    let file = builder.write(File::create_new(path).map_err(sink)?, Compression::Zlib)?;
    Ok(file.metadata().map_err(sink)?.len())
}

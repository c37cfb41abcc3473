//! `ioglass kernel`: programs that only write, and what a model says of them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ioglass_insight::number;
use ioglass_kernel::{
    Gcrm, KernelError, Libraries, LibraryError, Outcome, Session, Shape, Stack, Transfer, Vorpal,
    Vpic, Work,
};
use ioglass_tune::model;

use super::apply;
use crate::cli::{Kernel, KernelOptions, KernelShape, MpiName};
use crate::failure::{Failure, Message, USAGE};
use crate::glyphs;

/// The status if what was read back is not what was written.
const DIFFERS: u8 = 1;

pub(super) fn run(args: &Kernel) -> Result<ExitCode, Failure> {
    let (shape, options) = shape(&args.shape);
    if let Some(model) = &options.model {
        return tell(&modelled(shape, model, options)?, options.json);
    }
    let stack = match options.mpi {
        Some(MpiName::Mpich) => Stack::Mpich,
        Some(MpiName::Openmpi) => Stack::OpenMpi,
        None => Stack::of_launcher(),
    };
    let libraries =
        Libraries::find(stack, options.hdf5.as_deref()).map_err(|error| missing(&error))?;
    let default = || PathBuf::from(format!("{}.h5", shape.name()));
    let work = Work {
        shape,
        file: options.file.as_ref().map_or_else(default, PathBuf::from),
        steps: options.steps.unwrap_or(shape.steps()),
        transfer: if options.independent { Transfer::Independent } else { Transfer::Collective },
        chunk: (!options.chunk.is_empty()).then(|| options.chunk.clone()),
        read_back: options.read_back,
        seed: options.seed,
    };
    let session = Session::start(&libraries).map_err(|error| Failure::Own(error.into()))?;
    match session.run(&work) {
        Ok(outcome) if session.is_first() => tell(&outcome, options.json),
        Ok(outcome) => Ok(status(&outcome)),
        Err(KernelError::Shape(misfit)) => {
            let failure = Failure::usage(Message::new(misfit.to_string()));
            // All ranks would say the same.
            Ok(if session.is_first() { failure.report() } else { ExitCode::from(USAGE) })
        }
        Err(error) => {
            let code = Failure::Own(error.into()).report();
            session.end_all();
            Ok(code)
        }
    }
}

fn shape(shape: &KernelShape) -> (Shape, &KernelOptions) {
    match shape {
        KernelShape::Vpic { particles, options } => {
            (Shape::Vpic(Vpic { particles: *particles }), options)
        }
        KernelShape::Vorpal { block, grid, uneven, options } => {
            (Shape::Vorpal(Vorpal { block: *block, grid: *grid, uneven: *uneven }), options)
        }
        KernelShape::Gcrm { resolution, subdomains, options } => {
            let (resolution, subdomains) = (*resolution, *subdomains);
            (Shape::Gcrm(Gcrm { resolution, subdomains }), options)
        }
    }
}

fn missing(error: &LibraryError) -> Failure {
    let remedy = error.remedy();
    let mut message = Message::new(error.to_string());
    if let Some(remedy) = remedy {
        message = message.help(remedy, "has it on Debian and Ubuntu; --hdf5 LIB names another");
    }
    Failure::NotWritten(vec![message])
}

/// What a model says of a kernel.
fn modelled(
    shape: Shape,
    model: &model::Model,
    options: &KernelOptions,
) -> Result<Outcome, Failure> {
    let kernel = match shape {
        Shape::Vpic(_) => model::Kernel::Vpic,
        Shape::Vorpal(_) => model::Kernel::Vorpal,
        Shape::Gcrm(_) => model::Kernel::Gcrm,
    };
    let stack = options.settings.as_deref().map(stack_of).transpose()?.unwrap_or_default();
    let (seconds, bytes) = (model.seconds(kernel, &stack), model.bytes(kernel) as u64);
    let named = Some(model.to_string());
    Ok(Outcome::new(shape.name(), named, model.ranks, bytes, seconds))
}

/// The settings of a file that hold for everything.
fn stack_of(file: &Path) -> Result<model::Stack, Failure> {
    let settings = apply::read(file)?;
    let general = settings.all().filter(|(rule, _)| rule.is_general());
    // The first of the same name wins; the last that is stored stays.
    let mut all: Vec<_> = general.map(|(_, setting)| setting).collect();
    all.reverse();
    let pairs = all.iter().map(|setting| (setting.name.as_str(), setting.value.as_str()));
    model::Stack::of(pairs).map_err(|error| {
        let origin = all.iter().find(|setting| setting.name == error.0);
        let place = origin.map_or_else(|| file.display().to_string(), |one| one.origin.to_string());
        Failure::bad_input(Message::new(format!("{place}: {error}")))
    })
}

fn tell(outcome: &Outcome, json: bool) -> Result<ExitCode, Failure> {
    let text = if json {
        serde_json::to_string(outcome).map_err(anyhow::Error::new)?
    } else {
        sentence(outcome)
    };
    let mut out = glyphs::shown(anstream::stdout().lock());
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(status(outcome))
}

fn sentence(outcome: &Outcome) -> String {
    let Outcome { kernel, model, ranks, bytes, seconds, bandwidth_mb_s, verified, .. } = outcome;
    let who = match model {
        Some(model) => format!("model {model}: {kernel}"),
        None => kernel.clone(),
    };
    let ranks = number::counted(*ranks, "rank", "ranks");
    let written = number::thousands(bytes.div_ceil(1_000_000));
    let rate = number::thousands(bandwidth_mb_s.round() as u64);
    let checked = match verified {
        None => "",
        Some(true) => "; read back, and the same",
        Some(false) => "; what was read back DIFFERS",
    };
    format!("{who}: {ranks} wrote {written} MB in {seconds:.3} s, {rate} MB/s{checked}")
}

fn status(outcome: &Outcome) -> ExitCode {
    if outcome.verified == Some(false) { ExitCode::from(DIFFERS) } else { ExitCode::SUCCESS }
}

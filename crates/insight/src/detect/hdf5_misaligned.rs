//! H07: HDF5 places data across the borders of stripes or blocks.

use super::misaligned::lost;
use super::traced::{self, is_locked};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::File;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H07",
    slug: "hdf5-misaligned",
    dimension: Dimension::AccessGranularity,
    highest: Level::Warn,
    what: "Requests to an HDF5 file do not begin and end at borders of stripes or blocks.",
    condition: "An HDF5 file on a file system that nodes share has at least \
                hdf5_misaligned_requests requests. More than misaligned_requests of them begin \
                or end off a multiple of the stripe, or of the alignment if the file system is \
                not Lustre. Without a trace only the beginning counts, as the recorder counted \
                it.",
    why: "Such a request touches one more stripe or block than it needs and shares it with its \
          neighbour.",
    fix: "Let HDF5 put large objects at multiples of the stripe: H5Pset_alignment.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___f_a_p_l.html",
    applies_to: &[Feature::Hdf5],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check,
};

/// An HDF5 file and its misaligned requests.
struct MisalignedFile<'a> {
    file: &'a File,
    misaligned: u64,
    requests: u64,
    unit: u64,
    share: FileShare,
}

fn check(cx: &Context<'_>) -> Check {
    // Where the recorder saw HDF5, it says which files are; otherwise their names do.
    let knows_hdf5 = cx.run.has(&ioglass_log::h5f::MODULE);
    let is_candidate = |file: &&File| {
        (file.h5f.is_some() || !knows_hdf5)
            && file.is_hdf5()
            && is_locked(cx, file)
            && file.posix.as_deref().is_some_and(|u| u.calls() > 0)
    };
    if !cx.run.libraries.hdf5_files || !cx.run.data().any(|file| is_candidate(&file)) {
        return Check::Senseless;
    }
    let (files, confidence): (Vec<MisalignedFile<'_>>, _) = match traced::files(cx) {
        Ok((_, files)) => {
            let files = files.into_iter().filter(|traced| is_candidate(&traced.file));
            let one = |traced: traced::FileTrace<'_>| {
                let (reads, writes) = (&traced.facts.reads, &traced.facts.writes);
                let misaligned = reads.misaligned + writes.misaligned;
                let requests = traced.requests();
                let slowest = reads.slowest.seconds() + writes.slowest.seconds();
                let bytes = reads.bytes.saturating_add(writes.bytes);
                let seconds = slowest * lost(misaligned, requests, bytes, traced.facts.unit);
                (misaligned, requests, traced.facts.unit, seconds)
            };
            let found = files.map(|traced| {
                let (misaligned, requests, unit, seconds) = one(traced);
                MisalignedFile {
                    file: traced.file,
                    misaligned,
                    requests,
                    unit,
                    share: traced.share(seconds),
                }
            });
            (found.collect(), Confidence::Measured)
        }
        Err(_) => {
            let one = |file| counted(cx, file);
            (cx.run.data().filter(is_candidate).filter_map(one).collect(), Confidence::Derived)
        }
    };
    judge(cx, files, confidence)
}

fn counted<'a>(cx: &Context<'_>, file: &'a File) -> Option<MisalignedFile<'a>> {
    let usage = file.posix.as_deref()?;
    let (misaligned, requests) = (usage.file_misaligned, usage.calls());
    let stripe = file.stripes.as_ref().and_then(|stripes| stripes.main(file.bytes()));
    let unit = stripe.map_or(usage.alignment, |part| part.size);
    let part = usage.data_time() * lost(misaligned, requests, usage.bytes(), unit);
    let share = cx.share_of(file, usage.slowest_part(part, cx.run.ranks));
    Some(MisalignedFile { file, misaligned, requests, unit, share })
}

fn judge(cx: &Context<'_>, files: Vec<MisalignedFile<'_>>, confidence: Confidence) -> Check {
    let limits = cx.limits;
    let (all, off) = files.iter().fold((0_u64, 0_u64), |(all, off), file| {
        (all.saturating_add(file.requests), off.saturating_add(file.misaligned))
    });
    let is_off = |file: &MisalignedFile<'_>| {
        let requests = file.requests as f64;
        file.unit > 0
            && requests >= limits.hdf5_misaligned_requests
            && file.misaligned as f64 > limits.misaligned_requests * requests
    };
    let found: Vec<_> = files.into_iter().filter(is_off).collect();
    let Some(worst) = found.iter().max_by(|a, b| a.share.seconds.total_cmp(&b.share.seconds))
    else {
        let share = number::percent(off as f64 / all.max(1) as f64);
        return Check::Fine(format!("{share} of requests to HDF5 files are misaligned."));
    };
    let share = worst.misaligned as f64 / worst.requests as f64;
    let unit = number::bytes(worst.unit);
    let title =
        format!("{} of requests to an HDF5 file are not aligned to {unit}", number::percent(share));
    let what = match confidence {
        Confidence::Measured => "begin or end",
        _ => "begin",
    };
    let detail = format!(
        "{}: {} of {} {what} between two multiples of its {} of {unit}.",
        super::base(&worst.file.name),
        number::thousands(worst.misaligned),
        number::thousands(worst.requests),
        if worst.file.stripes.is_some() { "stripe" } else { "block" }
    );
    let seconds: f64 = found.iter().map(|file| file.share.seconds).sum();
    let setting = cx.setting(Some(worst.file));
    Case::new(title, detail, seconds.min(cx.run.run_time))
        .evidence("misaligned requests", worst.misaligned as f64, Quantity::Count)
        .evidence("share of requests", share, Quantity::Share)
        .evidence("stripe or block", worst.unit as f64, Quantity::Bytes)
        .advise(advice::hdf5_alignment(&setting, worst.unit))
        .files(top_files(found.iter().map(|file| file.share.clone())))
        .pool(Pool::Data)
        .confidence(confidence)
        // Requests of any size can lie across borders.
        .phrase("misaligned requests")
        .fired()
}

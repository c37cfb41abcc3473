//! `ioglass trial`: makes one run, inside its job.

use ioglass_job::trial::{Trials, catch_interrupts};
use ioglass_tune::runner::RunnerError;

use super::super::trial::{Files, Made, Maker, Place};
use super::job::{self, Answer, Task};
use crate::cli::Trial;
use crate::failure::{Failure, Message};

/// Makes the run whose order is in the folder, and leaves its result there.
pub(in crate::cmd) fn make(args: &Trial) -> Result<(), Failure> {
    let folder = std::path::absolute(&args.folder).map_err(anyhow::Error::new)?;
    let Some(task) = job::task(&folder) else {
        let message = Message::new(format!("{} has no order", folder.display()));
        return Err(Failure::bad_input(message));
    };
    std::env::set_current_dir(&task.folder).map_err(|error| {
        let folder = task.folder.to_string_lossy();
        Failure::bad_input(Message::new(format!("{folder} is not there")).evidence(error))
    })?;
    let answer = match made(&task, &folder) {
        Ok(made) => Answer::Made(Box::new(made)),
        Err(error) => Answer::Error(error.0),
    };
    job::leave(&folder, &answer).map_err(|error| Failure::cannot_write(&folder, &error.into()))
}

fn made(task: &Task, folder: &std::path::Path) -> Result<Made, RunnerError> {
    let stop = catch_interrupts();
    let private = job::private(folder);
    // Whatever ends this process ends the program, and what is recorded of it goes.
    let trials = Trials::new(&task.id, vec![private.clone()]);
    std::fs::create_dir_all(&private)
        .map_err(|error| RunnerError(format!("cannot make the files of a run: {error}")))?;
    task.order.make(&mut Maker {
        trials: &trials,
        place: &Place::new(job::trial_dir(folder), private),
        files: &mut Files::default(),
        stop,
        at: &mut |moment| job::note(folder, moment),
    })
}

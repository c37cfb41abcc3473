//! Work that only a killed process leaves undone.

use std::io::{self, PipeWriter, Write};

use nix::unistd::Pid;

use crate::sys;

/// Work that another process does if this one ends before it drops this.
#[derive(Debug)]
pub struct IfKilled {
    pid: u32,
    /// The other process waits for the end of this pipe.
    life: Option<PipeWriter>,
}

impl IfKilled {
    /// Prepares the work. This process must have one thread.
    ///
    /// # Errors
    /// If there can be no other process.
    pub fn prepare(work: impl FnOnce()) -> io::Result<IfKilled> {
        let (pid, life) = sys::outliving_child(work)?;
        Ok(IfKilled { pid, life: Some(life) })
    }
}

impl Drop for IfKilled {
    fn drop(&mut self) {
        if let Some(mut life) = self.life.take() {
            // It fails only if the other process was ended, which then does nothing.
            let _ = life.write_all(&[1]);
        }
        // Its status is of no interest.
        let _ = nix::sys::wait::waitpid(Pid::from_raw(self.pid.cast_signed()), None);
    }
}

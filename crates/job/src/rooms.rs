//! Removes the rooms of ranks that are all dead: nothing in them belongs into a log.

use std::fs;
use std::path::Path;
use std::time::Duration;

use ioglass_shm::room::{Room, Seat};
use ioglass_shm::{Pod, place as names};

use crate::{alive, directory};

/// Removes rooms without living ranks, and letters without a reader.
pub(crate) fn remove_empty() {
    for user in directory::user_directories() {
        for entry in fs::read_dir(user).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some((_, of)) = name.split_once(names::ROOM_SUFFIX) else { continue };
            let is_empty = match of {
                "" => is_empty(&entry.path()),
                letter => letter.rsplit_once('-').is_some_and(|(_, writer)| is_dead(writer)),
            };
            if is_empty {
                // Another process may have removed it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Returns true if no rank in the room lives. A room that no rank has entered yet may be new.
fn is_empty(room: &Path) -> bool {
    let bytes = fs::read(room).unwrap_or_default();
    let seats = bytes.get(size_of::<Room>()..).unwrap_or_default().chunks(size_of::<Seat>());
    let pids = seats.filter_map(Seat::read).map(|seat| seat.pid).filter(|pid| *pid != 0);
    let pids: Vec<u32> = pids.collect();
    match pids.is_empty() {
        true => !is_new(room),
        false => pids.iter().all(|pid| is_dead(&pid.to_string())),
    }
}

fn is_new(room: &Path) -> bool {
    const NEW: Duration = Duration::from_secs(60);
    let changed = room.metadata().and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age < NEW))
}

fn is_dead(pid: &str) -> bool {
    alive::begin(pid).is_none()
}

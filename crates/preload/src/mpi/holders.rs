//! Ranks that hold the captures of the ranks after them, and write them into the gaps that the
//! first rank leaves.

use alloc::vec::Vec;
use ioglass_log::Sink;
use ioglass_recorder::process;

use super::channel::{Channel, Trouble};
use crate::exitlog::LogFile;

/// Ranks per holder, unless another number is set. A holder keeps and writes the captures of the
/// ranks after it.
const RANKS_PER_HOLDER: u32 = 256;

/// Distance between two holders, in ranks.
pub(super) fn apart(ranks: u32) -> u32 {
    let wanted = process::settings().aggregators.map(|count| count.clamp(1, ranks.into()) as u32);
    let count = wanted.unwrap_or(ranks.div_ceil(RANKS_PER_HOLDER));
    ranks.div_ceil(count).next_power_of_two()
}

/// The ranks that hold captures, as the first rank knows them.
pub(super) struct Holders<'c> {
    pub(super) channel: &'c Channel,
    apart: u32,
}

impl<'c> Holders<'c> {
    pub(super) fn new(channel: &'c Channel) -> Self {
        Self { channel, apart: apart(channel.world.ranks) }
    }

    fn ranks(&self) -> impl Iterator<Item = u32> {
        (self.apart..self.channel.world.ranks).step_by(self.apart as usize)
    }

    /// Makes every holder fill its gaps, given by holder and offset.
    pub(super) fn fill(&self, file: &mut LogFile, gaps: &[(u32, u64)]) -> Option<()> {
        let own = |holder: u32| gaps.iter().filter(move |gap| gap.0 == holder).map(|gap| gap.1);
        for holder in self.ranks() {
            let mut message = Vec::new();
            let path = file.path.as_bytes();
            message.extend_from_slice(&(path.len() as u64).to_le_bytes());
            message.extend_from_slice(path);
            message.extend(own(holder).flat_map(u64::to_le_bytes));
            self.channel.send(holder, Some(&message)).ok()?;
        }
        for holder in self.ranks() {
            match self.channel.receive(holder) {
                Ok(_) => {}
                Err(Trouble::Cannot) => {
                    for offset in own(holder) {
                        let bytes = self.channel.receive(holder).ok()?;
                        file.write_at(offset, &bytes).ok()?;
                    }
                }
                Err(Trouble::Silence) => return None,
            }
        }
        Some(())
    }

    /// Tells the holders that there are no more gaps.
    pub(super) fn dismiss(&self, written: Option<()>) -> Result<(), Trouble> {
        self.ranks()
            .try_for_each(|holder| self.channel.send(holder, written.map(|()| [].as_slice())))
    }
}

/// Fills the gaps in a message: a path, and the offset of each held capture.
pub(super) fn fill(message: &[u8], held: &[Vec<u8>]) -> Option<()> {
    let (len, rest) = message.split_first_chunk()?;
    let (path, offsets) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
    let mut file = LogFile::of_another(path)?;
    for (offset, bytes) in offsets.chunks_exact(8).zip(held) {
        file.write_at(u64::from_le_bytes(offset.try_into().ok()?), bytes).ok()?;
    }
    Some(())
}

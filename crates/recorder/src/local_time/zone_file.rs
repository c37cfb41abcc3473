//! Time zone files of the system: TZif, RFC 9636.

use super::rule;

const MAGIC: &[u8] = b"TZif";
const HEAD: usize = 44;

/// Numbers of elements in a block.
struct Counts {
    times: usize,
    types: usize,
    names: usize,
    leaps: usize,
    flags: usize,
}

impl Counts {
    fn read(head: &[u8]) -> Option<Self> {
        let count = |index: usize| Some(u32(head.get(20 + 4 * index..)?)? as usize);
        Some(Self {
            flags: count(0)?.checked_add(count(1)?)?,
            leaps: count(2)?,
            times: count(3)?,
            types: count(4)?,
            names: count(5)?,
        })
    }

    /// Bytes of the block after the head; `time` is the size of one moment.
    fn size(&self, time: usize) -> Option<usize> {
        let mut size = self.names.checked_add(self.flags)?;
        for (count, each) in [(self.times, time + 1), (self.types, 6), (self.leaps, time + 4)] {
            size = size.checked_add(count.checked_mul(each)?)?;
        }
        Some(size)
    }
}

/// Seconds east of UTC at a moment.
pub(super) fn offset(file: &[u8], seconds: i64) -> Option<i64> {
    if !file.starts_with(MAGIC) || *file.get(4)? < b'2' {
        return None;
    }
    // The first block is for readers that know only 32 bits.
    let old = Counts::read(file)?;
    let file = file.get(HEAD.checked_add(old.size(4)?)?..)?;
    let counts = Counts::read(file)?;
    let block = file.get(HEAD..HEAD.checked_add(counts.size(8)?)?)?;
    let (times, rest) = block.split_at_checked(counts.times * 8)?;
    let (kinds, types) = rest.split_at_checked(counts.times)?;

    let past = times.chunks_exact(8).take_while(|&time| i64(time) <= Some(seconds)).count();
    if past == counts.times {
        let footer = file.get(HEAD + block.len()..)?.strip_prefix(b"\n")?;
        let end = footer.iter().position(|&byte| byte == b'\n')?;
        if let Some(offset) = rule::offset(&footer[..end], seconds) {
            return Some(offset);
        }
    }
    let kind = past.checked_sub(1).map_or(Some(0), |last| kinds.get(last).copied())?;
    let offset = u32(types.get(6 * usize::from(kind)..)?)?;
    Some(i64::from(offset.cast_signed()))
}

fn u32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().copied().map(u32::from_be_bytes)
}

fn i64(bytes: &[u8]) -> Option<i64> {
    bytes.first_chunk().copied().map(i64::from_be_bytes)
}

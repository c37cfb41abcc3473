//! Paths in buffers of fixed size.

use core::ffi::{CStr, c_char};

/// The longest path that is kept.
pub const PATH_MAX: usize = libc::PATH_MAX as usize;

/// A path that is composed piece by piece and ends with NUL.
#[repr(C)] // the fields that are always used come first, to touch few pages
pub struct PathBuffer<const ROOM: usize = { PATH_MAX + 1 }> {
    len: usize,
    cut: bool,
    bytes: [u8; ROOM],
}

/// A path that the recorder makes itself.
pub type OwnPath = PathBuffer<512>;

#[allow(clippy::new_without_default)] // statics are made of it
impl<const ROOM: usize> PathBuffer<ROOM> {
    /// An empty path.
    pub const fn new() -> Self {
        Self { len: 0, cut: false, bytes: [0; ROOM] }
    }

    /// Appends bytes; those that do not fit are dropped.
    #[inline(never)] // a name has many pieces
    #[unsafe(link_section = ".text.hot")]
    pub fn push(&mut self, piece: &[u8]) {
        let room = ROOM - 1 - self.len;
        let taken = piece.len().min(room);
        self.cut |= taken < piece.len();
        self.bytes[self.len..self.len + taken].copy_from_slice(&piece[..taken]);
        self.len += taken;
        self.bytes[self.len] = 0;
    }

    /// Appends a number in the given base.
    pub fn push_number(&mut self, mut number: u64, base: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b"0123456789abcdef"[(number % base) as usize];
            number /= base;
            if number == 0 {
                break;
            }
        }
        self.push(&digits[at..]);
    }

    /// Empties the path.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.cut = false;
    }

    /// Keeps the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = len.min(self.len);
        self.bytes[self.len] = 0;
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The path for system calls. A path with a NUL inside ends there.
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }

    /// Returns true if bytes were dropped.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Its directory.
    pub fn parent(&self) -> &[u8] {
        parent(self.as_bytes())
    }

    /// Appends `path` without empty components and `.`, and removes a component for each `..`. It
    /// replaces the kernel's resolution where that is not available.
    pub fn push_clean(&mut self, path: &[u8]) {
        for part in path.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    let len = self.parent().len();
                    self.truncate(len);
                }
                part => {
                    self.push(b"/");
                    self.push(part);
                }
            }
        }
    }
}

/// The directory of a path, without the slash.
pub fn parent(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    &path[..end]
}

/// The last component of a path.
pub fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// A path as a C string, and the position of its last slash.
///
/// It reads blocks of sixteen bytes, which may have bytes that are not the path's.
///
/// # Safety
/// `text` is a C string that lives as long as the result is used.
#[inline]
pub(crate) unsafe fn scan<'p>(text: *const c_char) -> (&'p CStr, Option<usize>) {
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_set1_epi8,
    };
    let start = text.addr();
    let mut block = text.cast::<u8>().wrapping_sub(start & 15);
    let mut of_path = u32::MAX << (start & 15);
    let mut slash = None;
    loop {
        // SAFETY: aligned, so it does not reach into another page than the string does.
        let (zeros, slashes) = unsafe {
            let bytes = _mm_load_si128(block.cast::<__m128i>());
            let are = |byte| _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)));
            (are(0) as u32 & of_path, are(b'/' as i8) as u32 & of_path)
        };
        // Those before the end. What lies behind it decides nothing, so that checkers of memory see
        // no decision by bytes that nobody wrote.
        let slashes = match zeros {
            0 => slashes,
            _ => slashes & ((1 << zeros.trailing_zeros()) - 1),
        };
        if slashes != 0 {
            slash = Some(block.addr() + (31 - slashes.leading_zeros()) as usize - start);
        }
        if zeros != 0 {
            let size = block.addr() + zeros.trailing_zeros() as usize + 1 - start;
            // SAFETY: from the start to the first NUL.
            let path = unsafe {
                CStr::from_bytes_with_nul_unchecked(core::slice::from_raw_parts(text.cast(), size))
            };
            return (path, slash);
        }
        of_path = u32::MAX;
        block = block.wrapping_add(16);
    }
}

fn halves(bytes: &[u8; 16]) -> [u64; 2] {
    let bytes = u128::from_le_bytes(*bytes);
    [bytes as u64, (bytes >> 64) as u64]
}

/// Two words with all bytes of a shorter path; different paths of one length give different words.
#[inline(never)] // names of datasets, not of files
#[unsafe(link_section = ".text.hot")]
fn short(path: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (path.first_chunk(), path.last_chunk()) {
        return [first, last].map(|bytes| u64::from_le_bytes(*bytes));
    }
    if let (Some(first), Some(last)) = (path.first_chunk(), path.last_chunk()) {
        return [first, last].map(|bytes| u32::from_le_bytes(*bytes).into());
    }
    let byte = |at: usize| u64::from(path.get(at).copied().unwrap_or(0));
    [byte(0) | byte(1) << 8, byte(2)]
}

/// A hash to find a path again within this process; record ids need Darshan's hash, which takes
/// several times as long. Sixteen bytes at a time are mixed by a wide multiplication.
#[inline]
pub(crate) fn quick_hash(path: &[u8], seed: u64) -> u64 {
    const KEYS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mut state = mix(seed ^ KEYS[0], path.len() as u64 ^ KEYS[1]);
    let mut rest = path;
    while let Some((words, behind)) = rest.split_first_chunk::<16>()
        && !behind.is_empty()
    {
        let [low, high] = halves(words);
        state = mix(low ^ KEYS[1], high ^ state);
        rest = behind;
    }
    // The last words may overlap bytes that were mixed already.
    let [low, high] = path.last_chunk::<16>().map_or_else(|| short(path), halves);
    mix(mix(low ^ KEYS[1], high ^ state), KEYS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_and_the_last_slash_are_found() {
        let mut text = [b'x'; 80];
        for start in 0..20 {
            for len in 0..50 {
                for slash in (0..len).map(Some).chain([None]) {
                    // Slashes and a NUL around it are not the path's.
                    text.fill(b'/');
                    text[..start].fill(0);
                    text[start..start + len].fill(b'x');
                    text[start + len] = 0;
                    if let Some(slash) = slash {
                        text[start + slash] = b'/';
                    }
                    // SAFETY: it ends with NUL.
                    let (path, found) = unsafe { scan(text[start..].as_ptr().cast()) };
                    assert_eq!((path.count_bytes(), found), (len, slash));
                }
            }
        }
    }

    #[test]
    fn no_two_paths_hash_alike() {
        let long = [b'x'; 40];
        let mut hashes: Vec<u64> = Vec::new();
        for len in 0..=40 {
            hashes.push(quick_hash(&long[..len], 2));
            hashes.push(quick_hash(&long[..len], 3));
            for at in 0..len {
                let mut other = long;
                other[at] = b'y';
                hashes.push(quick_hash(&other[..len], 2));
            }
        }
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }
}

//! Record ids: Bob Jenkins' 64-bit "lookup8" hash of a name, as every Darshan tool computes it.

/// The id of the record called `name`.
///
/// ```
/// assert_eq!(ioglass_schema::record_id(b"<STDOUT>"), 15920181672442173319);
/// ```
pub const fn record_id(name: &[u8]) -> u64 {
    hash(name, 0)
}

/// The hash with a starting `level`; record ids use level 0.
pub const fn hash(key: &[u8], level: u64) -> u64 {
    let (mut a, mut b, mut c) = (level, level, 0x9E37_79B9_7F4A_7C13_u64);
    let mut rest = key;
    while let Some((block, tail)) = rest.split_first_chunk::<24>() {
        a = a.wrapping_add(little_endian(block, 0, 8));
        b = b.wrapping_add(little_endian(block, 8, 16));
        c = c.wrapping_add(little_endian(block, 16, 24));
        (a, b, c) = mix(a, b, c);
        rest = tail;
    }
    c = c.wrapping_add(key.len() as u64);
    a = a.wrapping_add(little_endian(rest, 0, 8));
    b = b.wrapping_add(little_endian(rest, 8, 16));
    // The lowest byte of c is taken by the length.
    c = c.wrapping_add(little_endian(rest, 16, 23) << 8);
    mix(a, b, c).2
}

/// Bytes `from..to` of `bytes`, at most eight and as far as they exist, as a little-endian number.
const fn little_endian(bytes: &[u8], from: usize, to: usize) -> u64 {
    // Whole words are most of a path, and much faster than byte by byte.
    if to - from == 8
        && let Some((_, rest)) = bytes.split_at_checked(from)
        && let Some(word) = rest.first_chunk::<8>()
    {
        return u64::from_le_bytes(*word);
    }
    let mut value = 0;
    let mut i = from;
    while i < to && i < bytes.len() {
        value |= (bytes[i] as u64) << (8 * (i - from));
        i += 1;
    }
    value
}

const fn mix(mut a: u64, mut b: u64, mut c: u64) -> (u64, u64, u64) {
    macro_rules! steps {
        ($($x:ident $y:ident $z:ident $op:tt $n:literal;)*) => {
            $($x = $x.wrapping_sub($y).wrapping_sub($z) ^ ($z $op $n);)*
        };
    }
    steps! {
        a b c >> 43; b c a << 9; c a b >> 8;
        a b c >> 38; b c a << 23; c a b >> 5;
        a b c >> 35; b c a << 49; c a b >> 11;
        a b c >> 12; b c a << 18; c a b >> 22;
    }
    (a, b, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_vectors() {
        let vectors: &[(&[u8], u64)] = &[
            (b"", 10211412111675192767),
            (b"a", 2110215103713784748),
            (b"<STDIN>", 14734109647742566553),
            (b"<STDOUT>", 15920181672442173319),
            (b"<STDERR>", 7238257241479193519),
            (b"heatmap:POSIX", 16592106915301738621),
            (b"heatmap:STDIO", 3989511027826779520),
            (b"heatmap:MPIIO", 3668870418325792824),
            (b"/scratch/x/file.dat", 17164773690749945346),
            (b"0123456789abcdefghijklm", 14594194899850991341),
            (b"0123456789abcdefghijklmn", 11852029656593691862),
            (b"0123456789abcdefghijklmno", 14713679060577687863),
        ];
        for (name, id) in vectors {
            assert_eq!(record_id(name), *id, "{}", name.escape_ascii());
        }
        assert_eq!(hash(b"abc", 12345), 2085689186814375581);
    }
}

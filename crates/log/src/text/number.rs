//! Numbers as C's `printf` writes them.

/// Digits that are made at a time.
const BLOCK: usize = 8;
/// Numbers below this are one block.
pub(super) const BLOCK_LIMIT: u64 = 10_u64.pow(BLOCK as u32);
/// Numbers below this are two blocks.
pub(super) const TWO_BLOCKS_LIMIT: u64 = BLOCK_LIMIT * BLOCK_LIMIT;

/// Appends `value` as `%d`.
#[inline]
pub(super) fn int(text: &mut Vec<u8>, value: i64) {
    if value < 0 {
        text.push(b'-');
    }
    unsigned(text, value.unsigned_abs());
}

/// Appends `value` as `%u`.
#[inline]
pub(super) fn unsigned(text: &mut Vec<u8>, value: u64) {
    if value < 10 {
        text.push(b'0' + value as u8); // most counters are 0
        return;
    }
    if value >= TWO_BLOCKS_LIMIT {
        text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        return;
    }
    let (high, low) = (value / BLOCK_LIMIT, value % BLOCK_LIMIT);
    if high == 0 {
        significant(text, low);
    } else {
        significant(text, high);
        text.extend_from_slice(&zero_led(low));
    }
}

/// Appends `value` right-aligned in `width` columns.
pub(super) fn int_aligned(text: &mut Vec<u8>, value: i64, width: usize) {
    aligned(text, itoa::Buffer::new().format(value).as_bytes(), width);
}

/// Appends `value` right-aligned in `width` columns.
pub(super) fn unsigned_aligned(text: &mut Vec<u8>, value: u64, width: usize) {
    aligned(text, itoa::Buffer::new().format(value).as_bytes(), width);
}

/// Appends `value` with `DECIMALS` decimals, right-aligned in `width` columns.
pub(super) fn fixed_aligned<const DECIMALS: u32>(text: &mut Vec<u8>, value: f64, width: usize) {
    let start = text.len();
    fixed::<DECIMALS>(text, value);
    let len = text.len() - start;
    if len < width {
        let padding = width - len;
        text.resize(start + width, b' ');
        text.copy_within(start..start + len, start + padding);
        text[start..start + padding].fill(b' ');
    }
}

fn aligned(text: &mut Vec<u8>, digits: &[u8], width: usize) {
    const BLANKS: [u8; 32] = [b' '; 32];
    let padding = width.saturating_sub(digits.len());
    text.extend_from_slice(&BLANKS[..padding.min(BLANKS.len())]);
    text.extend_from_slice(digits);
}

/// Appends `value` as `%.<DECIMALS>f`: the exact binary value, rounded half to even.
/// There are up to 7 decimals.
#[inline]
pub(super) fn fixed<const DECIMALS: u32>(text: &mut Vec<u8>, value: f64) {
    if value.is_sign_negative() {
        text.push(b'-');
    }
    let magnitude = value.abs();
    if magnitude < LARGE {
        let (whole, fraction) = split(magnitude, const { 10_u64.pow(DECIMALS) });
        unsigned(text, whole);
        let point = const { BLOCK - 1 - DECIMALS as usize };
        let mut block = zero_led(fraction);
        block[point] = b'.';
        text.extend_from_slice(&block[point..]);
    } else {
        huge(text, magnitude, DECIMALS as usize);
    }
}

#[cold]
fn huge(text: &mut Vec<u8>, magnitude: f64, decimals: usize) {
    if magnitude.is_nan() {
        text.extend_from_slice(b"nan");
    } else if magnitude.is_infinite() {
        text.extend_from_slice(b"inf");
    } else {
        // Such numbers are integers, so there is nothing to round.
        text.extend_from_slice(format!("{magnitude:.0}.").as_bytes());
        text.resize(text.len() + decimals, b'0');
    }
}

/// `value`, below [`BLOCK_LIMIT`], right-aligned in 8 columns.
#[inline]
pub(super) fn blank_led(value: u64) -> [u8; BLOCK] {
    const TO_BLANK: u64 = ASCII_ZEROS - u64::from_le_bytes([b' '; BLOCK]);
    let digits = digits(value);
    let leading = (1 << leading_bits(digits)) - 1;
    (digits + ASCII_ZEROS - (TO_BLANK & leading)).to_le_bytes()
}

/// `value`, below [`BLOCK_LIMIT`], as 8 digits.
#[inline]
pub(super) fn zero_led(value: u64) -> [u8; BLOCK] {
    (digits(value) + ASCII_ZEROS).to_le_bytes()
}

/// Appends `value`, below [`BLOCK_LIMIT`]. A whole block is stored and the excess taken back,
/// because moves of a known size are the fast ones.
#[inline]
fn significant(text: &mut Vec<u8>, value: u64) {
    let digits = digits(value);
    let leading = leading_bits(digits);
    text.extend_from_slice(&((digits + ASCII_ZEROS) >> leading).to_le_bytes());
    text.truncate(text.len() - leading as usize / 8);
}

/// Eight characters `0`.
const ASCII_ZEROS: u64 = u64::from_le_bytes([b'0'; BLOCK]);

/// Bits of the zeros before the first digit that counts; the last digit always does.
#[inline]
fn leading_bits(digits: u64) -> u32 {
    (digits | 1 << 56).trailing_zeros() & !7
}

/// The eight digits of `value`, below [`BLOCK_LIMIT`], one in each byte, the first in the lowest.
///
/// Halves the number three times, each time for all parts at once. `x * 10486 >> 20` is `x / 100`
/// for x below 10,000 and `x * 103 >> 10` is `x / 10` for x below 100.
#[inline]
fn digits(value: u64) -> u64 {
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

/// From here on a double has no fraction.
const LARGE: f64 = 4_503_599_627_370_496.0; // 2^52

/// The integer part, and the rest in units of `1 / scale`, rounded half to even from the exact
/// binary value. `magnitude` is below [`LARGE`] and `scale` is an even number up to ten million.
#[inline]
pub(super) fn split(magnitude: f64, scale: u64) -> (u64, u64) {
    let bits = magnitude.to_bits();
    let exponent = (bits >> 52) as u32;
    // magnitude = mantissa / 2^shift
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let shift = 1075 - exponent;
    if shift >= 64 {
        return (0, small_fraction(mantissa, shift, scale));
    }
    let below = (1 << shift) - 1;
    let product = u128::from(mantissa & below) * u128::from(scale);
    let fraction = (product >> shift) as u64;
    let up = rounds_up(product as u64 & below, 1 << (shift - 1), fraction);
    match (mantissa >> shift, fraction + up) {
        (whole, carry) if carry == scale => (whole + 1, 0),
        parts => parts,
    }
}

/// `mantissa / 2^shift` in units of `1 / scale`, for numbers that are less than 2^-10.
fn small_fraction(mantissa: u64, shift: u32, scale: u64) -> u64 {
    if shift > 100 {
        return 0; // zero, or below 2^-47, of which no scale leaves anything
    }
    let product = u128::from(mantissa) * u128::from(scale);
    let fraction = (product >> shift) as u64;
    fraction + rounds_up(product & ((1 << shift) - 1), 1 << (shift - 1), fraction)
}

/// 1 if `rest` is more than `half`, or the same and `fraction` is odd. What stands before the
/// fraction is a multiple of an even scale, so it does not change the last digit's parity.
#[inline]
fn rounds_up<T: PartialOrd + Copy>(rest: T, half: T, fraction: u64) -> u64 {
    u64::from(rest > half || rest == half && fraction & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed6(value: f64) -> String {
        let mut text = Vec::new();
        fixed::<6>(&mut text, value);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn as_c_prints_them() {
        for (value, text) in [
            (0.0, "0.000000"),
            (-0.0, "-0.000000"),
            (-1.0, "-1.000000"),
            (0.000_976_562_5, "0.000977"), // 2^-10
            (0.999_999_5, "1.000000"),
            (0.999_999_7, "1.000000"),
            (0.5, "0.500000"),
            (1e-7, "0.000000"),
            (5e-7, "0.000000"), // the double is below the half
            (1.5e-6, "0.000002"),
            (0.0000005000000001, "0.000001"),
            (2.0_f64.powi(-7), "0.007812"), // a tie, to even: 0.0078125
            (3.0 * 2.0_f64.powi(-7), "0.023438"), // a tie, to even: 0.0234375
            (f64::MIN_POSITIVE, "0.000000"),
            (1_709_999_999.123_456_7, "1709999999.123457"),
            (4_503_599_627_370_495.5, "4503599627370495.500000"),
            (1e22, "10000000000000000000000.000000"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(fixed6(value), text, "{value:e}");
        }
    }

    /// Rust's own formatting is exact too, only slower.
    #[test]
    fn as_the_standard_library_prints_them() {
        let mut state = 0x1234_5678_9abc_def0_u64;
        for _ in 0..200_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Exponents from 2^-40 to 2^60.
            let exponent = 983 + state % 100;
            let value = f64::from_bits(exponent << 52 | state >> 12);
            assert_eq!(fixed6(value), format!("{value:.6}"), "{value:e}");
        }
    }

    #[test]
    fn integers() {
        let mut values: Vec<u64> = (0..20).map(|power| 10_u64.pow(power)).collect();
        values.extend([0, 7, 42, 12_345_678, 1_002_003_004_005, u64::MAX]);
        for value in values.into_iter().flat_map(|value| [value.wrapping_sub(1), value]) {
            let mut text = Vec::new();
            unsigned(&mut text, value);
            text.push(b' ');
            int(&mut text, value.cast_signed());
            let expected = format!("{value} {}", value.cast_signed());
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }

    #[test]
    fn blocks() {
        for value in (0..BLOCK_LIMIT).step_by(997).chain([9, 10, 99, 100, BLOCK_LIMIT - 1]) {
            assert_eq!(blank_led(value), format!("{value:8}").as_bytes());
            assert_eq!(zero_led(value), format!("{value:08}").as_bytes());
        }
    }

    #[test]
    fn alignment() {
        let mut text = Vec::new();
        fixed_aligned::<4>(&mut text, 2.555_55, 12);
        int_aligned(&mut text, -7, 5);
        unsigned_aligned(&mut text, 123_456, 4);
        assert_eq!(text, b"      2.5556   -7123456");
    }
}

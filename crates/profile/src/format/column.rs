//! Columns of numbers.
//!
//! A column has one of these forms, named by its first byte:
//! 0, one number for all; 1, the difference of each to the one before, which suits what repeats and is
//! compressed later; 2, blocks of 64 numbers, each as the difference to the middle one of its block, in
//! as many bits as they need (Rice codes), which suits noise; 3, the eight bytes of each, those of equal
//! weight together, which suits floating point.

use alloc::vec::Vec;

use super::bytes::{Damage, In, Out, fold, list, unfold};
use crate::NoMemory;

const SAME: u8 = 0;
const DIFFERENCES: u8 = 1;
const BLOCKS: u8 = 2;
const PLANES: u8 = 3;

/// Numbers of a block.
const BLOCK: usize = 64;
/// The number of ones after which a Rice code goes on with a length and all bits.
const ESCAPE: u32 = 12;

/// Appends a column.
pub(crate) fn put(values: &[u64], out: &mut Out) -> Result<(), NoMemory> {
    let Some(first) = values.first() else { return Ok(()) };
    out.claim(values.len() as u64, 8);
    if values.iter().all(|value| value == first) {
        out.byte(SAME);
        out.number(*first);
        return Ok(());
    }
    // What repeats is better left to deflate.
    let repeats = values.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let small = values.iter().all(|value| *value < 0x100);
    if repeats * 2 > values.len() || small || values.len() < 4 {
        out.byte(DIFFERENCES);
        let mut before = 0;
        for value in values {
            out.signed(value.wrapping_sub(before) as i64);
            before = *value;
        }
        return Ok(());
    }
    out.byte(BLOCKS);
    let mut sorted: Vec<u64> = list(BLOCK)?;
    let mut middle = 0_u64;
    for block in values.chunks(BLOCK) {
        sorted.clear();
        sorted.extend_from_slice(block);
        let next = *sorted.select_nth_unstable(block.len() / 2).1;
        out.signed(next.wrapping_sub(middle) as i64);
        middle = next;
        put_block(block, middle, out);
    }
    Ok(())
}

/// Appends a column of floating point.
pub(crate) fn put_floats(values: &[f64], out: &mut Out) -> Result<(), NoMemory> {
    let mut bits: Vec<u64> = list(values.len())?;
    bits.extend(values.iter().map(|value| value.to_bits()));
    if bits.windows(2).filter(|pair| pair[0] != pair[1]).count() * 8 <= bits.len() {
        return put(&bits, out);
    }
    out.claim(values.len() as u64, 8);
    out.byte(PLANES);
    for shift in (0..64).step_by(8) {
        bits.iter().for_each(|bits| out.byte((bits >> shift) as u8));
    }
    Ok(())
}

fn put_block(block: &[u64], middle: u64, out: &mut Out) {
    let mut codes = [0; BLOCK];
    let codes = &mut codes[..block.len()];
    for (code, value) in codes.iter_mut().zip(block) {
        *code = fold(value.wrapping_sub(middle) as i64);
    }
    let k = best_bits(codes);
    out.byte(k as u8);
    let mut bits = BitOut { out, waiting: 0, count: 0 };
    for code in codes {
        let ones = *code >> k;
        if ones < u64::from(ESCAPE) {
            // The ones, a zero, and the low bits.
            let low = *code & ((1 << k) - 1);
            bits.put((1 << ones) - 1, ones as u32 + 1);
            bits.put(low, k);
        } else {
            bits.put((1 << ESCAPE) - 1, ESCAPE);
            let len = 64 - code.leading_zeros();
            bits.put(u64::from(len - 1), 6);
            bits.put(*code, len);
        }
    }
    bits.finish();
}

/// The number of low bits with which codes take the fewest bits.
fn best_bits(codes: &[u64]) -> u32 {
    let cost = |k: u32| codes.iter().map(|code| code_bits(*code, k)).sum::<u64>();
    let mean = codes.iter().fold(0_u64, |sum, code| sum.saturating_add(*code)) / codes.len() as u64;
    // Outliers raise the mean, so the best is at or below it, and near it.
    let highest = 63 - (mean | 1).leading_zeros();
    let (mut best, mut least) = (highest, cost(highest));
    for k in (highest.saturating_sub(8)..highest).rev() {
        let bits = cost(k);
        if bits > least {
            break;
        }
        (best, least) = (k, bits);
    }
    best
}

fn code_bits(code: u64, k: u32) -> u64 {
    let ones = code >> k;
    if ones < u64::from(ESCAPE) {
        ones + 1 + u64::from(k)
    } else {
        u64::from(ESCAPE + 6 + 64 - code.leading_zeros())
    }
}

/// Bits that become bytes, the lowest first.
struct BitOut<'o> {
    out: &'o mut Out,
    waiting: u128,
    count: u32,
}

impl BitOut<'_> {
    fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= u128::from(bits) << self.count;
        self.count += count;
        if self.count >= 64 {
            self.out.long(self.waiting as u64);
            self.waiting >>= 64;
            self.count -= 64;
        }
    }

    fn finish(self) {
        let bytes = (self.waiting as u64).to_le_bytes();
        self.out.put(&bytes[..self.count.div_ceil(8) as usize]);
    }
}

struct BitIn<'b, 'i> {
    input: &'b mut In<'i>,
    waiting: u128,
    count: u32,
}

impl BitIn<'_, '_> {
    fn take(&mut self, count: u32) -> Result<u64, Damage> {
        while self.count < count {
            self.waiting |= u128::from(self.input.byte()?) << self.count;
            self.count += 8;
        }
        let bits = self.waiting & ((1 << count) - 1);
        self.waiting >>= count;
        self.count -= count;
        Ok(bits as u64)
    }
}

/// Reads a column of so many numbers, for which there must be room.
pub(crate) fn take(input: &mut In<'_>, count: usize) -> Result<Vec<u64>, Damage> {
    if count == 0 {
        return Ok(Vec::new());
    }
    input.claim(count as u64, 8, "numbers")?;
    let mut values = list(count)?;
    match input.byte()? {
        SAME => values.resize(count, input.number()?),
        DIFFERENCES => {
            let mut value = 0_u64;
            for _ in 0..count {
                value = value.wrapping_add(input.signed()? as u64);
                values.push(value);
            }
        }
        BLOCKS => {
            let mut middle = 0_u64;
            while values.len() < count {
                middle = middle.wrapping_add(input.signed()? as u64);
                let len = BLOCK.min(count - values.len());
                take_block(input, len, middle, &mut values)?;
            }
        }
        PLANES => {
            values.resize(count, 0);
            for shift in (0..64).step_by(8) {
                let plane = input.take(count)?;
                for (value, byte) in values.iter_mut().zip(plane) {
                    *value |= u64::from(*byte) << shift;
                }
            }
        }
        _ => return Err(Damage::Unknown("form of columns")),
    }
    Ok(values)
}

/// Reads a column of floating point.
pub(crate) fn take_floats(input: &mut In<'_>, count: usize) -> Result<Vec<f64>, Damage> {
    Ok(take(input, count)?.into_iter().map(f64::from_bits).collect())
}

fn take_block(
    input: &mut In<'_>,
    len: usize,
    middle: u64,
    values: &mut Vec<u64>,
) -> Result<(), Damage> {
    let k = u32::from(input.byte()?);
    if k > 63 {
        return Err(Damage::Number);
    }
    let mut bits = BitIn { input, waiting: 0, count: 0 };
    for _ in 0..len {
        let mut ones = 0;
        while ones < ESCAPE && bits.take(1)? == 1 {
            ones += 1;
        }
        let code = if ones < ESCAPE {
            // A code that was written so has at most 64 bits.
            let high = u128::from(ones) << k;
            (high as u64) | bits.take(k)?
        } else {
            let len = bits.take(6)? as u32 + 1;
            bits.take(len)?
        };
        values.push(middle.wrapping_add(unfold(code) as u64));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn round(values: &[u64]) -> usize {
        let mut out = Out::default();
        put(values, &mut out).unwrap();
        let bytes = out.finish().unwrap();
        let mut input = In::new(&bytes, 1 << 30);
        assert_eq!(take(&mut input, values.len()).unwrap(), values);
        assert!(input.is_empty());
        // Cut anywhere, it is an error.
        for end in 0..bytes.len() {
            assert!(take(&mut In::new(&bytes[..end], 1 << 30), values.len()).is_err());
        }
        bytes.len()
    }

    #[test]
    fn columns_come_back() {
        assert_eq!(round(&[]), 0);
        round(&[0]);
        round(&[u64::MAX, 0, u64::MAX, 1, 1 << 63, 7]);
        round(&vec![5; 1000]);
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 20
        };
        for len in [1, 2, 3, 4, 5, 63, 64, 65, 128, 1000] {
            for shift in [0, 4, 20, 40] {
                let values: Vec<u64> = (0..len).map(|_| next() >> shift).collect();
                round(&values);
                let steep: Vec<u64> = values
                    .iter()
                    .enumerate()
                    .map(|(i, v)| if i % 20 == 7 { v << 19 } else { *v })
                    .collect();
                round(&steep);
                let floats: Vec<f64> = values.iter().map(|value| *value as f64 / 7.0).collect();
                let mut out = Out::default();
                put_floats(&floats, &mut out).unwrap();
                let bytes = out.finish().unwrap();
                assert_eq!(take_floats(&mut In::new(&bytes, 1 << 30), len).unwrap(), floats);
            }
        }
    }

    #[test]
    fn noise_takes_as_many_bits_as_it_has() {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 40
        };
        // A step of 200 µs that varies by 1 %, and one in 20 that takes nine times as long.
        let values: Vec<u64> = (0..4096)
            .map(|i| 200_000 + next() % 4000 + if i % 20 == 0 { 1_600_000 } else { 0 })
            .collect();
        let bytes = round(&values);
        assert!(bytes <= 2 * values.len(), "{bytes}");
    }
}

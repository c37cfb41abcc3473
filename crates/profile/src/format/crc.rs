//! CRC-32, as zip and PNG have it.

/// Four tables, so that four bytes are taken at once.
const TABLES: [[u32; 256]; 4] = {
    let mut tables = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xEDB8_8320 ^ value >> 1 } else { value >> 1 };
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
    }
    let mut table = 1;
    while table < 4 {
        let mut byte = 0;
        while byte < 256 {
            let before: u32 = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
};

/// The checksum of bytes.
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    let (words, rest) = bytes.as_chunks::<4>();
    for word in words {
        let [a, b, c, d] = (crc ^ u32::from_le_bytes(*word)).to_le_bytes().map(usize::from);
        crc = TABLES[3][a] ^ TABLES[2][b] ^ TABLES[1][c] ^ TABLES[0][d];
    }
    for byte in rest {
        crc = crc >> 8 ^ TABLES[0][((crc ^ u32::from(*byte)) & 0xFF) as usize];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::crc;

    #[test]
    fn checksums_are_those_of_zip() {
        assert_eq!(crc(b""), 0);
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc(b"The quick brown fox jumps over the lazy dog"), 0x414F_A339);
    }
}

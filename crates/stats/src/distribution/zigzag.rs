//! Zig-zag LEB128 numbers of at most nine bytes, the last of which has eight bits: `ZigZagEncoding` of `HdrHistogram`.

#[expect(clippy::cast_possible_truncation, reason = "only the low bits are taken")]
#[inline]
pub(super) fn push(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    for _ in 0..8 {
        if rest < 0x80 {
            bytes.push(rest as u8);
            return;
        }
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Reads a number that [`push`] wrote.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<i64> {
    let mut zigzag = 0_u64;
    for shift in (0..=56).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let is_last = shift == 56 || byte & 0x80 == 0;
        zigzag |= u64::from(if shift == 56 { byte } else { byte & 0x7f }) << shift;
        if is_last {
            break;
        }
    }
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_round_trip(number in any::<i64>()) {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            prop_assert!(bytes.len() <= 9);
            prop_assert_eq!(take(&mut bytes.as_slice()), Some(number));
        }
    }
}

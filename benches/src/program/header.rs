//! Message headers of programs: eight hexadecimal digits derived from the message's number. The receiver sums them, and
//! the harness knows the expected sum. So a program that counts sent messages as received, or a message twice, is
//! detected.

/// The shortest message: only a header.
pub const HEADER_BYTES: usize = 8;

/// Spreads successive numbers over 32 bits: 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming 3,
/// section 6.4).
pub const SPREAD: u32 = 2_654_435_761;

/// Returns the header of this message as a number, counted from 0 at the first recorded message.
pub fn for_message(seed: u32, message: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the headers repeat after 2^32 messages")]
    let number = message as u32;
    seed.wrapping_add(number).wrapping_mul(SPREAD)
}

/// Returns the sum of the headers of this many messages, modulo 2^32.
pub fn sum(seed: u32, messages: u64) -> u32 {
    // The sum of (seed + k) * SPREAD for k below n is (n * seed + n * (n - 1) / 2) * SPREAD.
    let [n, seed] = [u128::from(messages), u128::from(seed)];
    let numbers = n * seed + n * n.saturating_sub(1) / 2;
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
    let numbers = numbers as u32;
    numbers.wrapping_mul(SPREAD)
}

/// Writes a header to the beginning of a message.
pub fn write(message: &mut [u8], header: u32) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (at, byte) in message.iter_mut().take(HEADER_BYTES).enumerate() {
        *byte = DIGITS[(header >> (28 - 4 * at) & 15) as usize];
    }
}

/// Reads the header of a message, if it has one.
pub fn read(message: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(message.get(..HEADER_BYTES)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

/// The receiver's counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// Messages with the expected header.
    pub delivered: u64,
    /// Sum of all headers, modulo 2^32.
    pub sum: u32,
}

impl Sum {
    /// Adds the header of a message.
    pub fn add(&mut self, message: &[u8], expected: u32) {
        if let Some(header) = read(message) {
            self.sum = self.sum.wrapping_add(header);
            self.delivered += u64::from(header == expected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sum_equals_the_sum_of_heads(seed: u32, messages in 0..5_000_u64) {
            let added = (0..messages).fold(0_u32, |sum, message| sum.wrapping_add(for_message(seed, message)));
            prop_assert_eq!(sum(seed, messages), added);
        }

        #[test]
        fn header_round_trips(header: u32, length in HEADER_BYTES..100) {
            let mut message = vec![b'.'; length];
            write(&mut message, header);
            let digits = format!("{header:08x}");
            prop_assert_eq!(&message[..HEADER_BYTES], digits.as_bytes());
            prop_assert_eq!(read(&message), Some(header));
        }

        #[test]
        fn replacing_a_message_changes_the_sum(seed: u32, one in 0..5_000_u64, other in 0..5_000_u64) {
            prop_assume!(one != other);
            prop_assert_ne!(for_message(seed, one), for_message(seed, other));
        }
    }
}

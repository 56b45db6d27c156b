//! How a message of a program is recognised: it begins with eight hexadecimal digits that follow from its number, and
//! who receives it adds these up. The harness knows the sum, so a program that counts what it sent as received, or
//! receives the same message twice, is found out.

/// The shortest message: a head and nothing else.
pub const HEAD_BYTES: usize = 8;

/// Spreads successive numbers over 32 bits: 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming 3,
/// section 6.4).
pub const SPREAD: u32 = 2_654_435_761;

/// The head of this message, counted from 0 at the first that is recorded, as a number.
pub fn of(seed: u32, message: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the heads repeat after 2^32 messages")]
    let number = message as u32;
    seed.wrapping_add(number).wrapping_mul(SPREAD)
}

/// The sum of the heads of so many messages, modulo 2^32.
pub fn sum(seed: u32, messages: u64) -> u32 {
    // The sum of (seed + k) * SPREAD for k below n is (n * seed + n * (n - 1) / 2) * SPREAD.
    let [n, seed] = [u128::from(messages), u128::from(seed)];
    let numbers = n * seed + n * n.saturating_sub(1) / 2;
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
    let numbers = numbers as u32;
    numbers.wrapping_mul(SPREAD)
}

/// Writes a head to the beginning of a message.
pub fn write(message: &mut [u8], head: u32) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (at, byte) in message.iter_mut().take(HEAD_BYTES).enumerate() {
        *byte = DIGITS[(head >> (28 - 4 * at) & 15) as usize];
    }
}

/// The head of a message, if it has one.
pub fn read(message: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(message.get(..HEAD_BYTES)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

/// What a receiver adds up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// Messages with the head that was expected.
    pub delivered: u64,
    /// Of the heads of all, modulo 2^32.
    pub sum: u32,
}

impl Sum {
    /// Adds the head of a message.
    pub fn add(&mut self, message: &[u8], expected: u32) {
        if let Some(head) = read(message) {
            self.sum = self.sum.wrapping_add(head);
            self.delivered += u64::from(head == expected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_that_of_the_heads(seed: u32, messages in 0..5_000_u64) {
            let added = (0..messages).fold(0_u32, |sum, message| sum.wrapping_add(of(seed, message)));
            prop_assert_eq!(sum(seed, messages), added);
        }

        #[test]
        fn a_head_is_read_as_it_was_written(head: u32, length in HEAD_BYTES..100) {
            let mut message = vec![b'.'; length];
            write(&mut message, head);
            let digits = format!("{head:08x}");
            prop_assert_eq!(&message[..HEAD_BYTES], digits.as_bytes());
            prop_assert_eq!(read(&message), Some(head));
        }

        #[test]
        fn one_message_in_the_place_of_another_changes_the_sum(seed: u32, one in 0..5_000_u64, other in 0..5_000_u64) {
            prop_assume!(one != other);
            prop_assert_ne!(of(seed, one), of(seed, other));
        }
    }
}

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
        fn one_message_in_the_place_of_another_changes_the_sum(seed: u32, one in 0..5_000_u64, other in 0..5_000_u64) {
            prop_assume!(one != other);
            prop_assert_ne!(of(seed, one), of(seed, other));
        }
    }
}

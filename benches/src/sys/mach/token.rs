//! [`Address`] and [`Token`]: where the ends of a channel meet, and how they authenticate each other.

use crate::sys::mach::abi;
use std::ffi::{CStr, CString};
use std::fmt;
use std::hint::black_box;
use std::io;
use std::str::FromStr;

/// Too many to guess.
pub(crate) const TOKEN_BYTES: usize = 32;

/// Prefix of the services' names: a reversed domain, as is usual there.
const PREFIX: &str = "org.roundtrip-ipc.";

/// A secret that only the harness and both ends know.
#[derive(Clone, Copy)]
pub(crate) struct Token([u8; TOKEN_BYTES]);

impl Token {
    #[cfg(any(target_os = "macos", test))]
    pub(crate) fn from_bytes(bytes: [u8; TOKEN_BYTES]) -> Self {
        Self(bytes)
    }

    /// Reads it from the start of these bytes, if they are enough.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().copied().map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; TOKEN_BYTES] {
        &self.0
    }
}

/// Takes constant time, so that the time does not reveal how much of a guess was right.
impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        black_box(
            self.0.iter().zip(&other.0).fold(0, |differences, (ours, theirs)| differences | (ours ^ theirs)),
        ) == 0
    }
}

impl Eq for Token {}

/// Hides the secret.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}

/// The name that one end checks in and the other looks up, and the token: `NAME/TOKEN`, the token in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    service: CString,
    pub(crate) token: Token,
}

impl Address {
    /// Generates a unique, unguessable address. Its name contains the process that generates it.
    pub(crate) fn generate() -> io::Result<Self> {
        let name = format!("{PREFIX}{}.{:016x}", std::process::id(), rand::random::<u64>());
        Ok(Self { service: CString::new(name)?, token: Token(rand::random()) })
    }

    /// The address of the process that lends the right for this token: the token's first 8 bytes are its number.
    #[cfg(any(target_os = "macos", test))]
    pub(crate) fn for_lender(token: Token) -> io::Result<Self> {
        let number = token.0.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
        Ok(Self { service: CString::new(format!("{PREFIX}{number:016x}"))?, token })
    }

    pub(crate) fn service(&self) -> &CStr {
        &self.service
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/", self.service.to_string_lossy())?;
        self.token.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl FromStr for Address {
    type Err = io::Error;

    fn from_str(address: &str) -> io::Result<Self> {
        let wrong = || {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "expected {PREFIX}PROCESS.NUMBER/TOKEN, the token as {} hexadecimal digits",
                    2 * TOKEN_BYTES
                ),
            )
        };
        let (name, token) = address.split_once('/').ok_or_else(wrong)?;
        let is_name = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte) || byte == b'.';
        let is_ours =
            name.strip_prefix(PREFIX).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_name));
        if !is_ours || name.len() >= abi::SERVICE_NAME_BYTES_MAX {
            return Err(wrong());
        }
        let token = bytes_of(token).ok_or_else(wrong)?;
        Ok(Self { service: CString::new(name).map_err(|_| wrong())?, token })
    }
}

/// Exactly as many hexadecimal digits as a token has, in lower case.
fn bytes_of(digits: &str) -> Option<Token> {
    if digits.len() != 2 * TOKEN_BYTES || digits.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let mut token = [0; TOKEN_BYTES];
    for (byte, pair) in token.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        let [high, low] = [pair[0], pair[1]].map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from(high? * 16 + low?).ok()?;
    }
    Some(Token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_round_trips_and_is_unique() {
        let (first, second) = (Address::generate().unwrap(), Address::generate().unwrap());
        assert_eq!(first.to_string().parse::<Address>().unwrap(), first);
        assert!(first.service != second.service && first.token != second.token);
        let name = first.service().to_str().unwrap();
        assert!(name.contains(&format!(".{}.", std::process::id())) && name.len() < 128, "{name}");
        assert!(!format!("{first:?}").contains(&first.to_string()[name.len() + 1..]), "the token is shown");
    }

    #[test]
    fn rejects_malformed_addresses() {
        let token = "0123456789abcdef".repeat(4);
        assert!(format!("{PREFIX}12.ab/{token}").parse::<Address>().is_ok());
        for wrong in [
            String::new(),
            format!("{PREFIX}12.ab"),
            format!("{PREFIX}12.ab/"),
            format!("{PREFIX}12.ab/{}", &token[1..]),
            format!("{PREFIX}12.ab/{token}0"),
            format!("{PREFIX}12.ab/{}", token.to_uppercase()),
            format!("{PREFIX}12.ab/{}+f", &token[2..]),
            format!("{PREFIX}/{token}"),
            format!("{PREFIX}12.xy/{token}"),
            format!("com.apple.12/{token}"),
            format!("{PREFIX}{}/{token}", "1".repeat(128 - PREFIX.len())),
        ] {
            let error = wrong.parse::<Address>().unwrap_err().to_string();
            assert!(error.starts_with("expected org.roundtrip-ipc.PROCESS"), "{wrong}: {error}");
        }
    }

    #[test]
    fn tokens_that_differ_in_one_bit_are_different() {
        let token = Token([7; TOKEN_BYTES]);
        assert_eq!(token, Token([7; TOKEN_BYTES]));
        for at in 0..TOKEN_BYTES {
            let mut other = [7; TOKEN_BYTES];
            other[at] ^= 1;
            assert_ne!(token, Token(other), "{at}");
        }
    }
}

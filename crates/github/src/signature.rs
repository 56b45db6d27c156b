//! [`Signature`]: the signature of a webhook over its raw body, verified before parsing.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The stated signature of a body, compared with the parts of the body while they arrive.
#[derive(Debug)]
pub struct Signature {
    stated: Vec<u8>,
    mac: Hmac<Sha256>,
}

impl Signature {
    pub(crate) fn new(secret: &[u8], header: &str) -> Option<Self> {
        let stated = header.strip_prefix("sha256=").and_then(|hex| hex::decode(hex).ok())?;
        Some(Self { stated, mac: Hmac::<Sha256>::new_from_slice(secret).ok()? })
    }

    /// Adds a part of the body.
    pub fn update(&mut self, part: &[u8]) {
        self.mac.update(part);
    }

    /// Whether all parts were signed with the secret, compared in constant time.
    pub fn is_valid(self) -> bool {
        self.mac.verify_slice(&self.stated).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"It's a Secret to Everybody";
    const SIGNATURE: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn is_signed(secret: &[u8], header: &str, body: &[u8]) -> bool {
        let Some(mut signature) = Signature::new(secret, header) else { return false };
        for part in body.chunks(5) {
            signature.update(part);
        }
        signature.is_valid()
    }

    #[test]
    fn verifies_githubs_example_signature() {
        assert!(is_signed(SECRET, SIGNATURE, b"Hello, World!"));
        assert!(is_signed(SECRET, &SIGNATURE.to_uppercase().replace("SHA", "sha"), b"Hello, World!"));
        assert!(!is_signed(SECRET, SIGNATURE, b"Hello, World?"));
        assert!(!is_signed(b"another", SIGNATURE, b"Hello, World!"));
        let broken = ["", "sha256=", "sha1=757107", "sha256=7571", "sha256=+f", "sha256=zz", &SIGNATURE[7..]];
        for signature in broken {
            assert!(!is_signed(SECRET, signature, b"Hello, World!"), "{signature}");
        }
        assert!(!is_signed(SECRET, &SIGNATURE[..SIGNATURE.len() - 2], b"Hello, World!"));
    }
}

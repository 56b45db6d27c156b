//! [`Secret`]: a token, session cookie or enrolment code.
//!
//! It consists of a prefix for its kind, 30 random base-62 characters (178 bits) and a 6-character checksum.
//! The checksum detects a mistyped or truncated secret without a database query; the prefix lets scanners
//! find leaked ones.
//!
//! The database stores only the SHA-256, and looks secrets up by it. This needs no constant-time comparison:
//! timing could only reveal how many bits of a *digest* match, and no attacker can choose a secret by its
//! digest or guess 178 bits. A fast digest is sufficient for the same reason.

use super::TokenKind;
use rand::RngExt;
use sha2::{Digest, Sha256};

const RANDOM_CHARACTERS: usize = 30;
const CHECKSUM_CHARACTERS: usize = 6;
/// Characters of the random part: enough to recognise a token, too few to use it.
const SHOWN_CHARACTERS: usize = 6;
const BASE_62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// From the first versions, which only had agents' tokens.
const OLD_AGENT: &str = "rt_";
const SESSION: &str = "rts_";
const ENROLMENT: &str = "rte_";

/// The purpose of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A bearer token.
    Token(TokenKind),
    /// The cookie of a session.
    Session,
    /// A single-use enrolment code.
    Enrolment,
}

/// A well-formed secret. Only [`Secret::expose`] reveals it.
#[derive(Clone)]
pub struct Secret {
    kind: SecretKind,
    text: String,
}

impl Secret {
    /// Generates a new secret.
    pub fn draw(kind: SecretKind) -> Self {
        let mut random = rand::rng();
        let body: String = (0..RANDOM_CHARACTERS)
            .map(|_| char::from(BASE_62[random.random_range(0..BASE_62.len())]))
            .collect();
        Self { kind, text: format!("{}{body}{}", kind.prefix(), checksum(&body)) }
    }

    /// Parses a secret; none if a character is wrong or missing.
    pub fn parse(text: &str) -> Option<Self> {
        let kinds = TokenKind::ALL
            .map(SecretKind::Token)
            .into_iter()
            .chain([SecretKind::Session, SecretKind::Enrolment]);
        let known = kinds
            .map(|kind| (kind.prefix(), kind))
            .chain([(OLD_AGENT, SecretKind::Token(TokenKind::Agent))])
            .find_map(|(prefix, kind)| Some((kind, text.strip_prefix(prefix)?)));
        let (kind, rest) = known?;
        let (body, sum) = rest.split_at_checked(RANDOM_CHARACTERS)?;
        (sum == checksum(body)).then(|| Self { kind, text: text.to_owned() })
    }

    /// Its purpose.
    pub fn kind(&self) -> SecretKind {
        self.kind
    }

    /// The stored hash.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(&self.text).into()
    }

    /// Its first characters, to recognise it.
    pub fn prefix(&self) -> &str {
        let begin = self.text.find('_').map_or(0, |underscore| underscore + 1);
        self.text.get(..begin + SHOWN_CHARACTERS).unwrap_or_default()
    }

    /// The full secret, for its owner.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Secret({}...)", self.prefix())
    }
}

impl SecretKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Token(TokenKind::User) => "rtu_",
            Self::Token(TokenKind::Agent) => "rta_",
            Self::Token(TokenKind::Ci) => "rtc_",
            Self::Session => SESSION,
            Self::Enrolment => ENROLMENT,
        }
    }
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut digits = [BASE_62[0]; CHECKSUM_CHARACTERS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE_62[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: SecretKind = SecretKind::Token(TokenKind::Agent);

    #[test]
    fn secrets_have_their_kind_and_are_unique() {
        for kind in
            [AGENT, SecretKind::Token(TokenKind::User), SecretKind::Token(TokenKind::Ci), SecretKind::Session]
        {
            let (one, other) = (Secret::draw(kind), Secret::draw(kind));
            let parsed = Secret::parse(one.expose()).unwrap();
            assert_eq!((parsed.kind(), parsed.expose()), (kind, one.expose()));
            assert_ne!(one.expose(), other.expose());
            assert_ne!(one.digest(), other.digest());
        }
    }

    #[test]
    fn old_tokens_are_agent_tokens() {
        let old = Secret::draw(AGENT).expose().replacen("rta_", "rt_", 1);
        let parsed = Secret::parse(&old).unwrap();
        assert_eq!((parsed.kind(), parsed.prefix()), (AGENT, &old[..9]));
    }

    #[test]
    fn rejects_changed_or_missing_characters() {
        let token = Secret::draw(AGENT).expose().to_owned();
        let last = if token.ends_with('0') { "1" } else { "0" };
        assert!(Secret::parse(&format!("{}{last}", &token[..token.len() - 1])).is_none());
        assert!(Secret::parse(&token[..token.len() - 1]).is_none());
        assert!(Secret::parse(&token.replacen("rta_", "gh_", 1)).is_none());
        assert!(Secret::parse("rta_ööööööööööööööööööööööööööööööö").is_none());
    }

    #[test]
    fn debug_output_hides_the_secret() {
        let secret = Secret::draw(SecretKind::Session);
        let shown = format!("{secret:?}");
        assert!(shown.contains(secret.prefix()) && !shown.contains(&secret.expose()[..12]), "{shown}");
    }
}

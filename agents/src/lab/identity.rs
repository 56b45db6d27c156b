//! The identity of an enrolled agent: key, token and state in a private folder written by `roundtrip enrol`.

use crate::failure::{Failure, OnDisk};
use crate::{platform, spool};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use roundtrip_wire::Slug;
use roundtrip_wire::lab::{AgentToken, RENEWAL_CONTEXT};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "enrolment.json";
const KEY_FILE: &str = "agent.key";
const TOKEN_FILE: &str = "agent.token";
/// The job user runs programs in a subfolder, so other users may traverse this folder, but not list it.
pub(super) const TRAVERSABLE: u32 = 0o711;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Enrolled {
    pub(crate) server: String,
    pub(crate) agent_id: i64,
    pub(crate) machine: Slug,
    pub(crate) token_expires_at: DateTime<Utc>,
    /// The minisign key that must have signed updates; `None` turns self-updates off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) update_key: Option<String>,
}

/// A random key that never leaves this machine.
pub(crate) struct Key {
    pair: Ed25519KeyPair,
    document: Vec<u8>,
}

pub(crate) struct Identity {
    pub(crate) enrolled: Enrolled,
    pub(crate) folder: PathBuf,
    key: Key,
}

/// The state folder: as given; for root, the one of the service; else next to the reports of `roundtrip run`.
pub(crate) fn folder(given: Option<&Path>) -> crate::Result<PathBuf> {
    let usual = || {
        if platform::is_administrator() {
            platform::SYSTEM.lab_state()
        } else {
            spool::folder().with_file_name("lab")
        }
    };
    let folder = given.map_or_else(usual, Path::to_owned);
    // Programs start in other folders.
    std::path::absolute(&folder)
        .map_err(|error| Failure::Usage(format!("invalid path `{}` in --state: {error}", folder.display())))
}

impl Key {
    pub(crate) fn generate() -> crate::Result<Self> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| Failure::Other("cannot create a key: no random numbers from the system".into()))?;
        Self::read(document.as_ref().to_vec())
    }

    fn read(document: Vec<u8>) -> crate::Result<Self> {
        let pair = Ed25519KeyPair::from_pkcs8(&document).map_err(|error| {
            Failure::Authentication(format!("no valid key in {KEY_FILE}: {error}. Enrol again."))
        })?;
        Ok(Self { pair, document })
    }

    pub(crate) fn public(&self) -> String {
        BASE64_STANDARD.encode(self.pair.public_key().as_ref())
    }
}

impl Identity {
    /// Writes the identity from an enrolment, and replaces a previous one.
    pub(crate) fn write(
        folder: &Path,
        enrolled: Enrolled,
        key: Key,
        token: &AgentToken,
    ) -> crate::Result<Self> {
        platform::create_private_folder(folder).on_disk(folder)?;
        platform::set_mode(folder, TRAVERSABLE).on_disk(folder)?;
        spool::write_private(&folder.join(KEY_FILE), &key.document)?;
        let identity = Self { enrolled, folder: folder.to_owned(), key };
        identity.keep(token)?;
        Ok(identity)
    }

    pub(crate) fn read(folder: &Path) -> crate::Result<Self> {
        let read = |name: &str| {
            fs::read(folder.join(name)).map_err(|error| {
                Failure::Authentication(format!(
                    "no enrolled agent in {}: {error}. Enrol it with: roundtrip enrol --server URL",
                    folder.display()
                ))
            })
        };
        let enrolled = serde_json::from_slice(&read(FILE)?).map_err(|error| {
            Failure::Authentication(format!(
                "{} is invalid: {error}. Enrol again.",
                folder.join(FILE).display()
            ))
        })?;
        Ok(Self { enrolled, folder: folder.to_owned(), key: Key::read(read(KEY_FILE)?)? })
    }

    pub(crate) fn token_file(&self) -> PathBuf {
        self.folder.join(TOKEN_FILE)
    }

    pub(crate) fn renew(&mut self, token: &AgentToken) -> crate::Result<()> {
        self.enrolled.token_expires_at = token.expires_at;
        self.keep(token)
    }

    fn keep(&self, token: &AgentToken) -> crate::Result<()> {
        spool::write_private(&self.token_file(), token.secret.as_bytes())?;
        spool::write_json(&self.folder.join(FILE), &self.enrolled)
    }

    pub(crate) fn sign(&self, challenge: &str) -> crate::Result<String> {
        let challenge = BASE64_STANDARD
            .decode(challenge)
            .map_err(|error| Failure::Other(format!("unexpected challenge from the server: {error}")))?;
        let message = [RENEWAL_CONTEXT, &challenge].concat();
        Ok(BASE64_STANDARD.encode(self.key.pair.sign(&message).as_ref()))
    }
}

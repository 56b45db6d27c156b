//! Webhooks: the message as JSON, signed according to the Standard Webhooks specification, which has libraries for many
//! languages. `docs/reference/webhook.md` describes verification.

use super::delivery::{Delivery, Failure};
use super::outgoing::Outgoing;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const KEY_PREFIX: &str = "whsec_";
const KEY_BYTES: usize = 32;

/// A new random key. It is shown once.
pub(crate) fn generate_key() -> String {
    format!("{KEY_PREFIX}{}", STANDARD.encode(rand::random::<[u8; KEY_BYTES]>()))
}

pub(super) fn send(outgoing: &Outgoing, delivery: Delivery<'_>) -> Result<(), Failure> {
    let body = serde_json::to_vec(delivery.message).map_err(|error| Failure::refused(error.to_string()))?;
    let key = delivery.channel.secret.as_deref().unwrap_or_default();
    let id = delivery.message.message_id.to_string();
    let timestamp = Utc::now().timestamp();
    let signature = sign(key, &id, timestamp, &body).ok_or_else(|| {
        Failure::refused("its key is invalid: delete the channel and create it again".to_owned())
    })?;
    let headers =
        [("webhook-id", id), ("webhook-timestamp", timestamp.to_string()), ("webhook-signature", signature)];
    outgoing.post(&delivery.channel.target, &headers, &body)
}

/// The signature over the body, the message id and the time of sending, so that none of them can be replaced.
/// None if the key is invalid.
fn sign(key: &str, id: &str, timestamp: i64, body: &[u8]) -> Option<String> {
    let key = STANDARD.decode(key.strip_prefix(KEY_PREFIX)?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of the specification's own libraries.
    #[test]
    fn signs_as_the_specification() {
        let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let signature = sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signature.unwrap(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn only_valid_keys_sign() {
        assert_ne!(generate_key(), generate_key());
        assert!(sign(&generate_key(), "id", 0, b"").is_some());
        for key in ["", "whsec_", "whsec_*", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert_eq!(sign(key, "id", 0, b"").is_some(), key == "whsec_", "{key}");
        }
    }
}

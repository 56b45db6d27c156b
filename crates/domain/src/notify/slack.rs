//! Slack: an incoming webhook that receives blocks. Compatible services show the text.

use super::delivery::{Delivery, Failure};
use super::message_text::{Item, MessageText};
use super::outgoing::Outgoing;
use quick_xml::escape::partial_escape;
use roundtrip_storage::notification::payload::Message;
use serde_json::{Value, json};

/// Slack's limit for headers, in characters.
const HEADER_MAX: usize = 150;

pub(super) fn send(outgoing: &Outgoing, delivery: Delivery<'_>) -> Result<(), Failure> {
    let body = blocks(delivery.message).to_string();
    outgoing.post(&delivery.channel.target, &[], body.as_bytes())
}

/// Title, items and links. `text` is shown in desktop notifications.
fn blocks(message: &Message) -> Value {
    let words = MessageText::new(message);
    let header: String = words.title.chars().take(HEADER_MAX).collect();
    let mut blocks = vec![json!({ "type": "header", "text": { "type": "plain_text", "text": header } })];
    blocks.extend(words.items.iter().map(|item| section(&item_text(item))));
    blocks.extend(words.rest.iter().map(|rest| section(&escaped(rest))));
    let links = format!(
        "{} · {}",
        link(&message.url, words.page),
        link(&message.settings_url, "Notification settings")
    );
    blocks.push(json!({ "type": "context", "elements": [{ "type": "mrkdwn", "text": links }] }));
    json!({ "text": escaped(&words.title), "blocks": blocks, "unfurl_links": false })
}

fn section(text: &str) -> Value {
    json!({ "type": "section", "text": { "type": "mrkdwn", "text": text } })
}

fn item_text(item: &Item) -> String {
    let what = match &item.url {
        Some(url) => link(url, &item.what),
        None => escaped(&item.what),
    };
    format!("*{what}*\n{}", escaped(&item.detail))
}

fn link(url: &str, text: &str) -> String {
    format!("<{}|{}>", escaped(url), escaped(text))
}

/// Escapes the three characters that Slack interprets, so that `<!channel>` in a commit message mentions no one.
fn escaped(text: &str) -> String {
    partial_escape(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn user_text_creates_no_mentions_or_links() {
        let mut message = example();
        message.regressions[0].until_commit.subject =
            "<!channel> Read <https://evil.example|this> & that".into();
        let text = blocks(&message).to_string();
        assert!(!text.contains("<!channel>") && !text.contains("<https://evil"), "{text}");
        assert!(text.contains("&lt;!channel&gt;") && text.contains("&amp; that"), "{text}");
    }

    #[test]
    fn messages_stay_short() {
        let mut message = example();
        let one = message.regressions[0].clone();
        message.regressions = vec![one; 40];
        message.count = 1_234;
        message.project = "p".repeat(200);
        let json = blocks(&message);
        let blocks = json["blocks"].as_array().unwrap();
        assert_eq!(blocks.len(), 8, "{json}");
        assert!(blocks[0]["text"]["text"].as_str().unwrap().chars().count() <= HEADER_MAX);
        assert_eq!(blocks[6]["text"]["text"], "And 1229 more.");
    }
}

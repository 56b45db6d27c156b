//! E-mail: plain text and simple HTML. A fix is sent as a reply to its regression.

use super::delivery::{Delivery, Failure};
use super::message_text::MessageText;
use anyhow::{Context, Result, ensure};
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{Address, SmtpTransport, Transport as _};
use quick_xml::escape::escape;
use roundtrip_storage::notification::payload::Message;
use std::error::Error;
use std::time::Duration;
use uuid::Uuid;

pub(crate) const UNAVAILABLE: &str =
    "e-mail is not set up on this server: its administrator must set --smtp-url";
/// The time limit for each answer of the mail server.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The mail server and the sender.
#[derive(Clone)]
pub struct Settings {
    /// `smtp://HOST`, `smtp://HOST?tls=required` for STARTTLS, or `smtps://HOST`; with `USER@` if it needs a password.
    pub url: String,
    /// The password, if one is needed.
    pub password: Option<String>,
    /// The sender: an address, or `Name <address>`.
    pub from: String,
}

/// A mail server and a sender.
#[derive(Clone, Debug)]
pub struct Mail {
    transport: SmtpTransport,
    from: Mailbox,
}

impl Mail {
    /// A mail server with these settings.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn new(settings: &Settings) -> Result<Self> {
        let url: ureq::http::Uri = settings.url.parse().ok().context(EXPECTED_URL)?;
        let authority = url.authority().context(EXPECTED_URL)?.as_str();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        ensure!(
            user.is_none_or(|user| !user.contains(':')),
            "--smtp-url contains a password, which other programs can see. Use --smtp-password-file instead"
        );
        let is_encrypted = url.scheme_str() == Some("smtps")
            || url.query().is_some_and(|query| query.contains("tls=required"));
        let mut builder =
            SmtpTransport::from_url(&settings.url).context(EXPECTED_URL)?.timeout(Some(TIMEOUT));
        if let Some(password) = &settings.password {
            let user =
                user.context("--smtp-password-file needs a user: expected --smtp-url smtps://USER@HOST")?;
            ensure!(
                is_encrypted,
                "a password requires encryption: use smtps://, or smtp:// with ?tls=required"
            );
            let user = percent_encoding::percent_decode_str(user).decode_utf8().context(EXPECTED_URL)?;
            builder = builder.credentials(Credentials::new(user.into_owned(), password.clone()));
        }
        let from = settings
            .from
            .parse()
            .context("--mail-from is not an address: expected ada@example.org, or Ada <…>")?;
        Ok(Self { transport: builder.build(), from })
    }

    pub(super) fn send(&self, delivery: Delivery<'_>) -> Result<(), Failure> {
        let mail = self
            .compose(delivery)
            .map_err(|error| Failure::refused(format!("cannot compose the mail: {error}")))?;
        self.transport.send(&mail).map(drop).map_err(|error| failure(&error))
    }

    fn compose(&self, delivery: Delivery<'_>) -> Result<lettre::Message> {
        let Delivery { message, in_reply_to, channel } = delivery;
        let words = MessageText::new(message);
        let to = Mailbox::new(None, channel.target.parse::<Address>()?);
        let mut mail = lettre::Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(format!("[{}] {}", message.project, subject(&words)))
            .message_id(Some(self.message_id(message.message_id)))
            // Suppresses automatic replies (RFC 3834).
            .raw_header(header("Auto-Submitted", "auto-generated".to_owned()))
            // The address of the settings page (RFC 2369).
            .raw_header(header("List-Unsubscribe", format!("<{}>", message.settings_url)));
        if let Some(newest) = in_reply_to.last() {
            let all: Vec<String> = in_reply_to.iter().map(|id| self.message_id(*id)).collect();
            mail = mail.in_reply_to(self.message_id(*newest)).references(all.join(" "));
        }
        Ok(mail.multipart(MultiPart::alternative_plain_html(text(message, &words), html(message, &words)))?)
    }

    /// The same for every attempt to send a message.
    fn message_id(&self, message_id: Uuid) -> String {
        format!("<{message_id}@{}>", self.from.email.domain())
    }
}

const EXPECTED_URL: &str = "--smtp-url is invalid: expected smtp://HOST, smtp://HOST?tls=required or smtps://HOST, with USER@ before the \
     host if it needs a password";

/// Checks a mail address; the error is the end of a sentence.
pub(super) fn check(target: &str) -> Result<(), String> {
    target.parse::<Address>().map(drop).map_err(|_| "expected one address, as in ada@example.org".to_owned())
}

/// The title, with the change if there is only one.
fn subject(words: &MessageText) -> String {
    match &words.items[..] {
        [item] => format!("{}: {}", words.title, item.what),
        _ => words.title.clone(),
    }
}

fn text(message: &Message, words: &MessageText) -> String {
    let mut text = format!("{}\n\n", words.title);
    for item in &words.items {
        text.push_str(&format!("* {}\n  {}\n", item.what, item.detail));
        if let Some(url) = &item.url {
            text.push_str(&format!("  {url}\n"));
        }
        text.push('\n');
    }
    if let Some(rest) = &words.rest {
        text.push_str(&format!("{rest}\n"));
    }
    text.push_str(&format!("{}\n\n-- \nNotification settings: {}\n", message.url, message.settings_url));
    text
}

fn html(message: &Message, words: &MessageText) -> String {
    let item = |item: &super::message_text::Item| {
        let what = escape(&item.what);
        let what = match &item.url {
            Some(url) => format!("<a href=\"{}\">{what}</a>", escape(url)),
            None => what.into_owned(),
        };
        format!("<li><strong>{what}</strong><br>{}</li>", escape(&item.detail))
    };
    let items: String = words.items.iter().map(item).collect();
    let list = if items.is_empty() { items } else { format!("<ul>{items}</ul>") };
    let rest: String = words.rest.iter().map(|rest| format!("<p>{}</p>", escape(rest))).collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head><body>\
         <p><strong>{title}</strong></p>{list}{rest}<p><a href=\"{}\">{} in {}</a></p>\
         <p><small><a href=\"{}\">Notification settings</a></small></p></body></html>",
        escape(&message.url),
        words.page,
        escape(&message.project),
        escape(&message.settings_url),
        title = escape(&words.title),
    )
}

fn failure(error: &lettre::transport::smtp::Error) -> Failure {
    let mut why = "cannot send mail".to_owned();
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !why.contains(&text) {
            why = format!("{why}: {text}");
        }
        cause = error.source();
    }
    if error.is_permanent() { Failure::refused(why) } else { Failure::passing(why) }
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Settings").field("from", &self.from).finish_non_exhaustive()
    }
}

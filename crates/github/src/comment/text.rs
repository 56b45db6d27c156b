//! Numbers formatted as in the web interface, and user text escaped for Markdown.

use chrono::TimeDelta;
use roundtrip_domain::units::{NO_BREAK, grouped};
pub(super) use roundtrip_domain::units::{size, upper_first};
use roundtrip_wire::CommitSha;

const LENGTH_MAX: usize = 120;
/// A zero-width space. GitHub links addresses and mentions even in escaped text; this prevents it.
const APART: &str = "&#8203;";

/// Untrusted text, escaped: it cannot create an element, link, mention, reference or table column.
pub(super) fn escaped(text: &str) -> String {
    let plain = text.chars().filter(|character| !is_invisible(*character));
    let plain: String =
        plain.map(|character| if character.is_whitespace() { ' ' } else { character }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let characters: Vec<char> = words.join(" ").chars().collect();
    let mut escaped = String::new();
    for (place, &character) in characters.iter().enumerate().take(LENGTH_MAX) {
        let (before, after) = (&characters[..place], characters.get(place + 1));
        let follows = |word: &str| {
            let tail = before.iter().rev().take(word.len()).map(char::to_ascii_lowercase);
            tail.eq(word.chars().rev())
        };
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '.' if follows("www") => escaped.extend([APART, "."]),
            '@' => escaped.extend(["@", APART]),
            '#' => escaped.extend(["\\#", APART]),
            '-' if follows("gh") => escaped.extend(["-", APART]),
            ':' if after == Some(&'/') => escaped.extend([":", APART]),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '|' | '~' | '!' | '+' | '='
            | '$' | '^' => {
                escaped.extend(['\\', character]);
            }
            _ => escaped.push(character),
        }
    }
    if characters.len() > LENGTH_MAX {
        escaped.push('…');
    }
    escaped
}

/// A value with its unit, which imported files can choose. They stay on one line.
pub(super) fn value(text: &str) -> String {
    text.split(NO_BREAK).map(escaped).collect::<Vec<_>>().join(&NO_BREAK.to_string())
}

/// Whether a character is invisible or changes the direction of text.
fn is_invisible(character: char) -> bool {
    let is_control = character.is_control() && !character.is_whitespace();
    is_control
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

pub(super) fn short_sha(sha: &str) -> String {
    match CommitSha::parse(sha) {
        Ok(sha) => sha.to_string().chars().take(7).collect(),
        Err(_) => "unknown".to_owned(),
    }
}

/// A change: `+15.4 %`, `−8.0 %`.
pub(super) fn change(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}{NO_BREAK}%", percent(share))
}

/// An interval of changes: `12.1 to 18.9`.
pub(super) fn interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", percent(low), percent(high)).replace(' ', &NO_BREAK.to_string())
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0).replace('-', "−")
}

/// A duration: `45 s`, `4 min`.
pub(super) fn duration(took: TimeDelta) -> String {
    match took.num_seconds() {
        seconds @ ..120 => format!("{seconds}{NO_BREAK}s"),
        seconds => format!("{}{NO_BREAK}min", (seconds + 30) / 60),
    }
}

/// A count: `5,000`.
pub(super) fn count(count: usize) -> String {
    grouped(&count.to_string())
}

/// A count and its noun: `1 series`, `2 machines`.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulldown_cmark::{Event, Options, Parser};

    #[test]
    fn formats_changes_like_the_web_interface() {
        let plain = |text: String| text.replace(NO_BREAK, " ");
        assert_eq!(plain(change(0.154)), "+15.4 %");
        assert_eq!(plain(change(-0.08)), "−8.0 %");
        assert_eq!(plain(interval((-0.004, 0.006))), "−0.4 to 0.6");
    }

    /// The visible text after escaping; panics if any of it is markup.
    fn seen(text: &str) -> String {
        let markdown = format!("| a |\n|---|\n| {} |\n", escaped(text));
        let mut seen = String::new();
        for event in Parser::new_ext(&markdown, Options::all()) {
            match event {
                Event::Text(part) => seen.push_str(&part),
                Event::Start(tag) => {
                    let tag = format!("{tag:?}");
                    assert!(tag.starts_with("Table"), "{text}: {tag}");
                }
                Event::End(_) => {}
                other => panic!("{text}: {other:?}"),
            }
        }
        seen
    }

    #[test]
    fn hostile_text_is_harmless() {
        for hostile in [
            "@octocat",
            "org/repo#12 and #13, GH-14",
            "<!-- roundtrip:v1 project=x -->",
            "<script>alert(1)</script><img src=x onerror=y>",
            "a | b || c",
            "`code` ``more`` ```fence```",
            "[link](https://evil.example) ![image](https://evil.example/i.png)",
            "https://evil.example www.evil.example mailto:a@b.example",
            "**bold** __bold__ *i* _i_ ~~s~~",
            "&lt;b&gt; &#64;octocat &amp;",
            "line\nbreak\r\n\r\n# heading\n\n- list",
            "\\@octocat \\<b>",
            "$x$ $$y$$ [^1] {a} ==m== ^s^",
            "\u{202e}evil\u{200b}\u{0}",
            "- a\n+ b\n1. c",
        ] {
            let seen = seen(hostile);
            for word in ["@o", "@b", "#1", "GH-1", "://", "www."] {
                assert!(!seen.contains(word), "{hostile}: {seen}");
            }
            assert!(!seen.contains('\u{202e}') && !seen.contains('\u{0}'), "{hostile}: {seen}");
        }
        assert_eq!(seen("b < c & `d` | e"), "ab < c & `d` | e");
        assert_eq!(escaped("lab-1.example"), "lab-1.example", "copying it yields the original");
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(escaped(&"x".repeat(500)).chars().count(), LENGTH_MAX + 1);
    }

    #[test]
    fn only_commits_are_shown_as_commits() {
        assert_eq!(short_sha(&"a1b2c3d4".repeat(5)), "a1b2c3d");
        assert_eq!(short_sha("`@all`"), "unknown");
    }
}

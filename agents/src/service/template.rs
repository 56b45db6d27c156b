//! The files of `agents/packaging/`, filled in. Each format has its own way to hold any text whatever.

/// A template with its `{{names}}` replaced by these values. What a value holds is not looked at again.
pub(super) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let known = part.split_once("}}").and_then(|(name, rest)| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (value.as_str(), rest))
        });
        // A template of ours holds no other name: the golden files are the test of it.
        let (value, rest) = known.unwrap_or(("{{", part));
        text.extend([value, rest]);
    }
    text
}

/// A word of a command line of systemd (systemd.service(5)): neither specifiers nor variables.
pub(super) fn systemd_word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { systemd_quoted(&text.replace('$', "$$")) }
}

/// A path in a list of mounts of systemd (systemd.exec(5)): no specifiers, and no colon before another path.
pub(super) fn systemd_path(text: &str) -> String {
    if is_plain(text) && !text.contains(':') { text.to_owned() } else { systemd_quoted(text) }
}

fn systemd_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%"))
}

/// Text between tags of XML.
pub(super) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A word of a shell.
pub(super) fn shell(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Words of a shell.
pub(super) fn shell_words<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    words.into_iter().map(|word| shell(word)).collect::<Vec<_>>().join(" ")
}

/// Whether a word means itself everywhere.
fn is_plain(text: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+,-./:=@_".contains(character);
    !text.is_empty() && text.chars().all(is_plain)
}

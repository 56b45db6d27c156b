//! macOS: power settings from pmset(1). Its underlying calls are only for Objective-C and Core Foundation.

/// `mains`, also without a battery, or `battery`.
#[cfg(target_os = "macos")]
pub(super) fn power() -> Option<String> {
    parse_power(&printed("ps")?)
}

/// The power mode of the processors: `automatic`, `low`, `high`.
#[cfg(target_os = "macos")]
pub(super) fn mode() -> Option<String> {
    parse_mode(&printed("live")?)
}

#[cfg(target_os = "macos")]
fn printed(what: &str) -> Option<String> {
    use std::process::{Command, Stdio};

    let mut command = Command::new("/usr/bin/pmset");
    let output = command.args(["-g", what]).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// From the line `Now drawing from 'AC Power'`, or `'Battery Power'`, or `'UPS Power'`.
fn parse_power(text: &str) -> Option<String> {
    let source = text.lines().find_map(|line| line.strip_prefix("Now drawing from '"))?;
    Some(if source.starts_with("AC ") { "mains" } else { "battery" }.into())
}

/// From the line `powermode 1` or, on other machines, `lowpowermode 1`.
fn parse_mode(text: &str) -> Option<String> {
    let setting = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.trim().split_once(' ')?;
            (key == name).then(|| value.trim().to_owned())
        })
    };
    match setting("powermode").or_else(|| setting("lowpowermode"))?.as_str() {
        "0" => Some("automatic".into()),
        "1" => Some("low".into()),
        "2" => Some("high".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_supplies_count_as_battery() {
        let laptop = "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t87%; discharging\n";
        assert_eq!(parse_power(laptop).as_deref(), Some("battery"));
        assert_eq!(parse_power("Now drawing from 'UPS Power'\n").as_deref(), Some("battery"));
        assert_eq!(parse_power("Now drawing from 'AC Power'\n").as_deref(), Some("mains"));
        assert_eq!(parse_power("No power sources\n"), None);
    }

    #[test]
    fn parses_both_names_of_the_mode() {
        let with = |line: &str| {
            parse_mode(&format!("Currently in use:\n standby              1\n{line}\n sleep 0 (x)\n"))
        };
        assert_eq!(with(" lowpowermode         1").as_deref(), Some("low"));
        assert_eq!(with(" powermode            2").as_deref(), Some("high"));
        assert_eq!(with(" lowpowermode         0").as_deref(), Some("automatic"));
        assert_eq!((with(" displaysleep 1"), with(" powermode x")), (None, None));
    }
}

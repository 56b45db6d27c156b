//! The list of promises as a page of the docs.

use super::promise::HeldBy;
use super::promises;
use std::fmt::Write;

/// From the root of the checkout.
pub(crate) const FILE: &str = "docs/reference/promises.md";

const HEAD: &str = "\
# Promises

What stays true whatever fails, what is done to break it, and who would notice. `cargo xtask chaos` tries all of it and says
in its last line what was lost; `--only PART` tries one part, `--rounds N` repeats each fault marked with a star N times
instead of ten, at moments that nobody chooses. What is drawn is drawn from fixed seeds. `cargo xtask test` runs the same
tests with fewer rounds. This page is written by `cargo xtask gen` from `xtask/src/chaos/promises.rs`.
";

/// What is not in the list, so that nobody takes the list for all there is.
const TAIL: &str = "
## What nothing here holds

- **The loss of power.** Processes are killed, machines are not. PostgreSQL and agents ask the system to write through to the
  disk before they acknowledge; a disk that says so and does not is not noticed.
- **A database that hangs.** One that ends, refuses or comes back is tried. One that neither answers nor ends, as behind a
  network that is cut without a word, is not.
- **A PostgreSQL of several nodes.** The server has not run on one; [its rules](../explanation/scaling.md) are held by tests of
  the queries alone.
- **Other systems.** All of this runs on Linux. The tests of agents, of the harness and of the ring run under Wine as well, as
  far as they apply; macOS and FreeBSD have [never been run](platforms.md).
- **A day.** The soak takes ten minutes, which are 6,000 of the 864,000 uploads that a day brings at its rate. It finds what
  grows with uploads, reads and minutes, and not what happens once a day. [What the server's memory
  is](../how-to/operate-the-server.md#memory), and what was measured of it, is told there.
";

/// The page.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut part = "";
    for promise in promises::ALL {
        if promise.part != part {
            part = promise.part;
            // Writing to a string cannot fail.
            let _ = write!(page, "\n## {part}\n\n| promise | what is done | held by |\n|---|---|---|\n");
        }
        let star = if matches!(promise.held_by, HeldBy::Rounds(_)) { " \u{2605}" } else { "" };
        let tests: Vec<String> = promise
            .held_by
            .tests()
            .iter()
            .map(|test| format!("`{}`", test.to_string().replace(' ', "` `")))
            .collect();
        let held_by = if tests.is_empty() {
            "`cargo xtask bench server --only soak`".to_owned()
        } else {
            tests.join("<br>")
        };
        let _ = writeln!(page, "| {} | {}{star} | {held_by} |", promise.says, promise.fault);
    }
    page + TAIL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn the_page_is_that_of_the_list() {
        let committed = std::fs::read_to_string(workspace::root().join(FILE)).unwrap_or_default();
        assert!(committed == page(), "{FILE} is stale: `cargo xtask gen` repairs this\n{}", page());
    }

    #[test]
    fn every_promise_is_a_row_of_its_part() {
        let page = page();
        for promise in promises::ALL {
            assert!(page.contains(&format!("| {} | {}", promise.says, promise.fault)), "{}", promise.says);
            let heads = page.matches(&format!("\n## {}\n", promise.part)).count();
            assert_eq!(heads, 1, "{} stands in one place", promise.part);
        }
        assert!(
            !promises::ALL.iter().any(|promise| promise.says.contains('|') || promise.fault.contains('|'))
        );
    }
}

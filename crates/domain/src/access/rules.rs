//! [`RULES`]: the one table that says what each [`Role`] may do. `docs/reference/access.md` shows the same table,
//! and a test compares them.

use roundtrip_storage::access::{Role, Scope};

/// What can be done in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// See it, and all that was measured of it.
    Read,
    /// Store a run.
    Upload,
    /// Say of a regression that it was seen.
    Acknowledge,
    /// Ask for commits to be measured.
    Queue,
    /// Change its default branch, its visibility, its schedules and whom it tells what happens.
    Configure,
    /// Make, rotate and revoke tokens that are bound to it.
    ManageTokens,
    /// Give and take roles.
    ManageMembers,
    /// Delete it.
    Delete,
}

/// What an action takes.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The action.
    pub action: Action,
    /// The least role of an account.
    pub role: Role,
    /// What a token has to be for.
    pub scope: Scope,
}

/// Everything that can be done in a project, and what it takes.
pub const RULES: [Rule; 8] = {
    const fn rule(action: Action, role: Role, scope: Scope) -> Rule {
        Rule { action, role, scope }
    }
    [
        rule(Action::Read, Role::Viewer, Scope::Read),
        rule(Action::Upload, Role::Contributor, Scope::IngestWrite),
        rule(Action::Acknowledge, Role::Contributor, Scope::ProjectWrite),
        rule(Action::Queue, Role::Contributor, Scope::ProjectWrite),
        rule(Action::Configure, Role::Maintainer, Scope::ProjectWrite),
        rule(Action::ManageTokens, Role::Maintainer, Scope::ProjectWrite),
        rule(Action::ManageMembers, Role::Admin, Scope::Admin),
        rule(Action::Delete, Role::Admin, Scope::Admin),
    ]
};

impl Action {
    /// What it takes.
    pub fn rule(self) -> Rule {
        // The table is in the order of the actions, which a test holds.
        RULES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_each_action_is_its_own() {
        for rule in RULES {
            assert_eq!(rule.action.rule().action, rule.action);
        }
    }

    #[test]
    fn a_higher_role_may_do_what_a_lower_one_may() {
        assert!(Role::ALL.is_sorted());
        assert!(Role::ALL.iter().all(|role| role.to_string().parse() == Ok(*role)));
        assert!("owner".parse::<Role>().unwrap_err().to_string().contains("viewer, contributor"));
    }

    #[test]
    fn the_documented_table_is_this_one() {
        let documented = include_str!("../../../../docs/reference/access.md");
        let rows: Vec<Vec<&str>> = documented
            .lines()
            .skip_while(|line| !line.starts_with("| action |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        assert_eq!(rows.len(), RULES.len(), "{rows:?}");
        for (row, rule) in rows.iter().zip(RULES) {
            let marks = Role::ALL.map(|role| if role >= rule.role { "yes" } else { "" });
            assert_eq!(row[2..6], marks, "{row:?} and {rule:?}");
            assert_eq!(row[6], format!("`{}`", rule.scope), "{row:?} and {rule:?}");
        }
    }
}

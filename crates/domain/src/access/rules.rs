//! [`RULES`]: what each [`Role`] may do. `docs/reference/access.md` shows the same table, and a test compares
//! them.

use roundtrip_storage::access::{Role, Scope};

/// An action in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read the project and its results.
    Read,
    /// Upload a run.
    Upload,
    /// Triage and comment on regressions, add notes to commits, list members.
    Acknowledge,
    /// Queue jobs.
    Queue,
    /// Change the default branch, visibility, schedules and notification channels.
    Configure,
    /// Create, rotate and revoke tokens bound to the project.
    ManageTokens,
    /// Grant and revoke roles.
    ManageMembers,
    /// Delete the project.
    Delete,
}

/// The requirements of an action.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The action.
    pub action: Action,
    /// The minimum role of an account.
    pub role: Role,
    /// The scope that a token needs.
    pub scope: Scope,
}

/// All actions in a project and their requirements.
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
    /// The requirements of this action.
    pub fn rule(self) -> Rule {
        // The table is in the order of the actions; a test checks this.
        RULES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_in_the_order_of_actions() {
        for rule in RULES {
            assert_eq!(rule.action.rule().action, rule.action);
        }
    }

    #[test]
    fn higher_roles_include_lower_ones() {
        assert!(Role::ALL.is_sorted());
        assert!(Role::ALL.iter().all(|role| role.to_string().parse() == Ok(*role)));
        assert!("owner".parse::<Role>().unwrap_err().to_string().contains("viewer, contributor"));
    }

    #[test]
    fn docs_show_the_rules() {
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

//! [`VisibleProjects`]: the projects that a caller can see.

use super::{Role, Scope, TokenKind, Visibility};
use std::collections::BTreeMap;

/// An account with its roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its key.
    pub account_id: i64,
    /// Its name.
    pub name: String,
    /// Whether it may do everything.
    pub is_admin: bool,
    /// Its role in each project, by the project's name.
    pub roles: BTreeMap<String, Role>,
}

/// The project and machine that a token is bound to, by name, because they need not exist yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// The only project that it is valid for.
    pub project: Option<String>,
    /// The only machine that it may upload for.
    pub machine: Option<String>,
}

/// The projects that a caller can see, for lists in SQL. [`VisibleProjects::covers`] is the same check for one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleProjects {
    /// All.
    pub all: bool,
    /// The public ones.
    pub public: bool,
    /// These.
    pub projects: Vec<String>,
}

/// The part of a token that decides who can manage it.
#[derive(Clone, Debug)]
pub struct ManagedToken<'a> {
    /// The kind.
    pub kind: TokenKind,
    /// Its account.
    pub account_id: Option<i64>,
    /// Its scopes.
    pub scopes: &'a [Scope],
    /// The only project that it is valid for.
    pub project: Option<&'a str>,
    /// The visibility of its project, if that exists.
    pub visibility: Option<Visibility>,
}

/// The tokens that a caller may manage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleTokens {
    /// All.
    pub all: bool,
    /// The tokens of this account.
    pub account_id: Option<i64>,
    /// The tokens bound to these projects.
    pub projects: Vec<String>,
}

impl VisibleProjects {
    /// Whether a project is included.
    pub fn covers(&self, project: &str, visibility: Visibility) -> bool {
        self.all
            || (self.public && visibility == Visibility::Public)
            || self.projects.iter().any(|seen| seen == project)
    }
}

impl VisibleTokens {
    /// Whether a token is included.
    pub fn covers(&self, token: &ManagedToken<'_>) -> bool {
        let is_of =
            |project: &str| token.kind != TokenKind::User && self.projects.iter().any(|own| own == project);
        self.all
            || (token.account_id.is_some() && token.account_id == self.account_id)
            || token.project.is_some_and(is_of)
    }
}

//! [`Sight`]: which projects someone may see, and of whom that is said.

use super::{Role, Scope, TokenKind, Visibility};
use std::collections::BTreeMap;

/// A person, with the roles it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its key.
    pub account_id: i64,
    /// Its name.
    pub name: String,
    /// Whether it may do everything.
    pub is_admin: bool,
    /// Its role in each project that it is a member of, by the project's name.
    pub roles: BTreeMap<String, Role>,
}

/// What a token is bound to, by name, because neither has to exist yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// The only project that it is good for.
    pub project: Option<String>,
    /// The only machine that it uploads for.
    pub machine: Option<String>,
}

/// Which projects someone may see. Lists are made by it in SQL, and [`Sight::covers`] says the same of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// All.
    pub all: bool,
    /// The public ones.
    pub public: bool,
    /// These.
    pub projects: Vec<String>,
}

/// A token, as far as it matters who may manage it.
#[derive(Clone, Debug)]
pub struct ManagedToken<'a> {
    /// Who uses it.
    pub kind: TokenKind,
    /// Whose it is.
    pub account_id: Option<i64>,
    /// What it is for.
    pub scopes: &'a [Scope],
    /// The only project that it is good for.
    pub project: Option<&'a str>,
    /// Of the project that it is bound to, if that exists.
    pub visibility: Option<Visibility>,
}

/// Which tokens someone may manage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSight {
    /// All.
    pub all: bool,
    /// Those of this account.
    pub account_id: Option<i64>,
    /// Those that are bound to these projects.
    pub projects: Vec<String>,
}

impl Sight {
    /// Whether a project is among them.
    pub fn covers(&self, project: &str, visibility: Visibility) -> bool {
        self.all
            || (self.public && visibility == Visibility::Public)
            || self.projects.iter().any(|seen| seen == project)
    }
}

impl TokenSight {
    /// Whether a token is among them.
    pub fn covers(&self, token: &ManagedToken<'_>) -> bool {
        let is_of =
            |project: &str| token.kind != TokenKind::User && self.projects.iter().any(|own| own == project);
        self.all
            || (token.account_id.is_some() && token.account_id == self.account_id)
            || token.project.is_some_and(is_of)
    }
}

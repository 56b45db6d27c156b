//! [`Caller`]: who asks, and every decision about it.

use super::{Action, Refusal};
use roundtrip_storage::access::{
    Account, Binding, ManagedToken, Role, Scope, Sight, TokenKind, TokenSight, Visibility,
};

/// Whoever asks.
#[derive(Clone, Debug)]
pub struct Caller {
    proof: Proof,
    account: Option<Account>,
    scopes: Vec<Scope>,
    binding: Binding,
    sight: Sight,
}

/// How it was proved who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It was not.
    Nothing,
    /// By a token.
    Token(i64),
    /// By the cookie of a session.
    Session(i64),
}

impl Caller {
    /// Nobody in particular. On a private server it sees nothing.
    pub fn stranger(is_private_server: bool) -> Self {
        Self::new(Proof::Nothing, None, Vec::new(), Binding::default(), is_private_server)
    }

    /// Someone who has proved who it is. Without an account it is a program, and may do what its token says.
    pub fn new(
        proof: Proof,
        account: Option<Account>,
        scopes: Vec<Scope>,
        binding: Binding,
        is_private_server: bool,
    ) -> Self {
        let mut caller = Self { proof, account, scopes, binding, sight: Sight::default() };
        caller.sight = caller.look_around(is_private_server);
        caller
    }

    fn look_around(&self, is_private_server: bool) -> Sight {
        if !self.scopes.contains(&Scope::Read) {
            return Sight { public: !is_private_server, ..Sight::default() };
        }
        let public = !is_private_server || self.account.is_some();
        let is_everywhere = self.account.as_ref().is_none_or(|account| account.is_admin);
        match (&self.binding.project, &self.account) {
            (Some(bound), _) if self.role_in(bound).is_some() => {
                Sight { all: false, public, projects: vec![bound.clone()] }
            }
            (Some(_), _) => Sight { all: false, public, projects: Vec::new() },
            (None, Some(account)) if !is_everywhere => {
                Sight { all: false, public, projects: account.roles.keys().cloned().collect() }
            }
            (None, _) => Sight { all: true, public, projects: Vec::new() },
        }
    }

    /// How it was proved who asks.
    pub fn proof(&self) -> Proof {
        self.proof
    }

    /// The person who asks, if it is one.
    pub fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// What its token is for.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// What its token is bound to.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Which projects it may see.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// Its name in the audit log.
    pub fn actor(&self) -> String {
        match (&self.account, self.proof) {
            (Some(account), _) => format!("account:{}", account.name),
            (None, Proof::Token(token_id)) => format!("token:{token_id}"),
            (None, _) => "anonymous".to_owned(),
        }
    }

    /// Whether it may do something in a project.
    ///
    /// # Errors
    /// Why not: [`Refusal::Hidden`] when it must not even know of the project.
    pub fn check(&self, action: Action, project: &str, visibility: Visibility) -> Result<(), Refusal> {
        if !self.sight.covers(project, visibility) {
            return Err(Refusal::Hidden);
        }
        if action == Action::Read {
            return Ok(());
        }
        self.check_scope(action.rule().scope)?;
        self.check_role(action.rule().role, project)
    }

    /// Whether it is known who asks.
    ///
    /// # Errors
    /// It is not.
    pub fn check_known(&self) -> Result<(), Refusal> {
        if self.proof == Proof::Nothing { Err(Refusal::Anonymous) } else { Ok(()) }
    }

    /// Whether its token is for something: what can be said before a project is known.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        self.check_known()?;
        if self.scopes.contains(&scope) { Ok(()) } else { Err(Refusal::Scope(scope)) }
    }

    /// Whether it may store a run of a machine in a project. What it is told is the same whether the project exists or
    /// not. A project begins with its first run, which programs and administrators may upload.
    pub(crate) fn check_upload(&self, project: &str, machine: &str) -> Result<(), Refusal> {
        let rule = Action::Upload.rule();
        self.check_scope(rule.scope)?;
        self.check_role(rule.role, project)?;
        match &self.binding.machine {
            Some(bound) if bound != machine => {
                Err(Refusal::OtherMachine { bound: bound.clone(), found: machine.to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Whether it may do what concerns the whole server.
    pub fn check_server_admin(&self) -> Result<(), Refusal> {
        self.check_scope(Scope::Admin)?;
        if self.is_server_admin() { Ok(()) } else { Err(Refusal::ServerAdmin) }
    }

    /// The person who asks, for what people do for themselves.
    ///
    /// # Errors
    /// No one asks, or a program, or a token that is not for this.
    pub fn check_account(&self, scope: Scope) -> Result<&Account, Refusal> {
        self.check_known()?;
        let account = self.account.as_ref().ok_or(Refusal::Program)?;
        self.check_scope(scope)?;
        Ok(account)
    }

    /// Whether it may make a token, or give it another secret.
    pub fn check_issue(&self, token: &ManagedToken<'_>) -> Result<(), Refusal> {
        if token.kind != TokenKind::User {
            return self.check_program_token(token);
        }
        let account = self.check_account(Scope::Admin)?;
        if token.account_id != Some(account.account_id) {
            return Err(Refusal::Escalation("the rights of another account".to_owned()));
        }
        if let Some(scope) = token.scopes.iter().find(|scope| !self.scopes.contains(scope)) {
            return Err(Refusal::Escalation(format!("the scope {scope}")));
        }
        match &self.binding.project {
            Some(bound) if token.project != Some(bound.as_str()) => {
                Err(Refusal::Escalation(format!("other projects than {bound}")))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check_revoke(&self, token: &ManagedToken<'_>) -> Result<(), Refusal> {
        if token.kind != TokenKind::User {
            return self.check_program_token(token);
        }
        let account = self.check_account(Scope::Admin)?;
        if token.account_id == Some(account.account_id) { Ok(()) } else { self.check_server_admin() }
    }

    /// Which tokens it may list.
    ///
    /// # Errors
    /// Nobody asks, or a program.
    pub fn token_sight(&self) -> Result<TokenSight, Refusal> {
        self.check_known()?;
        let account = self.account.as_ref().ok_or(Refusal::Program)?;
        if self.check_server_admin().is_ok() {
            return Ok(TokenSight { all: true, account_id: None, projects: Vec::new() });
        }
        let rule = Action::ManageTokens.rule();
        let is_managed = |project: &&String| {
            self.check_scope(rule.scope).is_ok() && self.check_role(rule.role, project).is_ok()
        };
        let bound = self.binding.project.iter().filter(|_| account.is_admin);
        Ok(TokenSight {
            all: false,
            account_id: self.check_scope(Scope::Admin).is_ok().then_some(account.account_id),
            projects: account.roles.keys().chain(bound).filter(is_managed).cloned().collect(),
        })
    }

    fn check_program_token(&self, token: &ManagedToken<'_>) -> Result<(), Refusal> {
        match (token.project, token.visibility) {
            (Some(project), Some(visibility)) => self.check(Action::ManageTokens, project, visibility),
            // It may be made before its project begins, by whoever may begin projects. Others are told what they are told
            // of a private one.
            (Some(_), None) => self.check_server_admin().map_err(|_| Refusal::Hidden),
            (None, _) => self.check_server_admin(),
        }
    }

    fn check_role(&self, needed: Role, project: &str) -> Result<(), Refusal> {
        match (&self.binding.project, self.role_in(project)) {
            (Some(bound), _) if bound != project => {
                Err(Refusal::OtherProject { bound: bound.clone(), found: project.to_owned() })
            }
            (_, Some(role)) if role >= needed => Ok(()),
            _ => Err(Refusal::Role { needed, project: project.to_owned() }),
        }
    }

    /// What it is in a project. Scopes and roles both limit it: a program is a contributor wherever its token is good,
    /// and may do of that what its scopes say.
    fn role_in(&self, project: &str) -> Option<Role> {
        if self.proof == Proof::Nothing || self.binding.project.as_ref().is_some_and(|bound| bound != project)
        {
            return None;
        }
        match &self.account {
            None => Some(Role::Contributor),
            Some(account) if account.is_admin => Some(Role::Admin),
            Some(account) => account.roles.get(project).copied(),
        }
    }

    fn is_server_admin(&self) -> bool {
        self.binding.project.is_none() && self.account.as_ref().is_some_and(|account| account.is_admin)
    }
}

#[cfg(test)]
mod tests;

//! [`Caller`]: the identity behind a request, and all authorization decisions about it.

use super::{Action, Refusal};
use roundtrip_storage::access::{
    Account, Binding, ManagedToken, Role, Scope, TokenKind, Visibility, VisibleProjects, VisibleTokens,
};
use roundtrip_storage::audit::By;

/// The identity behind a request.
#[derive(Clone, Debug)]
pub struct Caller {
    proof: Proof,
    account: Option<Account>,
    scopes: Vec<Scope>,
    binding: Binding,
    visible: VisibleProjects,
}

/// How the caller authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Not authenticated.
    Nothing,
    /// With a token.
    Token(i64),
    /// With a session cookie.
    Session(i64),
    /// By starting this program with access to the database.
    CommandLine,
}

impl Caller {
    /// An anonymous caller. On a private server it sees nothing.
    pub fn stranger(is_private_server: bool) -> Self {
        Self::new(Proof::Nothing, None, Vec::new(), Binding::default(), is_private_server)
    }

    /// The user of a command that stores reports directly.
    pub fn command_line() -> Self {
        Self::new(Proof::CommandLine, None, vec![Scope::Read, Scope::IngestWrite], Binding::default(), false)
    }

    /// An authenticated caller. Without an account it is a program, limited by its token.
    pub fn new(
        proof: Proof,
        account: Option<Account>,
        scopes: Vec<Scope>,
        binding: Binding,
        is_private_server: bool,
    ) -> Self {
        let mut caller = Self { proof, account, scopes, binding, visible: VisibleProjects::default() };
        caller.visible = caller.look_around(is_private_server);
        caller
    }

    fn look_around(&self, is_private_server: bool) -> VisibleProjects {
        if !self.scopes.contains(&Scope::Read) {
            return VisibleProjects { public: !is_private_server, ..VisibleProjects::default() };
        }
        let public = !is_private_server || self.account.is_some();
        let is_everywhere = self.account.as_ref().is_none_or(|account| account.is_admin);
        match (&self.binding.project, &self.account) {
            (Some(bound), _) if self.role_in(bound).is_some() => {
                VisibleProjects { all: false, public, projects: vec![bound.clone()] }
            }
            (Some(_), _) => VisibleProjects { all: false, public, projects: Vec::new() },
            (None, Some(account)) if !is_everywhere => {
                VisibleProjects { all: false, public, projects: account.roles.keys().cloned().collect() }
            }
            (None, _) => VisibleProjects { all: true, public, projects: Vec::new() },
        }
    }

    /// How the caller authenticated.
    pub fn proof(&self) -> Proof {
        self.proof
    }

    /// The caller's account; none for a program.
    pub fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// The token's scopes.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// The project and machine that the token is bound to.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// The projects that the caller may see.
    pub fn visible_projects(&self) -> &VisibleProjects {
        &self.visible
    }

    /// The caller's name in the audit log.
    pub fn actor(&self) -> String {
        match (&self.account, self.proof) {
            (Some(account), _) => format!("account:{}", account.name),
            (None, Proof::Token(token_id)) => format!("token:{token_id}"),
            (None, Proof::CommandLine) => By::command_line().actor,
            (None, _) => "anonymous".to_owned(),
        }
    }

    /// Checks that the caller may perform an action in a project.
    ///
    /// # Errors
    /// [`Refusal::Hidden`] when the caller must not learn that the project exists; otherwise the reason.
    pub fn check(&self, action: Action, project: &str, visibility: Visibility) -> Result<(), Refusal> {
        if !self.visible.covers(project, visibility) {
            return Err(Refusal::Hidden);
        }
        if action == Action::Read {
            return Ok(());
        }
        self.check_scope(action.rule().scope)?;
        self.check_role(action.rule().role, project)
    }

    /// Checks that the caller is authenticated.
    ///
    /// # Errors
    /// The caller is anonymous.
    pub fn check_known(&self) -> Result<(), Refusal> {
        if self.proof == Proof::Nothing { Err(Refusal::Anonymous) } else { Ok(()) }
    }

    /// Checks the token's scope, before the project is known.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        self.check_known()?;
        if self.scopes.contains(&scope) { Ok(()) } else { Err(Refusal::Scope(scope)) }
    }

    /// Checks that the caller may upload something, before the report is read.
    pub fn check_uploader(&self) -> Result<(), Refusal> {
        self.check_scope(Scope::IngestQuarantined).or_else(|_| self.check_scope(Action::Upload.rule().scope))
    }

    /// Checks that the caller may store a run of a machine in a project, quarantined or not. The error does not
    /// reveal whether the project exists. The first run creates a project; programs and administrators may upload
    /// it.
    pub(crate) fn check_upload(
        &self,
        project: &str,
        machine: &str,
        quarantined: bool,
    ) -> Result<(), Refusal> {
        let rule = Action::Upload.rule();
        if quarantined { self.check_uploader() } else { self.check_scope(rule.scope) }?;
        self.check_role(rule.role, project)?;
        match &self.binding.machine {
            Some(bound) if bound != machine => {
                Err(Refusal::OtherMachine { bound: bound.clone(), found: machine.to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the caller may act on the whole server.
    pub fn check_server_admin(&self) -> Result<(), Refusal> {
        self.check_scope(Scope::Admin)?;
        if self.is_server_admin() { Ok(()) } else { Err(Refusal::ServerAdmin) }
    }

    /// The caller's account, for actions on one's own account.
    ///
    /// # Errors
    /// The caller is anonymous or a program, or its token lacks the scope.
    pub fn check_account(&self, scope: Scope) -> Result<&Account, Refusal> {
        self.check_known()?;
        let account = self.account.as_ref().ok_or(Refusal::Program)?;
        self.check_scope(scope)?;
        Ok(account)
    }

    /// Checks that the caller may create a token or rotate its secret.
    pub fn check_issue(&self, token: &ManagedToken<'_>) -> Result<(), Refusal> {
        if token.kind != TokenKind::User {
            return self.check_program_token(token);
        }
        let account = self.check_account(Scope::Admin)?;
        if token.account_id != Some(account.account_id) {
            return Err(Refusal::Escalation("the permissions of another account".to_owned()));
        }
        if let Some(scope) = token.scopes.iter().find(|scope| !self.scopes.contains(scope)) {
            return Err(Refusal::Escalation(format!("the scope {scope}")));
        }
        match &self.binding.project {
            Some(bound) if token.project != Some(bound.as_str()) => {
                Err(Refusal::Escalation(format!("projects other than {bound}")))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check_revoke(&self, token: &ManagedToken<'_>) -> Result<(), Refusal> {
        if token.kind != TokenKind::User {
            return self.check_program_token(token);
        }
        let account = self.check_account(Scope::Admin)?;
        if token.account_id != Some(account.account_id) {
            return self.check_server_admin();
        }
        match &self.binding.project {
            Some(bound) if token.project != Some(bound.as_str()) => {
                let found = token.project.unwrap_or("any project").to_owned();
                Err(Refusal::OtherProject { bound: bound.clone(), found })
            }
            _ => Ok(()),
        }
    }

    /// The tokens that the caller may list.
    ///
    /// # Errors
    /// The caller is anonymous or a program.
    pub fn visible_tokens(&self) -> Result<VisibleTokens, Refusal> {
        self.check_known()?;
        let account = self.account.as_ref().ok_or(Refusal::Program)?;
        if self.check_server_admin().is_ok() {
            return Ok(VisibleTokens { all: true, account_id: None, projects: Vec::new() });
        }
        let rule = Action::ManageTokens.rule();
        let is_managed = |project: &&String| {
            self.check_scope(rule.scope).is_ok() && self.check_role(rule.role, project).is_ok()
        };
        let bound = self.binding.project.iter().filter(|_| account.is_admin);
        Ok(VisibleTokens {
            all: false,
            account_id: self.check_scope(Scope::Admin).is_ok().then_some(account.account_id),
            projects: account.roles.keys().chain(bound).filter(is_managed).cloned().collect(),
        })
    }

    fn check_program_token(&self, token: &ManagedToken<'_>) -> Result<(), Refusal> {
        match (token.project, token.visibility) {
            (Some(project), Some(visibility)) => self.check(Action::ManageTokens, project, visibility),
            // A token may be created before its project exists, by callers who may create projects. Others
            // get the same answer as for a private project.
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

    /// The caller's role in a project. Scopes and roles both apply: a program is a contributor wherever its
    /// token is valid, limited by the token's scopes.
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

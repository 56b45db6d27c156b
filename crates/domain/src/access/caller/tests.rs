//! Authorization, decision by decision.

use super::*;
use crate::access::rules::RULES;
use Visibility::{Private, Public};

const PROJECT: &str = "libfoo";

fn account(is_admin: bool, roles: &[(&str, Role)]) -> Account {
    let roles = roles.iter().map(|(project, role)| ((*project).to_owned(), *role)).collect();
    Account { account_id: 1, name: "ada".into(), is_admin, roles }
}

fn member(role: Role) -> Caller {
    signed_in(account(false, &[(PROJECT, role)]))
}

fn signed_in(account: Account) -> Caller {
    Caller::new(Proof::Session(1), Some(account), Scope::ALL.to_vec(), Binding::default(), false)
}

fn token_of(account: Account, scopes: &[Scope], project: Option<&str>) -> Caller {
    Caller::new(Proof::Token(1), Some(account), scopes.to_vec(), bound(project, None), false)
}

fn program(scopes: &[Scope], project: Option<&str>, machine: Option<&str>) -> Caller {
    Caller::new(Proof::Token(1), None, scopes.to_vec(), bound(project, machine), false)
}

fn bound(project: Option<&str>, machine: Option<&str>) -> Binding {
    Binding { project: project.map(str::to_owned), machine: machine.map(str::to_owned) }
}

#[test]
fn roles_follow_the_table() {
    for role in Role::ALL {
        for rule in RULES {
            let found = member(role).check(rule.action, PROJECT, Private);
            let expected = if role >= rule.role {
                Ok(())
            } else {
                Err(Refusal::Role { needed: rule.role, project: PROJECT.into() })
            };
            assert_eq!(found, expected, "{role} {rule:?}");
        }
    }
}

#[test]
fn scopes_limit_a_token_of_any_account() {
    for rule in RULES.into_iter().filter(|rule| rule.action != Action::Read) {
        let scopes: Vec<_> = Scope::ALL.into_iter().filter(|scope| *scope != rule.scope).collect();
        let caller = token_of(account(true, &[]), &scopes, None);
        assert_eq!(caller.check(rule.action, PROJECT, Public), Err(Refusal::Scope(rule.scope)), "{rule:?}");
    }
}

#[test]
fn private_projects_are_hidden_from_others() {
    let strangers = [
        Caller::stranger(false),
        signed_in(account(false, &[("another", Role::Admin)])),
        token_of(account(true, &[]), &[Scope::ProjectWrite], None),
        token_of(account(true, &[]), &Scope::ALL, Some("another")),
        program(&[Scope::IngestWrite], Some(PROJECT), None),
        program(&[Scope::Read], Some("another"), None),
    ];
    for caller in strangers {
        for rule in RULES {
            assert_eq!(caller.check(rule.action, PROJECT, Private), Err(Refusal::Hidden), "{caller:?}");
        }
        assert_eq!(caller.check(Action::Read, PROJECT, Public), Ok(()), "{caller:?}");
    }
}

#[test]
fn lists_show_readable_projects() {
    for caller in [
        member(Role::Viewer),
        signed_in(account(true, &[])),
        token_of(account(false, &[(PROJECT, Role::Viewer)]), &[Scope::Read], None),
        token_of(account(true, &[]), &[Scope::Read], Some(PROJECT)),
        program(&[Scope::Read], Some(PROJECT), Some("lab-1")),
        program(&[Scope::Read], None, None),
    ] {
        assert_eq!(caller.check(Action::Read, PROJECT, Private), Ok(()), "{caller:?}");
        let visible = caller.visible_projects();
        assert!(visible.all || visible.projects.contains(&PROJECT.to_owned()), "{caller:?}");
    }
}

#[test]
fn a_bound_token_sees_no_other_private_project() {
    let roles = [(PROJECT, Role::Admin), ("another", Role::Admin)];
    let caller = token_of(account(false, &roles), &Scope::ALL, Some(PROJECT));
    assert_eq!(caller.check(Action::Read, "another", Private), Err(Refusal::Hidden));
    assert!(matches!(caller.check(Action::Configure, "another", Public), Err(Refusal::OtherProject { .. })));
    // Nor a project where its account is not a member.
    let caller = token_of(account(false, &[]), &Scope::ALL, Some(PROJECT));
    assert_eq!(caller.check(Action::Read, PROJECT, Private), Err(Refusal::Hidden));
}

#[test]
fn a_private_server_shows_public_projects_only_to_accounts() {
    assert_eq!(Caller::stranger(true).check(Action::Read, PROJECT, Public), Err(Refusal::Hidden));
    assert_eq!(*Caller::stranger(true).visible_projects(), VisibleProjects::default());
    let on_private = |account, scopes: &[Scope]| {
        Caller::new(Proof::Token(1), account, scopes.to_vec(), bound(Some("another"), None), true)
    };
    let reader = on_private(Some(account(false, &[])), &[Scope::Read]);
    assert_eq!(reader.check(Action::Read, PROJECT, Public), Ok(()));
    for caller in [on_private(None, &[Scope::Read]), on_private(None, &[Scope::IngestWrite])] {
        assert_eq!(caller.check(Action::Read, PROJECT, Public), Err(Refusal::Hidden), "{caller:?}");
    }
}

#[test]
fn a_bound_token_uploads_only_for_its_project_and_machine() {
    let caller = program(&[Scope::IngestWrite], Some(PROJECT), Some("lab-1"));
    assert_eq!(caller.check_upload(PROJECT, "lab-1", false), Ok(()));
    assert_eq!(
        caller.check_upload(PROJECT, "lab-2", false),
        Err(Refusal::OtherMachine { bound: "lab-1".into(), found: "lab-2".into() })
    );
    assert_eq!(
        caller.check_upload("another", "lab-1", false),
        Err(Refusal::OtherProject { bound: PROJECT.into(), found: "another".into() })
    );
    assert_eq!(program(&[Scope::IngestWrite], None, None).check_upload("any", "lab-9", false), Ok(()));
    assert_eq!(
        program(&[Scope::Read], None, None).check_upload(PROJECT, "lab-1", false),
        Err(Refusal::Scope(Scope::IngestWrite))
    );
}

#[test]
fn scope_for_quarantined_runs_allows_no_others() {
    let caller = program(&[Scope::IngestQuarantined], Some(PROJECT), None);
    assert_eq!(caller.check_uploader(), Ok(()));
    assert_eq!(caller.check_upload(PROJECT, "lab-1", true), Ok(()));
    assert_eq!(caller.check_upload(PROJECT, "lab-1", false), Err(Refusal::Scope(Scope::IngestWrite)));
    assert!(matches!(caller.check_upload("another", "lab-1", true), Err(Refusal::OtherProject { .. })));
    assert_eq!(program(&[Scope::IngestWrite], None, None).check_upload(PROJECT, "lab-1", true), Ok(()));
    assert_eq!(program(&[Scope::Read], None, None).check_uploader(), Err(Refusal::Scope(Scope::IngestWrite)));
    assert_eq!(Caller::stranger(false).check_uploader(), Err(Refusal::Anonymous));
}

#[test]
fn users_upload_only_where_they_contribute() {
    assert_eq!(member(Role::Contributor).check_upload(PROJECT, "laptop", false), Ok(()));
    let needed = |project: &str| Refusal::Role { needed: Role::Contributor, project: project.into() };
    assert_eq!(member(Role::Viewer).check_upload(PROJECT, "laptop", false), Err(needed(PROJECT)));
    assert_eq!(
        member(Role::Admin).check_upload("private-or-not-there", "laptop", false),
        Err(needed("private-or-not-there"))
    );
    assert_eq!(Caller::stranger(false).check_upload(PROJECT, "laptop", false), Err(Refusal::Anonymous));
}

#[test]
fn server_administration_requires_an_administrator() {
    assert_eq!(signed_in(account(true, &[])).check_server_admin(), Ok(()));
    assert_eq!(member(Role::Admin).check_server_admin(), Err(Refusal::ServerAdmin));
    let bound = token_of(account(true, &[]), &Scope::ALL, Some(PROJECT));
    assert_eq!(bound.check_server_admin(), Err(Refusal::ServerAdmin));
    let reader = token_of(account(true, &[]), &[Scope::Read], None);
    assert_eq!(reader.check_server_admin(), Err(Refusal::Scope(Scope::Admin)));
    assert_eq!(Caller::stranger(false).check_server_admin(), Err(Refusal::Anonymous));
}

fn managed<'a>(
    kind: TokenKind,
    account_id: Option<i64>,
    scopes: &'a [Scope],
    binding: &'a Binding,
    visibility: Option<Visibility>,
) -> ManagedToken<'a> {
    ManagedToken { kind, account_id, scopes, project: binding.project.as_deref(), visibility }
}

#[test]
fn tokens_cannot_exceed_their_creator() {
    let anywhere = bound(None, None);
    let here = bound(Some(PROJECT), None);
    let issue = |caller: &Caller, account_id, scopes: &[Scope], binding: &Binding| {
        caller.check_issue(&managed(TokenKind::User, Some(account_id), scopes, binding, None))
    };
    let caller = token_of(account(false, &[]), &[Scope::Admin, Scope::Read], None);
    assert_eq!(issue(&caller, 1, &[Scope::Read], &anywhere), Ok(()));
    assert!(matches!(issue(&caller, 1, &[Scope::IngestWrite], &anywhere), Err(Refusal::Escalation(_))));
    assert!(matches!(issue(&caller, 2, &[Scope::Read], &anywhere), Err(Refusal::Escalation(_))));
    let caller = token_of(account(true, &[]), &Scope::ALL, Some(PROJECT));
    assert_eq!(issue(&caller, 1, &[Scope::Read], &here), Ok(()));
    assert!(matches!(issue(&caller, 1, &[Scope::Read], &anywhere), Err(Refusal::Escalation(_))));
    let reader = token_of(account(true, &[]), &[Scope::Read], None);
    assert_eq!(issue(&reader, 1, &[Scope::Read], &anywhere), Err(Refusal::Scope(Scope::Admin)));
    let agent = program(&[Scope::Read, Scope::IngestWrite], None, None);
    assert_eq!(issue(&agent, 1, &[Scope::Read], &anywhere), Err(Refusal::Program));
    // Not even an administrator, who may only revoke it.
    let admin = signed_in(account(true, &[]));
    assert!(matches!(issue(&admin, 2, &[Scope::Read], &anywhere), Err(Refusal::Escalation(_))));
    assert_eq!(admin.check_revoke(&managed(TokenKind::User, Some(2), &[], &anywhere, None)), Ok(()));
    let own = |binding| managed(TokenKind::User, Some(1), &[], binding, None);
    assert_eq!(signed_in(account(false, &[])).check_revoke(&own(&anywhere)), Ok(()));
    assert_eq!(caller.check_revoke(&own(&here)), Ok(()));
    for binding in [&anywhere, &bound(Some("another"), None)] {
        assert!(
            matches!(caller.check_revoke(&own(binding)), Err(Refusal::OtherProject { .. })),
            "{binding:?}"
        );
    }
    let other = signed_in(account(false, &[]));
    assert_eq!(
        other.check_revoke(&managed(TokenKind::User, Some(2), &[], &anywhere, None)),
        Err(Refusal::ServerAdmin)
    );
}

#[test]
fn maintainers_manage_project_tokens_and_administrators_the_others() {
    let here = bound(Some(PROJECT), Some("lab-1"));
    let anywhere = bound(None, None);
    let of_project = managed(TokenKind::Agent, None, &[Scope::IngestWrite], &here, Some(Public));
    let of_any = managed(TokenKind::Agent, None, &[Scope::IngestWrite], &anywhere, None);
    let of_new = managed(TokenKind::Ci, None, &[Scope::IngestWrite], &here, None);
    let maintainer = member(Role::Maintainer);
    assert_eq!(maintainer.check_issue(&of_project), Ok(()));
    assert_eq!(maintainer.check_revoke(&of_project), Ok(()));
    assert!(maintainer.visible_tokens().unwrap().covers(&of_project));
    assert_eq!(maintainer.check_issue(&of_any), Err(Refusal::ServerAdmin));
    assert_eq!(maintainer.check_issue(&of_new), Err(Refusal::Hidden));
    let of_hidden = ManagedToken { visibility: Some(Private), ..of_new.clone() };
    assert_eq!(signed_in(account(false, &[])).check_issue(&of_hidden), Err(Refusal::Hidden), "no difference");
    assert!(matches!(member(Role::Contributor).check_issue(&of_project), Err(Refusal::Role { .. })));
    assert!(!member(Role::Contributor).visible_tokens().unwrap().covers(&of_project));
    let admin = signed_in(account(true, &[]));
    for token in [&of_project, &of_any, &of_new] {
        assert_eq!(admin.check_issue(token), Ok(()));
        assert!(admin.visible_tokens().unwrap().covers(token));
    }
}

#[test]
fn token_lists_contain_only_manageable_tokens() {
    let reader = token_of(account(false, &[(PROJECT, Role::Admin)]), &[Scope::Read], None);
    let nothing = VisibleTokens { all: false, account_id: None, projects: Vec::new() };
    assert_eq!(reader.visible_tokens(), Ok(nothing));
    let bound = token_of(account(true, &[]), &Scope::ALL, Some(PROJECT));
    let own = VisibleTokens { all: false, account_id: Some(1), projects: vec![PROJECT.into()] };
    assert_eq!(bound.visible_tokens(), Ok(own));
    assert_eq!(Caller::stranger(false).visible_tokens(), Err(Refusal::Anonymous));
    assert_eq!(program(&Scope::ALL, None, None).visible_tokens(), Err(Refusal::Program));
}

#[test]
fn audit_actors_are_account_names_or_token_ids() {
    assert_eq!(member(Role::Viewer).actor(), "account:ada");
    assert_eq!(program(&[], None, None).actor(), "token:1");
    assert_eq!(Caller::stranger(false).actor(), "anonymous");
}

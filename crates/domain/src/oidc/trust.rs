//! Decides which jobs a project trusts, without SQL or HTTP.

use super::Claims;
use roundtrip_storage::oidc::Patterns;

/// Whether the patterns match a job.
pub fn covers(patterns: &Patterns, claims: &Claims) -> bool {
    let covers =
        |pattern: &Option<String>, text: &str| pattern.as_ref().is_none_or(|pattern| matches(pattern, text));
    covers(&patterns.workflow_ref, &claims.workflow_ref)
        && covers(&patterns.git_ref, &claims.git_ref)
        && match &claims.environment {
            Some(environment) => covers(&patterns.environment, environment),
            None => patterns.environment.is_none(),
        }
}

/// Whether a text matches a pattern, in which `*` matches any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(begin) else { return false };
    // Each part between stars is matched as early as possible, which leaves the most text for the later
    // parts.
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    let Some(mut between) = text.strip_suffix(end) else { return false };
    parts.into_iter().all(|part| match between.split_once(part) {
        Some((_, behind)) => {
            between = behind;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        let file = "octo/lib/.github/workflows/measure.yml@refs/heads/main";
        for pattern in
            [file, "*", "octo/lib/*", "*@refs/heads/main", "octo/*/measure.yml@refs/*/main", "octo*main"]
        {
            assert!(matches(pattern, file), "{pattern}");
        }
        for pattern in
            ["", "octo/lib", "octo/lib/*@refs/heads/mai", "lib/*", "octo/?ib/*", "*/measure.yml@*/dev"]
        {
            assert!(!matches(pattern, file), "{pattern}");
        }
        // The prefix and the suffix must not overlap.
        assert!(
            !matches("refs/heads/ma*ain", "refs/heads/main")
                && matches("a*a*a", "aaa")
                && !matches("a*a*a", "aa")
        );
    }

    #[test]
    fn a_job_without_environment_matches_no_environment() {
        let claims = |environment: Option<&str>| Claims {
            jti: "1".into(),
            iat: 0,
            exp: 0,
            repository: "octo/lib".into(),
            repository_id: 1,
            repository_owner_id: 2,
            workflow_ref: "w".into(),
            event_name: "push".into(),
            sha: String::new(),
            git_ref: "refs/heads/main".into(),
            environment: environment.map(str::to_owned),
        };
        let lab = Patterns { environment: Some("*".into()), ..Patterns::default() };
        assert!(covers(&lab, &claims(Some("lab"))) && !covers(&lab, &claims(None)));
        assert!(
            covers(&Patterns::default(), &claims(None)) && covers(&Patterns::default(), &claims(Some("lab")))
        );
        let other = Patterns { git_ref: Some("refs/tags/*".into()), ..Patterns::default() };
        assert!(!covers(&other, &claims(None)));
    }
}

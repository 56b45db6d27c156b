//! The attribute for tests that need their own database.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Turns `async fn name(app: TestApp)` into a test with a new database. `crate::support::run` creates the argument from
/// the pool.
#[proc_macro_attribute]
pub fn database_test(_: TokenStream, test: TokenStream) -> TokenStream {
    let name = test.clone().into_iter().skip_while(|token| token.to_string() != "fn").nth(1);
    let Some(TokenTree::Ident(name)) = name else {
        return r#"compile_error!("expected a function");"#.parse().unwrap_or_default();
    };
    let rust = |text: &str| text.parse::<TokenStream>().unwrap_or_default();
    let mut body = test;
    body.extend(rust(&format!("crate::support::run(pool, {name}).await")));
    let mut all = rust(r#"#[::sqlx::test(migrator = "::roundtrip_server::MIGRATOR")] async fn"#);
    all.extend([TokenTree::Ident(name)]);
    all.extend(rust("(pool: ::sqlx::PgPool)"));
    all.extend([TokenTree::Group(Group::new(Delimiter::Brace, body))]);
    all
}

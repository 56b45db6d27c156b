//! `roundtrip mcp`: tools for coding agents, by the Model Context Protocol on standard input and output.
//!
//! Some read a server, some measure on this machine ([`local`]).

mod local;

use crate::cli::McpArguments;
use crate::failure::Failure;
use crate::http::{self, Refused};
use crate::remote;
use crate::upload::TIMEOUT;
use async_trait::async_trait;
use rmcp::{ServiceExt as _, transport};
use roundtrip_mcp::{Api, Tools};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn mcp(arguments: &McpArguments) -> crate::Result<()> {
    let token_file = arguments.token_file.as_deref();
    if token_file == Some(Path::new("-")) {
        return Err(Failure::Usage(
            "--token-file: standard input has the messages of the agent. Pass a file.".into(),
        ));
    }
    let api: Arc<dyn Api> = Arc::new(Server(remote::Server::at(&arguments.server, token_file)?));
    let mut tools = roundtrip_mcp::of_server(&api);
    tools.extend([local::run(), local::ab()]);
    let failed = |error: &dyn std::fmt::Display| Failure::Other(format!("cannot serve tools: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    let served = runtime.block_on(async {
        let service = Tools(tools).serve(transport::stdio()).await.map_err(|error| failed(&error))?;
        service.waiting().await.map_err(|error| failed(&error))
    });
    // A pending read of standard input would keep the process alive.
    runtime.shutdown_background();
    served.map(|_| ())
}

/// The server that the tools read.
#[derive(Clone)]
struct Server(remote::Server);

#[async_trait]
impl Api for Server {
    fn address(&self) -> &str {
        &self.0.address
    }

    async fn send(&self, path: &str, body: Option<Value>) -> Result<Value, roundtrip_mcp::Refused> {
        let (server, path) = (self.clone(), path.to_owned());
        let sent = tokio::task::spawn_blocking(move || server.ask(&path, body)).await;
        sent.unwrap_or_else(|error| Err(roundtrip_mcp::Refused::unexpected(error)))
    }
}

impl Server {
    fn ask(&self, path: &str, body: Option<Value>) -> Result<Value, roundtrip_mcp::Refused> {
        let url = self.0.url(path);
        let token = self.0.token.as_deref();
        let sent = match body {
            Some(body) => http::post(&url, TIMEOUT, token, &body),
            None => http::get(&url, TIMEOUT, token),
        };
        let unanswered = |error: http::Refusal| {
            let detail = format!("{error}. Start `roundtrip mcp` with the address of a server: --server URL");
            roundtrip_mcp::Refused::new("no-answer", detail)
        };
        let mut response = sent.map_err(unanswered)?;
        if response.status().is_success() {
            return http::parse(&url, &mut response).map_err(unanswered);
        }
        let Refused { status, code, message, .. } = Refused::read(&url, &mut response);
        let hint = match (status, token) {
            (401 | 403, None) => {
                ". Start `roundtrip mcp` with --token-file; create a token with `roundtrip-server token create`"
            }
            _ => "",
        };
        // Without a problem document, the answer does not come from a Roundtrip server.
        let code = if code.is_empty() { "no-answer".to_owned() } else { code };
        Err(roundtrip_mcp::Refused::new(code, format!("{message}{hint}")))
    }
}

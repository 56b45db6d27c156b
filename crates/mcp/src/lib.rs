//! Tools for coding agents, by the Model Context Protocol (MCP).
//!
//! The server offers them at `/mcp`, `roundtrip mcp` on standard input and output. Both use the REST API through [`Api`], so
//! permissions, limits and errors are the same.
//!
//! - [`Tools`]: an MCP server with a list of tools.  [`Tool`]: one tool.
//! - [`api`]: the REST API, as the tools use it.  [`docs`]: the documentation pages.
//! - `tools`: one file for each tool.

pub mod api;
pub mod docs;
mod tool;
mod tools;

pub use api::{Api, Refused};
pub use tool::{Effect, Tool};
pub use tools::of_server;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

const INSTRUCTIONS: &str = "Roundtrip tracks the performance of inter-process communication (IPC) by commit. Times are in \
    nanoseconds, sizes in bytes, changes are shares (0.05 is 5 % larger, which is slower for times). In cases of \
    imported benchmarks, divide values by `operations`; with a `measure`, they are in its unit, and its `better` states the good \
    direction. Intervals are 95 % confidence intervals unless \
    described otherwise. Report a change with its interval and the error rates of the answer. \"inconclusive\" and \"not \
    comparable\" are not \"no change\". Follow `link` for charts.";

/// An MCP server with these tools.
pub struct Tools(pub Vec<Tool>);

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("roundtrip", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.iter().map(|tool| tool.about().clone()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.0.iter().find(|tool| tool.about().name == request.name) else {
            let names: Vec<&str> = self.0.iter().map(|tool| tool.about().name.as_ref()).collect();
            let message = format!("unknown tool `{}`: expected one of {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        // Agents read the text of a failed call, so that they can correct it.
        let result = match tool.call(request.arguments.unwrap_or_default(), context).await {
            Ok(answer) => CallToolResult::structured(answer),
            Err(refused) => CallToolResult::error(vec![ContentBlock::text(refused.to_string())]),
        };
        Ok(result.into())
    }
}

//! [`Tool`]: a function that agents can call.

use crate::Refused;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{JsonObject, ToolAnnotations};
use rmcp::service::RequestContext;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

type Answer = BoxFuture<'static, Result<Value, Refused>>;

/// A function that agents can call. Its schemas come from the types of its input and output.
pub struct Tool {
    about: rmcp::model::Tool,
    call: Box<dyn Fn(JsonObject, RequestContext<RoleServer>) -> Answer + Send + Sync>,
}

/// What a call changes. Clients ask their users before calls that change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It adds something, such as a job, and deletes nothing.
    Adds,
    /// It runs programs of the user.
    Runs,
}

impl Tool {
    /// Creates a tool from an async function of its input and the request.
    pub fn new<I, O, F>(
        name: &'static str,
        effect: Effect,
        description: &'static str,
        call: impl Fn(I, RequestContext<RoleServer>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema + 'static,
        O: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<O, Refused>> + Send + 'static,
    {
        let hints =
            ToolAnnotations::new().read_only(effect == Effect::Reads).destructive(effect == Effect::Runs);
        let about = rmcp::model::Tool::new(name, description, JsonObject::new())
            .with_input_schema::<I>()
            .with_output_schema::<O>()
            .with_annotations(hints.open_world(false));
        let call = move |arguments, context| match serde_json::from_value(Value::Object(arguments)) {
            Ok(input) => {
                let answer = call(input, context);
                async move { serde_json::to_value(answer.await?).map_err(Refused::unexpected) }.boxed()
            }
            Err(error) => {
                let refused = Refused::new("invalid-arguments", error.to_string());
                std::future::ready(Err(refused)).boxed()
            }
        };
        Self { about, call: Box::new(call) }
    }

    /// Its name, description, schemas and hints.
    pub fn about(&self) -> &rmcp::model::Tool {
        &self.about
    }

    pub(crate) fn call(&self, arguments: JsonObject, context: RequestContext<RoleServer>) -> Answer {
        (self.call)(arguments, context)
    }
}

//! The questions that publications raise, answered by what was measured here: the answer in one sentence, what it rests on, and
//! the figures. A question is a file; `QUESTIONS` is the list of them.

mod chromium;
mod duel;
mod evidence;
mod freebsd;
mod libipc;
mod node;

use super::advice::{self, Member};
use super::charts::sweep;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::charts::sweep::SweptParameter;
use crate::error::{ApiError, Kind};
use crate::extract::{Caller, Path};
use crate::published::ALL;
use axum::{Json, extract::State};
use evidence::EvidenceTable;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One for each publication.
const QUESTIONS: [&Question; 4] =
    [&chromium::QUESTION, &libipc::QUESTION, &node::QUESTION, &freebsd::QUESTION];

/// What a publication asks, and how it is answered of one machine.
struct Question {
    /// The publication.
    reference: &'static str,
    /// The scenarios whose series may answer it.
    scenarios: &'static [&'static str],
    /// Their transports; without any, all.
    transports: &'static [&'static str],
    /// What of their cases they are measured over.
    over: SweptParameter,
    /// The answer of the series of one machine, each with its newest point; `None` where they do not answer it.
    answer: fn(&[Member]) -> Option<Answered>,
}

/// What one machine answers.
struct Answered {
    answer: String,
    reasons: Vec<String>,
    tables: Vec<EvidenceTable>,
}

/// A publication's question, answered by what was measured here.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkedReference {
    /// The publication.
    #[schema(example = "freebsd-pipes-and-sockets")]
    pub reference: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// The preset that measures what answers it.
    pub preset: &'static str,
    /// By name; none where nothing was measured that answers it.
    pub machines: Vec<WorkedMachine>,
}

/// What was measured on one machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkedMachine {
    /// The machine's name.
    pub machine: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// What it rests on, and what it does not say; a sentence or two each.
    pub reasons: Vec<String>,
    /// The figures.
    pub tables: Vec<EvidenceTable>,
}

/// Which publication is asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct WorkedPath {
    /// The project's name.
    project: Slug,
    /// The publication's name.
    reference: Slug,
}

/// The question of a publication, answered by the newest points of the main line.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/references/{reference}", tag = "published", params(WorkedPath), responses(
    (status = 200, description = "The answers, by machine", body = WorkedReference),
    (status = 404, description = "`unknown-reference` and so on", body = roundtrip_wire::Problem,
        content_type = "application/problem+json"),
))]
pub(crate) async fn worked_reference(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WorkedPath>,
) -> Result<Json<WorkedReference>, ApiError> {
    let project = ProjectPath { project: path.project };
    let project_id = project_id(&state, &caller, &project).await?;
    let slug = path.reference.as_str();
    let unknown = || ApiError::unknown(Kind::Reference, slug);
    let question = QUESTIONS.into_iter().find(|question| question.reference == slug).ok_or_else(unknown)?;
    let all =
        ALL.as_ref().map_err(|error| ApiError::internal(anyhow::anyhow!("published tables: {error}")))?;
    let reference = all.references.iter().find(|reference| reference.slug == slug).ok_or_else(unknown)?;
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let filter = Filter {
        scenario: named(question.scenarios),
        transport: named(question.transports),
        ..Filter::default()
    };
    let mut machines = Vec::new();
    for rows in sweep::by_machine(search::all(&state.pool, project_id, &filter).await?) {
        let members = advice::members(&state, question.over, rows).await?;
        // Distributions are put together, and repetitions held against each other.
        let answered = tokio::task::spawn_blocking(move || worked_machine(question, &members)).await;
        machines.extend(answered.map_err(ApiError::internal)?);
    }
    machines.sort_by(|one: &WorkedMachine, other| one.machine.cmp(&other.machine));
    Ok(Json(WorkedReference {
        reference: reference.slug,
        question: reference.question,
        preset: reference.preset,
        machines,
    }))
}

fn worked_machine(question: &Question, members: &[Member]) -> Option<WorkedMachine> {
    let machine = members.first()?.of_a_size.series.machine.clone();
    let Answered { answer, reasons, tables } = (question.answer)(members)?;
    Some(WorkedMachine { machine, answer, reasons, tables })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_publication_has_its_question_answered() {
        let published: BTreeSet<&str> =
            ALL.as_ref().unwrap().references.iter().map(|reference| reference.slug).collect();
        let answered: BTreeSet<&str> = QUESTIONS.iter().map(|question| question.reference).collect();
        assert_eq!(published, answered);
    }
}

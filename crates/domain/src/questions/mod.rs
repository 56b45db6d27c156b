//! Questions from publications, answered from the results on this server: the answer in one sentence, the reasons, and the
//! evidence. A question is a file; `QUESTIONS` is the list of them.

mod chromium;
mod duel;
mod evidence;
mod freebsd;
mod libipc;
mod node;

pub use evidence::{EvidenceCell, EvidenceColumn, EvidenceRow, EvidenceRows, EvidenceTable, EvidenceUnit};

use crate::advice::{self, Member};
use crate::charts::members::by_machine;
use crate::charts::sweep::SweptParameter;
use crate::error::DomainError;
use roundtrip_storage::series::search::{self, Filter};
use serde::Serialize;
use sqlx::PgPool;
use utoipa::ToSchema;

/// One for each publication.
const QUESTIONS: [&Question; 4] =
    [&chromium::QUESTION, &libipc::QUESTION, &node::QUESTION, &freebsd::QUESTION];

/// A publication's question, and the function that answers it for one machine.
struct Question {
    reference: &'static str,
    /// The scenarios of the series that answer it.
    scenarios: &'static [&'static str],
    /// Their transports; empty for all.
    transports: &'static [&'static str],
    /// The swept parameter.
    over: SweptParameter,
    /// The answer from one machine's series, each with its newest point; `None` if they are not sufficient.
    answer: fn(&[Member]) -> Option<Answered>,
}

struct Answered {
    answer: String,
    reasons: Vec<String>,
    tables: Vec<EvidenceTable>,
}

/// The answer from one machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkedMachine {
    /// The machine's name.
    pub machine: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// Reasons and caveats, a sentence or two each.
    pub reasons: Vec<String>,
    /// The evidence.
    pub tables: Vec<EvidenceTable>,
}

/// The answers to a publication's question by machine of a project; `None` if the publication is unknown.
pub async fn answers(
    pool: &PgPool,
    project_id: i64,
    reference: &str,
) -> Result<Option<Vec<WorkedMachine>>, DomainError> {
    let Some(question) = QUESTIONS.into_iter().find(|question| question.reference == reference) else {
        return Ok(None);
    };
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let filter = Filter {
        scenario: named(question.scenarios),
        transport: named(question.transports),
        ..Filter::default()
    };
    let mut machines = Vec::new();
    for rows in by_machine(search::all(pool, project_id, &filter).await?) {
        let members = advice::members(pool, question.over, rows).await?;
        // CPU-bound: merges distributions and compares repetitions.
        let answered = tokio::task::spawn_blocking(move || worked_machine(question, &members)).await;
        machines.extend(answered.map_err(DomainError::internal)?);
    }
    machines.sort_by(|one: &WorkedMachine, other| one.machine.cmp(&other.machine));
    Ok(Some(machines))
}

fn worked_machine(question: &Question, members: &[Member]) -> Option<WorkedMachine> {
    let machine = members.first()?.of_a_size.series.machine.clone();
    let Answered { answer, reasons, tables } = (question.answer)(members)?;
    Some(WorkedMachine { machine, answer, reasons, tables })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::ALL;
    use std::collections::BTreeSet;

    #[test]
    fn each_publication_has_its_question_answered() {
        let published: BTreeSet<&str> =
            ALL.as_ref().unwrap().references.iter().map(|reference| reference.slug).collect();
        let answered: BTreeSet<&str> = QUESTIONS.iter().map(|question| question.reference).collect();
        assert_eq!(published, answered);
    }
}

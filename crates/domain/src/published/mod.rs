//! Published results of others, to show next to ours: their tables as printed, their methodology, and why their values are
//! not comparable with ours.
//!
//! A table is a CSV file in `data/`; `publications` describes it in our words.

mod publications;
mod table;

use serde::Serialize;
use std::sync::LazyLock;
use utoipa::ToSchema;

/// All publications, parsed once.
pub static ALL: LazyLock<Result<ReferenceList, String>> = LazyLock::new(|| {
    let sources = [publications::CHROMIUM, publications::LIBIPC, publications::NODE, publications::FREEBSD];
    let references = sources.into_iter().map(Reference::read).collect::<Result<_, _>>()?;
    Ok(ReferenceList { references })
});

/// Published results of others.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReferenceList {
    /// The publications, in reading order.
    pub references: Vec<Reference>,
}

/// A publication: a table, or statements if it has none.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reference {
    /// Its name in URLs.
    #[schema(example = "chromium-mach-vs-fifo")]
    pub slug: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The question that results on this server answer.
    #[schema(example = "Would Chromium decide the same today?")]
    pub question: &'static str,
    /// The preset that measures the answer.
    pub preset: &'static str,
    /// The author and the document, in one line.
    pub source: &'static str,
    /// Its conclusion, in a sentence or two.
    pub summary: &'static str,
    /// Its methodology, as far as stated.
    pub methodology: &'static [MethodologyFact],
    /// Why its values are not comparable with ours, a sentence each.
    pub not_comparable_because: &'static [&'static str],
    /// The unit of its values; null without a table.
    #[schema(required)]
    pub unit: Option<PublishedUnit>,
    /// The columns of the table; empty without a table.
    pub columns: &'static [ReferenceColumn],
    /// The rows of the table, in the published order, with one cell per column; null if not printed.
    pub rows: Vec<Vec<Option<ReferenceCell>>>,
    /// Checkable statements of a publication without a table, a sentence each.
    pub statements: &'static [&'static str],
    /// The table as CSV with a header; empty without a table.
    #[serde(skip)]
    csv: &'static str,
}

/// A fact of a methodology.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct MethodologyFact {
    /// The aspect.
    #[schema(example = "Statistic")]
    pub name: &'static str,
    /// The stated value.
    #[schema(example = "98th percentile")]
    pub value: &'static str,
}

/// A column of a published table.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ReferenceColumn {
    /// Its name in the CSV file.
    #[schema(example = "message_bytes")]
    pub name: &'static str,
    /// Whether its cells are numbers.
    pub is_number: bool,
    /// The unit of its numbers.
    #[schema(required)]
    pub unit: Option<PublishedUnit>,
}

/// The unit of published numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublishedUnit {
    /// Microseconds.
    Us,
    /// Per second.
    PerSecond,
    /// Bytes.
    Bytes,
    /// Percent.
    Percent,
}

/// A cell of a published table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ReferenceCell {
    /// A number as it was printed: `9` is not `9.0`.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

const fn fact(name: &'static str, value: &'static str) -> MethodologyFact {
    MethodologyFact { name, value }
}

const fn number(name: &'static str, unit: Option<PublishedUnit>) -> ReferenceColumn {
    ReferenceColumn { name, is_number: true, unit }
}

const fn text(name: &'static str) -> ReferenceColumn {
    ReferenceColumn { name, is_number: false, unit: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn printed(cell: Option<&ReferenceCell>) -> String {
        match cell {
            None => String::new(),
            Some(ReferenceCell::Number(number)) => number.to_string(),
            Some(ReferenceCell::Text(text)) => text.clone(),
        }
    }

    #[test]
    fn every_published_value_is_reproduced_as_printed() {
        for (source, rows) in
            [(publications::CHROMIUM, 90), (publications::LIBIPC, 124), (publications::NODE, 16)]
        {
            let reference = source.read().unwrap();
            let names = reference.columns.iter().map(|column| column.name.to_owned()).collect();
            let cells =
                reference.rows.iter().map(|row| row.iter().map(|cell| printed(cell.as_ref())).collect());
            let lines: Vec<Vec<String>> = std::iter::once(names).chain(cells).collect();
            let text: String = lines.iter().map(|cells| cells.join(",") + "\n").collect();
            assert_eq!(text, reference.csv, "{}", reference.slug);
            assert_eq!(reference.rows.len(), rows, "{}", reference.slug);
        }
    }

    #[test]
    fn publications_are_complete_and_unique() {
        let all = ALL.as_ref().unwrap();
        let slugs: BTreeSet<&str> = all.references.iter().map(|reference| reference.slug).collect();
        assert_eq!(slugs.len(), all.references.len());
        for reference in &all.references {
            assert!(roundtrip_wire::Slug::parse(reference.slug).is_ok(), "{}", reference.slug);
            assert_eq!(reference.rows.is_empty(), !reference.statements.is_empty(), "{}", reference.slug);
            assert_eq!(reference.unit.is_some(), !reference.columns.is_empty(), "{}", reference.slug);
            assert!(reference.rows.iter().all(|row| row.len() == reference.columns.len()));
            let sentences = reference.not_comparable_because.iter().chain(reference.statements);
            let sentences: Vec<&&str> = sentences.chain([&reference.summary]).collect();
            assert!(!reference.not_comparable_because.is_empty() && !reference.methodology.is_empty());
            assert!(
                sentences.iter().all(|text| text.ends_with('.') && !text.contains("  ")),
                "{sentences:?}"
            );
        }
    }
}

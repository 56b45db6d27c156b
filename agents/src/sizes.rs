//! `roundtrip sizes`: prints a message-size histogram as a table, and as text for the web page and `roundtrip
//! advise`.
//!
//! As JSON: `format`, `text`, `message_count`, `min_bytes`, `max_bytes`, `bytes_p50`, `bytes_p90`,
//! `bytes_p99`, and `buckets`, each with `from_bytes`, `to_bytes` and `count`. Members are only ever added.

use crate::cli::{SizesArguments, SizesFormat};
use crate::failure::Failure;
use crate::format::{count, percent};
use crate::{input, output};
use roundtrip_import::sizes::{SizeImport, fewer};
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};
use serde::Serialize;

/// The row limit of the table.
const ROWS_MAX: usize = 50;
const BAR_WIDTH: u64 = 24;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    format: &'static str,
    /// As `--format text` prints it.
    text: String,
    message_count: u64,
    min_bytes: u64,
    max_bytes: u64,
    bytes_p50: u64,
    bytes_p90: u64,
    bytes_p99: u64,
    buckets: Vec<Bucket>,
}

#[derive(Debug, Serialize)]
struct Bucket {
    from_bytes: u64,
    to_bytes: u64,
    count: u64,
}

pub(crate) fn sizes(arguments: &SizesArguments) -> crate::Result<()> {
    let SizesArguments { file, from, format } = arguments;
    let (name, bytes) = input::read(file)?;
    let read = roundtrip_import::sizes::read(&bytes, from.0)
        .map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    for warning in &read.warnings {
        eprintln!("{name}: {warning}");
    }
    match format {
        SizesFormat::Human => output::print(&render(&read)),
        SizesFormat::Json => output::print_json(&answer(&read)),
        SizesFormat::Text => output::print(&read.sizes.to_string()),
    }
}

fn answer(SizeImport { format, sizes, .. }: &SizeImport) -> Answer {
    let bucket =
        |&SizeBucket { from_bytes, to_bytes, count }: &SizeBucket| Bucket { from_bytes, to_bytes, count };
    let [bytes_p50, bytes_p90, bytes_p99] = quantiles_bytes(sizes);
    Answer {
        format: format.slug(),
        text: sizes.to_string(),
        message_count: sizes.count(),
        min_bytes: sizes.min_bytes(),
        max_bytes: sizes.max_bytes(),
        bytes_p50,
        bytes_p90,
        bytes_p99,
        buckets: sizes.buckets().iter().map(bucket).collect(),
    }
}

fn render(SizeImport { format, sizes, .. }: &SizeImport) -> String {
    let [p50, p90, p99] = quantiles_bytes(sizes).map(count);
    let shown = fewer(sizes.buckets(), ROWS_MAX);
    let coarse = if shown.len() < sizes.buckets().len() {
        format!("\n{} buckets, shown in {} rows.", count(sizes.buckets().len() as u64), shown.len())
    } else {
        String::new()
    };
    format!(
        "{} messages, {} to {} B, format {format}\np50 {p50} B, p90 {p90} B, p99 {p99} \
         B{coarse}\n\n{}\n\n{}\n\n{sizes}\n",
        count(sizes.count()),
        count(sizes.min_bytes()),
        count(sizes.max_bytes()),
        table(&shown),
        output::paragraph(
            "All sizes in a bucket are assumed equally frequent. Pass this text to `roundtrip advise \
             --sizes`, or paste it into the web interface:",
            0
        ),
    )
}

fn table(buckets: &[SizeBucket]) -> String {
    let all: u64 = buckets.iter().map(|bucket| bucket.count).sum();
    let largest = buckets.iter().map(|bucket| bucket.count).max().unwrap_or_default();
    let share = |part: u64| part as f64 / all as f64;
    let mut so_far = 0;
    let row = |bucket: &SizeBucket| {
        so_far += bucket.count;
        [
            range(bucket),
            count(bucket.count),
            rare(share(bucket.count)),
            // With decimals: few long messages can cost more than all others.
            format!("{:.2} %", share(so_far) * 100.0),
            bar(bucket.count, largest),
        ]
    };
    let header = ["bytes", "messages", "share", "cumulative", ""];
    output::table(header, buckets.iter().map(row), |place| place < 4)
}

fn range(bucket: &SizeBucket) -> String {
    let (from, to) = (count(bucket.from_bytes), count(bucket.to_bytes));
    if from == to { from } else { format!("{from} to {to}") }
}

/// Formats a share that is not zero, even a very small one.
fn rare(share: f64) -> String {
    if share < 0.000_05 { "< 0.01 %".into() } else { percent(share) }
}

/// A bar of blocks with a resolution of one eighth; a nonzero count has at least one eighth.
fn bar(part: u64, largest: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = u128::from(part) * u128::from(BAR_WIDTH) * 8 / u128::from(largest.max(1));
    let eighths = usize::try_from(eighths).unwrap_or_default().max(usize::from(part > 0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// The sizes that 50, 90 and 99 % of the messages do not exceed.
fn quantiles_bytes(sizes: &SizeHistogram) -> [u64; 3] {
    [50, 90, 99].map(|percent| quantile_bytes(sizes, percent))
}

/// By nearest rank, with the messages of a bucket spread evenly over its sizes.
fn quantile_bytes(sizes: &SizeHistogram, percent: u64) -> u64 {
    let mut rank = (u128::from(sizes.count()) * u128::from(percent)).div_ceil(100).max(1);
    for &SizeBucket { from_bytes, to_bytes, count } in sizes.buckets() {
        let in_bucket = u128::from(count);
        if rank <= in_bucket {
            let sizes = u128::from(to_bytes - from_bytes) + 1;
            let above = (2 * rank - 1) * sizes / (2 * in_bucket);
            return from_bytes.saturating_add(u64::try_from(above).unwrap_or(u64::MAX));
        }
        rank -= in_bucket;
    }
    sizes.max_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantiles(text: &str) -> [u64; 3] {
        quantiles_bytes(&text.parse().unwrap())
    }

    #[test]
    fn spreads_messages_evenly_within_buckets() {
        assert_eq!(quantiles("64:3"), [64, 64, 64]);
        assert_eq!(quantiles("1-100:100"), [50, 90, 99]);
        assert_eq!(quantiles("0-99:1"), [50, 50, 50]);
        assert_eq!(quantiles("8:50,16:40,32-33:10"), [8, 16, 33]);
    }

    #[test]
    fn draws_proportional_bars() {
        assert_eq!(bar(8, 8).chars().count(), 24);
        assert_eq!(bar(3, 16), "████▌");
        assert_eq!((bar(1, 1 << 40), bar(0, 8)), ("▏".into(), String::new()));
    }
}

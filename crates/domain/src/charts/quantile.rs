//! [`Quantiles`]: the requested quantiles of a point.

use roundtrip_storage::point::Quantile;
use serde::Deserialize;
use strum::VariantNames as _;

/// At least one quantile, ascending, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Quantiles(Vec<Quantile>);

/// Why a text is not a list of quantiles.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a quantile: expected some of {names}, separated by commas", names = Quantile::VARIANTS.join(", "))]
pub struct InvalidQuantile(String);

impl TryFrom<String> for Quantiles {
    type Error = InvalidQuantile;

    fn try_from(text: String) -> Result<Self, InvalidQuantile> {
        let mut quantiles = text
            .split(',')
            .map(|name| name.parse().map_err(|_| InvalidQuantile(name.chars().take(20).collect())))
            .collect::<Result<Vec<_>, _>>()?;
        quantiles.sort_unstable();
        quantiles.dedup();
        Ok(Self(quantiles))
    }
}

impl Default for Quantiles {
    fn default() -> Self {
        Self(vec![Quantile::P50, Quantile::P90, Quantile::P99])
    }
}

impl Quantiles {
    /// Ascending, without duplicates.
    pub fn as_slice(&self) -> &[Quantile] {
        &self.0
    }

    /// The highest one.
    pub fn highest(&self) -> Quantile {
        self.0.last().copied().unwrap_or(Quantile::P50)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_sorted_and_unique() {
        let quantiles = Quantiles::try_from("p999,min,p50,min".to_owned()).unwrap();
        assert_eq!(quantiles.as_slice(), [Quantile::Min, Quantile::P50, Quantile::P999]);
        assert_eq!(quantiles.highest(), Quantile::P999);
    }

    #[test]
    fn an_invalid_quantile_lists_the_valid_ones() {
        for (text, named) in [("p50,p95", "`p95`"), ("", "``"), ("p50,", "``")] {
            let error = Quantiles::try_from(text.to_owned()).unwrap_err().to_string();
            assert!(error.starts_with(named) && error.contains("min, p25, p50"), "{error}");
        }
    }
}

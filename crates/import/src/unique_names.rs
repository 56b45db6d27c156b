//! [`UniqueNames`]: keeps entries of the same name apart.

use std::collections::HashMap;

/// Numbers equal names in the order of the file: `a`, `a #2`, `a #3`.
#[derive(Debug, Default)]
pub(crate) struct UniqueNames(HashMap<String, usize>);

impl UniqueNames {
    pub(crate) fn next(&mut self, name: String) -> String {
        match self.0.get_mut(&name) {
            Some(count) => {
                *count += 1;
                format!("{name} #{count}")
            }
            None => {
                self.0.insert(name.clone(), 1);
                name
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_equal_names() {
        let mut names = UniqueNames::default();
        let named = ["a", "b", "a", "a"].map(|name| names.next(name.into()));
        assert_eq!(named, ["a", "b", "a #2", "a #3"]);
    }
}

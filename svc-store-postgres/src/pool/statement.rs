//! A statement with its values inlined: the driver sends parameters only with a statement sent on
//! its own.

/// A statement with parameters, `$1` to `$9`.
#[derive(Debug)]
pub(crate) struct Statement {
    /// The name under which it is prepared.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

impl Statement {
    /// The SQL that prepares it.
    pub(super) fn prepare(&self) -> String {
        format!("PREPARE {} AS {}", self.name, self.text)
    }

    /// The SQL that executes it once prepared, with inlined values.
    pub(super) fn execute(&self, values: &[String]) -> String {
        format!("EXECUTE {} ({})", self.name, values.join(", "))
    }

    /// The statement with its parameters replaced by values, which are SQL without `$`.
    pub(super) fn with(&self, values: &[String]) -> String {
        let parameters = (1..=9).map(|number| format!("${number}"));
        parameters.zip(values).fold(self.text.to_owned(), |text, (name, value)| text.replace(&name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_parameters_were() {
        let statement =
            Statement { name: "s", text: "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) WHERE b < $2" };
        let values = ["7".to_owned(), "now()".to_owned()];
        assert_eq!(statement.execute(&values), "EXECUTE s (7, now())");
        assert_eq!(statement.with(&values), "INSERT INTO t (a, b) VALUES (7, now()) ON CONFLICT (a) WHERE b < now()");
    }
}

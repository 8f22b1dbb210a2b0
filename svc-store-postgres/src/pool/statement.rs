//! A statement whose values are written into it: the driver sends parameters only with a statement that goes alone.

/// A statement with parameters, `$1` to `$9`.
#[derive(Debug)]
pub(crate) struct Statement {
    /// Under which it is prepared.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

impl Statement {
    /// What prepares it.
    pub(super) fn prepare(&self) -> String {
        format!("PREPARE {} AS {}", self.name, self.text)
    }

    /// What runs it once it is prepared, with values written as SQL.
    pub(super) fn execute(&self, values: &[String]) -> String {
        format!("EXECUTE {} ({})", self.name, values.join(", "))
    }

    /// It with values, written as SQL without `$`, in the place of its parameters.
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

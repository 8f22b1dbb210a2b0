//! Statements that number what they write.

/// A statement that begins with `numero (serie, valor)`, the last numbers of series. `$series`
/// gives rows of company, series and how many numbers are taken; each series stays locked until the
/// end of the transaction. All of them are locked in the order of these rows.
macro_rules! numbered {
    ($series:literal, $rest:literal) => {
        concat!(
            "WITH numero AS (INSERT INTO contadores AS c (empresa, serie, valor) ",
            $series,
            " ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor RETURNING serie, valor)",
            $rest
        )
    };
}

pub(crate) use numbered;

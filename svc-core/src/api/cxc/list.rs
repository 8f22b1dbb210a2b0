use super::Receivable;
use crate::domain::scope::Scope;
use crate::domain::words::ReceivableStatus;
use crate::error::Error;
use crate::operation::filters::{boolean, choice, integer, uuid};
use crate::operation::{List, ListSpec, Pages, Query};

/// Lists receivables: the pending ones, unless a status or a single document is asked for.
pub struct Receivables;

/// The filters of [`Receivables`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the filter of its name in the table below")]
pub enum ReceivableFilter {
    Clave(i64),
    Estatus(&'static str),
    Cliente(i64),
    Venta(i64),
    Uuid(String),
    ConSaldo(bool),
    Vencido(bool),
}

use ReceivableFilter as F;

impl List for Receivables {
    const SPEC: ListSpec<F> = ListSpec::new(
        "/cxc",
        Scope::CxcRead,
        Pages::Enforced,
        &[
            integer("clave", F::Clave),
            choice("estatus", ReceivableStatus::WORDS, F::Estatus),
            integer("cliente", F::Cliente),
            integer("venta", F::Venta),
            uuid("uuid", F::Uuid),
            boolean("con_saldo", F::ConSaldo),
            boolean("vencido", F::Vencido),
        ],
    )
    .summary("List receivables");
    type Path = ();
    type Filter = F;
    type Item = Receivable;

    /// Without `estatus` only pending ones, but of a given receivable, sale or invoice all.
    fn settle(query: &mut Query<F>) -> Result<(), Error> {
        let any_status =
            query.filters.iter().any(|filter| matches!(filter, F::Estatus(_) | F::Clave(_) | F::Venta(_) | F::Uuid(_)));
        if !any_status {
            query.filters.push(F::Estatus(ReceivableStatus::Pendiente.word()));
        }
        Ok(())
    }
}

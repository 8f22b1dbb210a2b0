//! Operations called from Rust as the back office, in one transaction.

use super::{Actor, Cx, Operation, Spec};
use crate::context::Context;
use crate::domain::clock::Clock;
use crate::domain::company::{Company, CompanyId};
use crate::error::{Code, Error};
use crate::store::{Tx, Work, transact};

impl Context {
    /// Runs `operation` in `company`, in one transaction, which is retried after a collision. Fails with `no_encontrado`
    /// (field `empresa`) when the company does not exist.
    pub async fn run<O: Operation>(&self, company: CompanyId, operation: &O) -> Result<O::Output, Error> {
        self.run_as(&O::SPEC, company, operation).await
    }

    /// The same with the spec given, for an operation that wraps another.
    pub(crate) async fn run_as<O: Operation>(
        &self,
        spec: &Spec,
        company: CompanyId,
        operation: &O,
    ) -> Result<O::Output, Error> {
        let outcome =
            transact(self.store(), self.random(), company, &mut Perform { context: self, company, operation }).await;
        // Also after an error: whether a commit went through may be unknown.
        if spec.changes_access {
            self.keys().forget(company);
        }
        outcome
    }
}

struct Perform<'a, O> {
    context: &'a Context,
    company: CompanyId,
    operation: &'a O,
}

impl<O: Operation> Work for Perform<'_, O> {
    type Output = O::Output;

    fn clock(&self) -> Option<&dyn Clock> {
        Some(self.context.clock())
    }

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<O::Output, Error> {
        let company = existing(tx, self.company).await?;
        self.operation.run(&mut Cx::new(self.context, tx, &company, &Actor::BackOffice)).await
    }
}

/// The company of a transaction, or `no_encontrado`; `company` is the number it was begun for.
pub(crate) async fn existing(tx: &mut dyn Tx, company: CompanyId) -> Result<Company, Error> {
    let missing = || Error::field(Code::NoEncontrado, "empresa", format_args!("la empresa {} no existe", company.0));
    tx.company().await?.ok_or_else(missing)
}

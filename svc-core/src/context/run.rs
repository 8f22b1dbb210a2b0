//! Running operations, steps of background work and calls of the store from Rust, each in one
//! transaction of a company.

use std::future::Future;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::Context;
use crate::domain::clock::Clock;
use crate::domain::company::{Company, CompanyId};
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Actor, Cx, File, FileBytes, Operation};
use crate::store::{StoreCall, StoreError, TransactionBody, Tx, transact};

/// A unit of background work in one transaction. Every [`Operation`] is one; others have no
/// specification.
pub(crate) trait Step: Send + Sync {
    /// What it returns once it is committed.
    type Output: Send;

    /// Runs the step. It may run again after a collision of transactions, so it must have no side
    /// effects outside `cx`.
    fn run_step(&self, cx: &mut Cx<'_>) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

impl<O: Operation> Step for O {
    type Output = O::Output;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<O::Output, Error> {
        cx.call(self).await
    }
}

impl Context {
    /// The context of an operation that `actor` runs in `company`; `tx` must be a transaction of
    /// that company.
    pub fn cx<'a>(&'a self, tx: &'a mut dyn Tx, company: &'a Company, actor: &'a Actor) -> Cx<'a> {
        Cx {
            tx,
            now: Timestamp::new(self.now_in(company)),
            company,
            actor,
            random: self.random(),
            sealer: self.sealer(),
            base_url: self.base_url(),
            development_destinations: self.settings().development_destinations,
            sandbox: company.prueba || self.settings().sandbox,
            registry: self.registry(),
            emitted: Vec::new(),
        }
    }

    /// Runs `operation` in `company` as the back office, in one transaction that is retried after a
    /// collision. Fails with `no_encontrado` (field `empresa`) if the company does not exist.
    pub async fn run<O: Operation>(&self, company: CompanyId, operation: &O) -> Result<O::Output, Error> {
        self.run_by(company, &Actor::BackOffice, operation).await
    }

    /// Runs `operation` in `company` on behalf of `actor`.
    pub(crate) async fn run_by<O: Operation>(
        &self,
        company: CompanyId,
        actor: &Actor,
        operation: &O,
    ) -> Result<O::Output, Error> {
        let mut body = WithCx { context: self, company, actor, step: operation, rehearsal: false };
        let outcome = self.transact(company, &mut body).await;
        self.evict_keys(O::SPEC.changes_access, company);
        Ok(outcome?.0)
    }

    /// Runs `operation` in `company` as [`Self::run`] does and undoes it: nothing is written, and
    /// no number is used up. Returns what it would return, and the types of the events that it
    /// would emit, each once, in the order of their first event (contract §9).
    pub async fn rehearse<O: Operation>(
        &self,
        company: CompanyId,
        operation: &O,
    ) -> Result<(O::Output, Vec<&'static str>), Error> {
        self.rehearse_step(company, operation).await
    }

    /// Evicts the company's cached keys if the operation `changes_access`. It does so after errors
    /// too, since a failed commit may have taken effect.
    pub(crate) fn evict_keys(&self, changes_access: bool, company: CompanyId) {
        if changes_access {
            self.keys().forget(company);
        }
    }

    /// The bytes of a company's file.
    pub(crate) async fn whole(&self, company: CompanyId, file: File) -> Result<Bytes, Error> {
        match file.bytes {
            FileBytes::Made(bytes) => Ok(bytes),
            FileBytes::Unmade(make) => self.compute().run(company, make).await?,
            FileBytes::Drawn(draw) => {
                let fonts = self.fonts().clone();
                self.compute().run(company, move || draw(&fonts)).await?
            }
        }
    }

    /// Runs a step as [`Self::run`] runs an operation.
    pub(crate) async fn run_step<S: Step>(&self, company: CompanyId, step: &S) -> Result<S::Output, Error> {
        let mut body = WithCx { context: self, company, actor: &Actor::BackOffice, step, rehearsal: false };
        Ok(self.transact(company, &mut body).await?.0)
    }

    /// Rehearses a step as [`Self::rehearse`] rehearses an operation.
    pub(crate) async fn rehearse_step<S: Step>(
        &self,
        company: CompanyId,
        step: &S,
    ) -> Result<(S::Output, Vec<&'static str>), Error> {
        let mut body = WithCx { context: self, company, actor: &Actor::BackOffice, step, rehearsal: true };
        self.transact(company, &mut body).await
    }

    /// The company. Fails with `no_encontrado` (field `empresa`) if it does not exist.
    pub(crate) async fn existing_company(&self, company: CompanyId) -> Result<Company, Error> {
        self.run_step(company, &ReadCompany).await
    }

    /// Runs one call of the store in its own transaction.
    pub(crate) async fn call_store<T: Send>(
        &self,
        company: CompanyId,
        call: impl for<'t> FnMut(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send,
    ) -> Result<T, Error> {
        self.transact(company, &mut StoreCall(call)).await
    }

    /// Runs `body` in a transaction that is retried after a collision.
    pub(crate) async fn transact<B: TransactionBody>(
        &self,
        company: CompanyId,
        body: &mut B,
    ) -> Result<B::Output, Error> {
        transact(self.store(), self.random(), company, body).await
    }
}

struct ReadCompany;

impl Step for ReadCompany {
    type Output = Company;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<Company, Error> {
        Ok(cx.company.clone())
    }
}

struct WithCx<'a, S> {
    context: &'a Context,
    company: CompanyId,
    actor: &'a Actor,
    step: &'a S,
    rehearsal: bool,
}

impl<S: Step> TransactionBody for WithCx<'_, S> {
    /// With the types of the events that were emitted.
    type Output = (S::Output, Vec<&'static str>);

    fn is_rehearsal(&self) -> bool {
        self.rehearsal
    }

    fn clock(&self) -> Option<&dyn Clock> {
        Some(self.context.clock())
    }

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<Self::Output, Error> {
        let company = existing(tx, self.company).await?;
        let mut cx = self.context.cx(tx, &company, self.actor);
        let output = self.step.run_step(&mut cx).await?;
        Ok((output, cx.into_emitted()))
    }
}

/// The company of a transaction. Fails with `no_encontrado`, naming `company`, if it does not
/// exist.
pub(crate) async fn existing(tx: &mut dyn Tx, company: CompanyId) -> Result<Company, Error> {
    let missing = || Error::field(Code::NoEncontrado, "empresa", format_args!("la empresa {} no existe", company.0));
    tx.company().await?.ok_or_else(missing)
}

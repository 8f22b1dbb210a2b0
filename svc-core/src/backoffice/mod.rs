//! What the ERP's own screens do, as functions over the same transactions, rules and events as the API.
//!
//! An [`Office`] is to the back office what [`crate::Api`] is to the wire: it opens the transaction, gives the action
//! its [`Cx`], and commits. An [`Action`] is its own input; [`actions`] is the table of those that have a name.

pub mod actions;
mod certificates;
mod companies;
pub mod import;
mod invoices;
mod keys;
mod opportunities;
mod payables;
mod payments;
mod products;
mod purchases;
mod quota;
mod sales;
mod stock;
mod users;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use chrono::{DateTime, Utc};

pub use actions::{ACTIONS, Do, Edit, NamedAction};
pub use certificates::{CertificateLoaded, LoadCertificate, SIGNING_KEY};
pub use companies::{CompanyCreated, CompanyEdited, EditCompany, FIRST_UNITS};
pub use invoices::{
    AcceptCancellation, CancelInvoice, InvoiceNamed, InvoiceRejected, InvoiceStamped, RejectCancellation,
};
pub use keys::{AcceptTerms, CreateKey, KeyCreated, KeyNamed, RevokeKey};
pub use opportunities::{CreateOpportunity, MoveOpportunity, OpportunityNamed};
pub use payables::{CapturePayable, PayableNamed};
pub use payments::{
    Application, ApplyPayment, CancelPayment, CaptureDeposit, DepositNamed, PaymentNamed, PaymentsApplied,
};
pub use products::{DeleteProduct, ProductNamed};
pub use purchases::{CapturePurchase, OrderLine, PurchaseNamed, PurchaseReceived, ReceivePurchase, ReceivedLine};
pub use quota::{QuotaUsed, UseQuota};
pub use sales::{
    BeginInvoicing, CancelSale, CaptureSale, EndInvoicing, FulfilOrder, HandedOver, SaleCaptured, SaleNamed,
};
pub use stock::{MoveStock, ReserveStock, StockMoved, StockReserved};
pub use users::{CreateUser, DisableUser, UserNamed};

use crate::domain::clock::{Clock, Random, SystemClock, SystemRandom};
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Actor, Cx};
use crate::pipeline::KeyCache;
use crate::secrets::{Sealer, SecretsKey};
use crate::store::{CompanyId, Store, Tx, Work, transact};

/// Does back-office actions on a store.
#[derive(Clone)]
pub struct Office {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    sealer: Sealer,
    base_url: String,
    keys: Option<Arc<KeyCache>>,
}

/// Something the back office does in one company.
pub trait Action: Send + Sync {
    /// What it answers: the claves of what it made or changed.
    type Output: Send;

    /// Whether it changes what a key may do: the key itself, its owner or its company.
    const CHANGES_ACCESS: bool = false;

    /// Does it. It may run more than once, so it touches the world only through `cx`.
    fn run(&self, cx: &mut Cx<'_>) -> impl Future<Output = Result<Self::Output, Error>> + Send;
}

impl Office {
    /// An office over `store`; links in notices begin with `base_url`.
    pub fn new(store: Arc<dyn Store>, base_url: impl Into<String>) -> Self {
        let base_url = base_url.into().trim_end_matches('/').to_owned();
        Self {
            store,
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            sealer: Sealer::default(),
            base_url,
            keys: None,
        }
    }

    /// The office beside an API that remembers `keys`; see [`crate::Api::office`].
    pub(crate) fn beside(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        sealer: Sealer,
        base_url: String,
        keys: Arc<KeyCache>,
    ) -> Self {
        Self { store, clock, random, sealer, base_url, keys: Some(keys) }
    }

    /// With another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With a key that seals secrets before they are stored; see [`crate::ApiBuilder::secrets`].
    #[must_use]
    pub fn secrets(mut self, key: impl Into<Option<SecretsKey>>) -> Self {
        self.sealer = Sealer::new(key);
        self
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    pub(crate) fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }

    pub(crate) fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Does `action` in `company`, in one transaction. A company that does not exist is `no_encontrado`.
    pub async fn perform<A: Action>(&self, company: CompanyId, action: &A) -> Result<A::Output, Error> {
        let outcome = transact(self.store.as_ref(), company, &mut Perform { office: self, company, action }).await;
        // Also after an error: whether a commit went through may be unknown.
        if let Some(keys) = self.keys.as_ref().filter(|_| A::CHANGES_ACCESS) {
            keys.forget(company);
        }
        outcome
    }
}

impl fmt::Debug for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Office").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

struct Perform<'a, A> {
    office: &'a Office,
    company: CompanyId,
    action: &'a A,
}

impl<A: Action> Work for Perform<'_, A> {
    type Output = A::Output;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<A::Output, Error> {
        let company = existing(tx, self.company).await?;
        let mut cx = Cx {
            tx,
            now: Timestamp::new(self.office.clock.now()),
            company: &company,
            actor: &Actor::BackOffice,
            random: self.office.random.as_ref(),
            sealer: &self.office.sealer,
            base_url: &self.office.base_url,
            development_destinations: false,
        };
        self.action.run(&mut cx).await
    }
}

async fn existing(tx: &mut dyn Tx, company: CompanyId) -> Result<crate::store::Company, Error> {
    let missing = || Error::field(Code::NoEncontrado, "empresa", format_args!("la empresa {} no existe", company.0));
    tx.company().await?.ok_or_else(missing)
}

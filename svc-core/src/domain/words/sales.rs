//! The words of sales, their invoices, receivables and payments.

use rust_decimal::Decimal;

use super::words;
use crate::domain::money::Money;

words! {
    /// What a sales document is.
    pub enum SaleKind {
        /// A synonym of [`SaleKind::Venta`]: accepted, never stored or shown.
        Remision = "remision",
        /// A ticket: a sale without an invoice of its own, which a global invoice may contain.
        Venta = "venta",
        /// A sale with an invoice.
        Factura = "factura",
        /// A quote: it reserves no stock.
        Cotizacion = "cotizacion",
        /// An order: it reserves stock.
        Pedido = "pedido",
        /// An advance: money that a customer pays before anything is owed.
        Anticipo = "anticipo",
    }
}

impl SaleKind {
    /// The kind that is stored and shown.
    #[must_use]
    pub(crate) const fn normalized(self) -> Self {
        match self {
            Self::Remision => Self::Venta,
            other => other,
        }
    }
}

words! {
    /// The sales documents that the API makes (contract §4, "POST /ventas").
    pub enum OrderKind {
        /// An order: it reserves stock.
        Pedido = "pedido",
        /// A quote: it reserves no stock.
        Cotizacion = "cotizacion",
    }
}

impl From<OrderKind> for SaleKind {
    fn from(kind: OrderKind) -> Self {
        match kind {
            OrderKind::Pedido => Self::Pedido,
            OrderKind::Cotizacion => Self::Cotizacion,
        }
    }
}

words! {
    /// When a sale is paid.
    pub enum PaymentTerm {
        /// At once.
        Contado = "contado",
        /// Later.
        Credito = "credito",
    }
}

words! {
    /// The SAT's payment methods.
    pub enum PaymentMethod {
        /// All of it at once.
        Pue = "PUE",
        /// In parts, or later.
        Ppd = "PPD",
    }
}

words! {
    /// How far an order is fulfilled.
    pub enum Fulfilment {
        /// Not at all.
        Pendiente = "pendiente",
        /// In part.
        Parcial = "parcial",
        /// All of it.
        Surtido = "surtido",
    }
}

words! {
    /// Where a sale was made.
    pub enum SaleOrigin {
        /// In the API.
        Api = "api",
        /// In the application.
        Aplicacion = "aplicacion",
        /// On a sales platform.
        Plataforma = "plataforma",
        /// None of the above.
        Desconocido = "desconocido",
    }
}

words! {
    /// What a record of the stamping registry is.
    pub enum InvoiceKind {
        /// An invoice.
        Factura = "factura",
        /// A credit note.
        NotaCredito = "nota_credito",
        /// A payment complement.
        Pago = "pago",
        /// A transfer of goods.
        Traslado = "traslado",
        /// A shipment.
        Embarque = "embarque",
        /// An invoice stamped elsewhere.
        Externa = "externa",
    }
}

words! {
    /// The status of a record of the stamping registry.
    pub enum InvoiceStatus {
        /// Stamped; a requested cancellation changes nothing until it is final.
        Vigente = "vigente",
        /// Cancelled for good, or discarded without a stamp.
        Cancelada = "cancelada",
        /// Not stamped yet.
        EnEspera = "en_espera",
        /// Refused.
        Error = "error",
    }
}

words! {
    /// Why an invoice is cancelled, by the SAT's keys.
    pub enum CancellationReason {
        /// It has errors, and another takes its place.
        Replaced = "01",
        /// It has errors, and none takes its place.
        Wrong = "02",
        /// The transaction did not take place.
        NotCarriedOut = "03",
        /// It is part of a global invoice.
        Global = "04",
    }
}

words! {
    /// Why a document waits for a person.
    pub enum Held {
        /// Nobody can tell what became of it.
        Stuck = "estancado",
        /// The provider refuses the account or the certificate.
        Misconfigured = "configuracion",
        /// The database is a copy, and the original sends it.
        Copy = "copia",
    }
}

words! {
    /// The subject of an e-mail to a company's owner.
    pub enum OwnerMatter {
        /// The signing certificate ends soon, or has ended.
        Certificate = "certificado",
        /// Documents wait, because the provider refuses the account or the certificate.
        Misconfigured = "configuracion",
        /// Documents wait, because nobody can tell what became of them.
        Stuck = "estancado",
        /// Documents wait, because no provider is set.
        NoProvider = "sin_proveedor",
    }
}

words! {
    /// What requested a record of the stamping registry.
    pub enum InvoiceOrigin {
        /// The API.
        Api = "api",
        /// The application.
        Aplicacion = "aplicacion",
    }
}

words! {
    /// Whether a receivable is paid.
    pub enum ReceivableStatus {
        /// Something is owed.
        Pendiente = "pendiente",
        /// Nothing is owed.
        Pagado = "pagado",
        /// Cancelled.
        Cancelado = "cancelado",
    }
}

impl ReceivableStatus {
    /// The status of a receivable with this balance.
    pub(crate) fn by_balance(owed: Money) -> Self {
        if owed.get() > Decimal::ZERO { Self::Pendiente } else { Self::Pagado }
    }
}

words! {
    /// What a payment was made from.
    pub enum PaymentOrigin {
        /// A deposit.
        Deposito = "deposito",
        /// A balance in the customer's favour.
        SaldoAFavor = "saldo_a_favor",
        /// An advance.
        Anticipo = "anticipo",
    }
}

words! {
    /// The status of a payment's complement.
    pub enum Complement {
        /// The payment needs none.
        NoAplica = "no_aplica",
        /// It waits to be stamped.
        Encolado = "encolado",
        /// Stamped.
        Timbrado = "timbrado",
        /// Refused.
        Error = "error",
    }
}

words! {
    /// What has become of an invoice that was requested: the status of the registry, which says
    /// that it waits.
    pub enum RequestedStatus {
        /// Its stamping is under way.
        Timbrando = "timbrando",
        /// Stamped.
        Vigente = "vigente",
        /// Refused.
        Error = "error",
        /// Cancelled.
        Cancelada = "cancelada",
    }
}

//! Closed sets of words: the statuses and kinds of the wire and the database, letter for letter.

use rust_decimal::Decimal;

use super::money::Money;

/// A word of a closed set.
pub trait Word: Copy + Sized {
    /// The word on the wire and in the database.
    fn word(&self) -> &'static str;

    /// What that word means.
    fn of(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
        $vis enum $name { $($(#[$note])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every word of the set.
            pub const WORDS: &'static [&'static str] = &[$($word,)*];

            /// The word on the wire and in the database.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What that word means; a word that the database holds is one of the set.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl $crate::domain::words::Word for $name {
            fn word(&self) -> &'static str {
                Self::word(*self)
            }

            fn of(word: &str) -> Option<Self> {
                Self::of(word)
            }
        }

        $crate::schema::field_schema!($name, stringify!($name), { "type": "string", "enum": Self::WORDS });
    };
}

pub(super) use words;

words! {
    /// Why an attempt at a delivery failed (contract §3, "entregas").
    pub enum DeliveryReason {
        /// The name resolved to an address that no delivery goes to.
        DestinoBloqueado = "destino_bloqueado",
        /// It was not over after 8 seconds.
        TiempoAgotado = "tiempo_agotado",
        /// The name is unknown, nobody listens there, or the exchange broke off.
        ErrorRed = "error_red",
        /// The certificate is of another name, expired, or of an authority that nobody knows.
        CertificadoInvalido = "certificado_invalido",
        /// The answer was no 2xx.
        RespuestaNo2xx = "respuesta_no_2xx",
    }
}

words! {
    /// Whether a product is for sale.
    pub enum ProductStatus {
        /// For sale.
        Activo = "activo",
        /// Not for sale at present.
        Inactivo = "inactivo",
        /// Deleted; shown only when asked for.
        Eliminado = "eliminado",
        /// None of the above (output only).
        Desconocido = "desconocido",
    }
}

words! {
    /// What a product is.
    pub enum ProductKind {
        /// Has stock.
        Normal = "normal",
        /// A service with a price.
        VirtualConPrecio = "virtual_con_precio",
        /// A service whose price is given when it is sold.
        VirtualSinPrecio = "virtual_sin_precio",
        /// An expense.
        Gasto = "gasto",
        /// None of the above (output only).
        Desconocido = "desconocido",
    }
}

words! {
    /// What a product is in production.
    pub enum ProductSubkind {
        /// A finished good.
        Terminado = "terminado",
        /// A component.
        Componente = "componente",
        /// A raw material.
        MateriaPrima = "materia_prima",
        /// None of the above (output only).
        Desconocido = "desconocido",
    }
}

words! {
    /// Whether a brand is in use.
    pub enum BrandStatus {
        /// In use.
        Activo = "activo",
        /// Deleted; shown only when asked for.
        Eliminado = "eliminado",
    }
}

words! {
    /// Whether a category, a unit and the like are in use.
    pub enum Status {
        /// In use.
        Activo = "activo",
        /// Not in use.
        Inactivo = "inactivo",
    }
}

words! {
    /// The sales platform whose customer a customer is.
    pub enum Platform {
        /// Platform a.
        A = "a",
        /// Platform b.
        B = "b",
        /// Platform c.
        C = "c",
        /// Platform d.
        D = "d",
        /// Platform e.
        E = "e",
    }
}

words! {
    /// What has become of an opportunity: the type of its stage.
    pub enum OpportunityStatus {
        /// Under way.
        Abierta = "abierta",
        /// Won.
        Ganada = "ganada",
        /// Lost.
        Perdida = "perdida",
    }
}

words! {
    /// Whether a supplier is bought from.
    pub enum SupplierStatus {
        /// Bought from.
        Activo = "activo",
        /// Not bought from at present.
        Inactivo = "inactivo",
        /// Deleted; shown only when asked for.
        Eliminado = "eliminado",
        /// None of the above (output only).
        Desconocido = "desconocido",
    }
}

words! {
    /// How far a purchase order has come.
    pub enum PurchaseStatus {
        /// Nothing has come.
        Pendiente = "pendiente",
        /// A part has come.
        Parcial = "parcial",
        /// All has come.
        Recibida = "recibida",
        /// Called off.
        Cancelada = "cancelada",
        /// None of the above (output only).
        Desconocido = "desconocido",
    }
}

words! {
    /// Whether a payable is still to be paid.
    pub enum PayableStatus {
        /// Called off.
        Cancelado = "cancelado",
        /// To be paid; what is shown when nothing is asked.
        Pendiente = "pendiente",
        /// Paid.
        Pagado = "pagado",
    }
}

words! {
    /// What a payable came from.
    pub enum PayableKind {
        /// A purchase order.
        Compra = "compra",
        /// An expense.
        Gasto = "gasto",
    }
}

words! {
    /// Whether a warehouse is in use.
    pub enum WarehouseStatus {
        /// In use.
        Activo = "activo",
        /// Not in use.
        Inactivo = "inactivo",
        /// Deleted; shown only when asked for.
        Eliminado = "eliminado",
    }
}

words! {
    /// What happened to stock. What is written down may be another word: it is shown as `desconocido`.
    pub enum MovementKind {
        /// The product was entered with stock.
        Registro = "registro",
        /// Sent to another warehouse.
        TraspasoSalida = "traspaso_salida",
        /// Came from another warehouse.
        TraspasoEntrada = "traspaso_entrada",
        /// Corrected upwards.
        AjusteEntrada = "ajuste_entrada",
        /// Corrected downwards.
        AjusteSalida = "ajuste_salida",
        /// Bought.
        Compra = "compra",
        /// A purchase was cancelled.
        CancelacionCompra = "cancelacion_compra",
        /// Sold.
        Venta = "venta",
        /// A sale was cancelled.
        CancelacionVenta = "cancelacion_venta",
        /// Returned with a credit note.
        DevolucionNotaCredito = "devolucion_nota_credito",
        /// A credit note was cancelled.
        CancelacionNotaCredito = "cancelacion_nota_credito",
        /// The stock was set.
        SaldoInicial = "saldo_inicial",
        /// Used in a service order.
        OrdenServicio = "orden_servicio",
        /// What was sold before left the warehouse.
        SalidaEmbarque = "salida_embarque",
        /// Produced.
        Produccion = "produccion",
        /// Lost.
        Merma = "merma",
        /// Returned.
        Devolucion = "devolucion",
    }
}

words! {
    /// Whether a movement adds to stock or takes from it.
    pub enum Direction {
        /// Adds.
        Entrada = "entrada",
        /// Takes.
        Salida = "salida",
    }
}

words! {
    /// What a sales document is.
    pub enum SaleKind {
        /// Another word for [`SaleKind::Venta`]: taken, never stored or shown.
        Remision = "remision",
        /// A sale.
        Venta = "venta",
        /// A sale with an invoice.
        Factura = "factura",
        /// A quote.
        Cotizacion = "cotizacion",
        /// An order.
        Pedido = "pedido",
        /// An advance payment.
        Anticipo = "anticipo",
    }
}

impl SaleKind {
    /// The kind that is stored and shown.
    #[must_use]
    pub const fn settled(self) -> Self {
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
        /// A quote.
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
    /// What became of a record of the stamping registry.
    pub enum InvoiceStatus {
        /// Stamped.
        Vigente = "vigente",
        /// Cancelled.
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
        /// The business did not come about.
        NotCarriedOut = "03",
        /// It is part of a global invoice.
        Global = "04",
    }
}

words! {
    /// Who asked for a record of the stamping registry.
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
    /// What a receivable is of which that much is owed.
    pub fn by_balance(owed: Money) -> Self {
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
    /// What became of a payment's complement.
    pub enum Complement {
        /// There is none to be made.
        NoAplica = "no_aplica",
        /// It waits to be stamped.
        Encolado = "encolado",
        /// Stamped.
        Timbrado = "timbrado",
        /// Refused.
        Error = "error",
    }
}

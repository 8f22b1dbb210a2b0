//! Why a document cannot be made.

/// Why a document cannot be made. The text is Spanish, for the registry's `error_mensaje`; a retry
/// does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CfdiFault {
    /// The company, its branch or its certificate lacks something that a document needs.
    #[error("la empresa no tiene {0}")]
    Issuer(&'static str),
    /// The customer lacks something that a document needs.
    #[error("el cliente no tiene {0}")]
    Receiver(&'static str),
    /// The sale or the payment lacks something that a document needs.
    #[error("falta {0}")]
    Missing(&'static str),
    /// A line that cannot be in a document.
    #[error("renglón {renglon}: {fault}")]
    Line {
        /// The line's number in the sale.
        renglon: i64,
        /// What is wrong with the line.
        fault: &'static str,
    },
    /// A line of a global invoice's ticket, by the ticket's number, that cannot be in a document.
    #[error("venta {folio}, renglón {renglon}: {fault}")]
    TicketLine {
        /// Series and number of the ticket, as printed.
        folio: String,
        /// The line's number in the sale.
        renglon: i64,
        /// What is wrong with the line.
        fault: &'static str,
    },
    /// A line with the IVA of the border regions, in a document that is issued elsewhere.
    #[error("renglón {0}: el IVA de 8 % es sólo para comprobantes expedidos en la región fronteriza")]
    BorderRate(i64),
    /// Sales of several places in one document, some with the IVA of the border regions.
    #[error("hay ventas con IVA de 8 % entre las de varias sucursales; facture aparte las de cada una (ventas)")]
    BorderTickets,
    /// A ticket of a global invoice, by its number, without a line that was paid.
    #[error("la venta {0} no tiene renglones con importe; impórtelos, o facture las demás (ventas)")]
    EmptyTicket(String),
    /// A paid invoice, by its number, whose sale has no lines: its taxes are unknown.
    #[error("la venta de la factura {0} no tiene renglones, y sin ellos no se conocen sus impuestos; impórtelos")]
    EmptySale(String),
    /// Amounts that do not follow from each other.
    #[error("los importes no cuadran: {0}")]
    Sums(&'static str),
    /// The currency is not in `c_Moneda`, or documents cannot be in it.
    #[error("la moneda {0} no se puede facturar")]
    Currency(String),
    /// An amount has more decimals than its currency (`c_Moneda`), such as the cents of a yen.
    #[error("un importe tiene más decimales de los que admite la moneda {0}")]
    Decimals(String),
    /// An amount that no attribute can hold.
    #[error("un importe es demasiado grande")]
    TooLarge,
}

impl CfdiFault {
    /// The fault in a document of many tickets, which says which one of them it is in.
    #[must_use]
    pub(super) fn of_ticket(self, folio: &str) -> Self {
        match self {
            Self::Line { renglon, fault } => Self::TicketLine { folio: folio.to_owned(), renglon, fault },
            other => other,
        }
    }

    /// The code for the registry's `error_codigo`, such as `emisor_incompleto`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Issuer(_) => "emisor_incompleto",
            Self::Receiver(_) => "receptor_incompleto",
            Self::Missing(_) => "documento_incompleto",
            Self::Line { .. }
            | Self::TicketLine { .. }
            | Self::BorderRate(_)
            | Self::BorderTickets
            | Self::EmptyTicket(_)
            | Self::EmptySale(_) => "renglon_invalido",
            Self::Sums(_) => "importes_no_cuadran",
            Self::Currency(_) | Self::Decimals(_) => "moneda_invalida",
            Self::TooLarge => "importe_invalido",
        }
    }
}

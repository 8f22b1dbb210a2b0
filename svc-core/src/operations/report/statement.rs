//! The account of one customer.

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::days;
use crate::domain::clock::midnight;
use crate::domain::quantity::Balance;
use crate::domain::time::Date;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{AccountLine, OpenReceivable};

/// How many movements a statement lists one by one, how many open documents, and how many advances.
const MAX_LINES: i64 = 1_000;

/// Reports the account of a customer: the balance before the first day, the movements of the days,
/// and at their end what is owed, what is in the customer's favour and the open advances.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementReport {
    /// The clave of the customer.
    pub cliente: i64,
    /// The first day, in the company's zone.
    pub desde: Date,
    /// The last day, in the company's zone.
    pub hasta: Date,
}

/// The answer of [`StatementReport`], in pesos where no currency is named.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CustomerStatement {
    /// The clave of the customer.
    pub cliente: i64,
    /// The legal name, or else the name.
    pub nombre: Option<String>,
    /// The RFC.
    pub rfc: Option<String>,
    /// The first day.
    pub desde: Date,
    /// The last day.
    pub hasta: Date,
    /// What was owed before the first day.
    pub saldo_inicial: Balance,
    /// The movements that are left out of `movimientos`: all but the last 1,000, added up.
    pub omitidos: StatementSums,
    /// The last movements of the days, at most 1,000, the oldest first.
    pub movimientos: Vec<StatementLine>,
    /// The sum of the debits of the days.
    pub cargos: Balance,
    /// The sum of the credits of the days.
    pub abonos: Balance,
    /// What is owed at the end of the last day: the customer's part of account 105.01.
    pub saldo: Balance,
    /// The documents with something owed then, at most 1,000, the first due first.
    pub documentos: Vec<OpenDocument>,
    /// What is in the customer's favour then, by currency.
    pub a_favor: Vec<StatementFunds>,
    /// The advances with something left then, at most 1,000.
    pub anticipos: Vec<StatementFunds>,
}

/// The sums of several movements.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StatementSums {
    /// How many.
    pub movimientos: i64,
    /// Debits.
    pub cargos: Balance,
    /// Credits.
    pub abonos: Balance,
}

/// A movement of a customer's account.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StatementLine {
    /// The day.
    pub fecha: Option<Date>,
    /// The accounting entry; null for an imported receivable.
    pub poliza: Option<i64>,
    /// The entry's description; the folio of an imported receivable.
    pub concepto: Option<String>,
    /// The clave of the sales document.
    pub venta: Option<i64>,
    /// The clave of the document in the registry of invoices.
    pub factura: Option<i64>,
    /// The clave of the payment.
    pub pago: Option<i64>,
    /// What the customer owes more.
    pub cargo: Balance,
    /// What the customer owes less.
    pub abono: Balance,
    /// What is owed after it.
    pub saldo: Balance,
}

/// A document with something owed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OpenDocument {
    /// The clave of the receivable.
    pub cxc: i64,
    /// Its folio.
    pub folio: Option<String>,
    /// The clave of the sales document.
    pub venta: Option<i64>,
    /// The fiscal folio.
    pub uuid: Option<String>,
    /// Its day.
    pub fecha: Date,
    /// When it is due.
    pub vencimiento: Option<Date>,
    /// Its currency.
    pub moneda: String,
    /// Its total, in that currency.
    pub total: Balance,
    /// What is owed of it, in that currency.
    pub saldo: Balance,
    /// What is owed of it, in pesos.
    pub saldo_pesos: Balance,
}

/// What is in a customer's favour, in one currency or of one advance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StatementFunds {
    /// The clave of the advance's sales document; null for balances in favour.
    pub anticipo: Option<i64>,
    /// The currency.
    pub moneda: String,
    /// What is left, in that currency.
    pub importe: Balance,
}

impl From<OpenReceivable> for OpenDocument {
    fn from(open: OpenReceivable) -> Self {
        Self {
            cxc: open.cxc,
            folio: open.folio,
            venta: open.venta,
            uuid: open.uuid,
            fecha: Date(open.fecha),
            vencimiento: open.vencimiento.map(Date),
            moneda: open.moneda,
            total: Balance::new(open.total),
            saldo: Balance::new(open.saldo),
            saldo_pesos: Balance::new(open.pesos),
        }
    }
}

#[derive(Default)]
struct Movements {
    saldo_inicial: Decimal,
    omitidos: StatementSums,
    lines: Vec<StatementLine>,
    cargos: Decimal,
    abonos: Decimal,
}

impl Movements {
    fn saldo(&self) -> Decimal {
        self.saldo_inicial + self.cargos - self.abonos
    }

    fn add(&mut self, line: AccountLine) {
        if line.anterior {
            self.saldo_inicial = line.cargo - line.abono;
            return;
        }
        self.cargos += line.cargo;
        self.abonos += line.abono;
        let (cargo, abono) = (Balance::new(line.cargo), Balance::new(line.abono));
        let Some(fecha) = line.fecha else {
            self.omitidos = StatementSums { movimientos: line.movimientos, cargos: cargo, abonos: abono };
            return;
        };
        self.lines.push(StatementLine {
            fecha: Some(Date(fecha)),
            poliza: line.poliza,
            concepto: line.concepto,
            venta: line.venta,
            factura: line.factura,
            pago: line.pago,
            cargo,
            abono,
            saldo: Balance::new(self.saldo()),
        });
    }
}

impl Operation for StatementReport {
    const SPEC: Spec = Spec::new().named("report.statement").reads();
    type Output = CustomerStatement;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CustomerStatement, Error> {
        let days = days(self.desde, self.hasta)?;
        let cliente = self.cliente;
        let customer = cx.tx.statement_customer(cliente).await?.ok_or_else(|| {
            let text = format_args!("el cliente {cliente} no existe en la empresa");
            Error::field(Code::NoEncontrado, "cliente", text)
        })?;
        let mut movements = Movements::default();
        for line in cx.tx.account_of_customer(cliente, days, MAX_LINES).await? {
            movements.add(line);
        }
        let documentos = cx.tx.open_receivables(cliente, days.hasta, MAX_LINES).await?;
        let fin = midnight(days.hasta.succ_opt().unwrap_or(days.hasta), cx.company.zone());
        let funds = cx.tx.funds_of_customer(cliente, days.hasta, fin, MAX_LINES).await?.into_iter();
        let funds = funds.map(|of| StatementFunds {
            anticipo: of.anticipo,
            moneda: of.moneda,
            importe: Balance::new(of.importe),
        });
        let (anticipos, a_favor) = funds.partition(|of| of.anticipo.is_some());
        Ok(CustomerStatement {
            cliente,
            nombre: customer.nombre,
            rfc: customer.rfc,
            desde: self.desde,
            hasta: self.hasta,
            saldo_inicial: Balance::new(movements.saldo_inicial),
            omitidos: movements.omitidos,
            cargos: Balance::new(movements.cargos),
            abonos: Balance::new(movements.abonos),
            saldo: Balance::new(movements.saldo()),
            movimientos: movements.lines,
            documentos: documentos.into_iter().map(OpenDocument::from).collect(),
            a_favor,
            anticipos,
        })
    }
}

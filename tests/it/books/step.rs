//! The random steps of a business.

use proptest::prelude::*;
use proptest::sample::select;

/// A step that one of the companies tries.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The company, 0 or 1.
    pub(crate) company: u8,
    pub(crate) deed: Deed,
}

/// Picks an existing record: 0 is the last, the greatest the first; recent ones are likelier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick(u16);

impl Pick {
    /// A clave from 1 to `last`; 1 if there is none.
    pub(crate) fn of(self, last: i64) -> i64 {
        let back = i64::from(self.0) * i64::from(self.0) * last / (1 << 32);
        (last - back).max(1)
    }

    /// Picks one of at least one record.
    pub(crate) fn in_list(self, found: &[i64]) -> i64 {
        found[usize::from(self.0) % found.len()]
    }

    /// Whether it is one of the few picks that may pick anything.
    pub(crate) fn is_loose(self) -> bool {
        self.0.is_multiple_of(8)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) producto: i64,
    /// In thousandths.
    pub(crate) cantidad: u32,
    /// In millionths.
    pub(crate) precio: u64,
    /// In thousandths of the subtotal.
    pub(crate) descuento: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) tipo: &'static str,
    pub(crate) cliente: i64,
    pub(crate) sucursal: i64,
    pub(crate) dolares: bool,
    pub(crate) credito: bool,
    pub(crate) metodo: Option<&'static str>,
    pub(crate) lines: Vec<Line>,
}

#[derive(Debug, Clone)]
pub(crate) enum Deed {
    Capture(Document),
    Post(Document),
    Invoice(Pick),
    Begin(Pick),
    End(Pick),
    /// Thousandths of what was ordered, for each line.
    Fulfil(Pick, Vec<u32>),
    CancelSale(Pick),
    Stamp(Pick),
    Reject(Pick),
    CancelInvoice(Pick, &'static str, bool),
    Accept(Pick),
    Refuse(Pick),
    /// Thousandths of what is owed, and the payment's origin.
    Pay(Pick, u32, &'static str),
    PayByApi(Pick, u32),
    /// One deposit over several receivables.
    PaySeveral(Vec<Pick>, u32),
    CancelPayment(Pick),
    /// In cash, kept in the till.
    PayCash(Pick, u32),
    OrderQuote(Pick),
    InvoiceOrder(Pick),
    /// At the exchange rate of its day, in thousandths of a peso.
    InvoiceForeign(Pick, u32),
    /// Thousandths of what is owed in another currency, at a rate in thousandths.
    PayForeign(Pick, u32, u32),
    /// A deposit that is not applied: cents, whether in dollars, and their rate if known.
    Deposit(u32, bool, Option<u32>),
    /// Applies a waiting deposit, starting with some receivable.
    ApplyDeposit(Pick, Pick),
    /// A purchase order: products, thousandths of them and ten thousandths of their cost, and
    /// whether in dollars and with IEPS and withheld taxes.
    Buy(Vec<(i64, u32, u32)>, bool, bool),
    /// Thousandths of what is pending of an order; 1000 and more receive all.
    Receive(Pick, u32),
    /// Nothing more comes of an order.
    ClosePurchase(Pick),
    /// Thousandths of an order's total, and the rate if in dollars.
    Bill(Pick, u32, u32),
    /// An account gets another number, or its own again.
    Number(u8, u8),
    /// A product, and how many thousandths of it there are or move.
    Count(i64, u32),
    Transfer(i64, u32),
    /// An expense, in cents, whether it is in dollars, and whether taxes are withheld.
    Owe(u32, bool, bool),
    /// Thousandths of the rest, and the account that pays: none, its own or one of another
    /// currency.
    PayPayable(Pick, u32, u8),
    CancelPayablePayment(Pick),
    /// Another total, in cents.
    EditPayable(Pick, u32),
    CancelPayable(Pick),
    /// A credit note: thousandths of lines, whether goods return, whether it is applied.
    Credit(Pick, u32, bool, bool),
    CancelNote(Pick, bool),
    /// A customer's advance, in cents, and the exchange rate if it is in dollars.
    Advance(i64, u32, Option<u32>),
    /// An order or quote, and an advance.
    NameAdvance(Pick, Pick),
    InvoicePeriod,
    /// A global invoice of this ticket alone.
    GlobalOf(Pick),
    /// A ticket becomes its customer's invoice.
    InvoiceTicket(Pick),
    /// Thousandths of every second line of a ticket or an invoice, and whether paid back from the
    /// bank.
    Return(Pick, u32, bool),
    SubstituteGlobal(Pick),
    /// A document in `error` is given up.
    Discard(Pick),
    /// A document in `error` is queued again.
    Reissue(Pick),
    /// Time passes, in minutes.
    Wait(u32),
    /// A month so many before the present one is closed.
    Close(u8),
    /// Such a month is opened, with all after it.
    Reopen(u8),
    /// Dollars are worth so many thousandths of a peso at the end of such a month.
    Revalue(u8, u32),
    /// The last year is closed.
    CloseYear,
    /// An entry without a document is reversed.
    Reverse(Pick),
    /// An entry by hand: the accounts, cents, and the months before the present one.
    Write(u8, u8, u32, u8),
}

impl Deed {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Capture(document) | Self::Post(document) => document.tipo,
            Self::Invoice(_) => "facturar",
            Self::Begin(_) => "sale.invoicing-begin",
            Self::End(_) => "sale.invoicing-end",
            Self::Fulfil(..) => "order.fulfil",
            Self::CancelSale(_) => "sale.cancel",
            Self::Stamp(_) => "invoice.stamped",
            Self::Reject(_) => "invoice.rejected",
            Self::CancelInvoice(..) => "invoice.cancel",
            Self::Accept(_) => "invoice.cancel-accepted",
            Self::Refuse(_) => "invoice.cancel-rejected",
            Self::Pay(..) => "payment.apply",
            Self::PayByApi(..) => "pagos",
            Self::PaySeveral(..) => "payment.apply of several",
            Self::CancelPayment(_) => "payment.cancel",
            Self::PayCash(..) => "payment.apply in cash",
            Self::OrderQuote(_) => "quote.order",
            Self::InvoiceOrder(_) => "order.invoice",
            Self::InvoiceForeign(..) => "order.invoice at a rate",
            Self::PayForeign(..) => "payment.apply at a rate",
            Self::Deposit(..) => "deposit.capture",
            Self::ApplyDeposit(..) => "payment.apply of a deposit",
            Self::Buy(..) => "purchase.capture",
            Self::Receive(..) => "purchase.receive",
            Self::ClosePurchase(_) => "purchase.close",
            Self::Bill(..) => "payable.capture of an order",
            Self::Number(..) => "account.edit",
            Self::Count(..) => "stock.count",
            Self::Transfer(..) => "stock.transfer",
            Self::Owe(..) => "payable.capture",
            Self::PayPayable(..) => "payable.pay",
            Self::CancelPayablePayment(_) => "payable.payment-cancel",
            Self::EditPayable(..) => "payable.edit",
            Self::CancelPayable(_) => "payable.cancel",
            Self::Credit(..) => "credit-note.capture",
            Self::CancelNote(..) => "invoice.cancel of a note",
            Self::Advance(..) => "advance.capture",
            Self::NameAdvance(..) => "advance.apply",
            Self::InvoicePeriod => "invoice.global",
            Self::GlobalOf(_) => "invoice.global of a ticket",
            Self::InvoiceTicket(_) => "order.invoice of a ticket",
            Self::Return(..) => "sale.return",
            Self::SubstituteGlobal(_) => "invoice.substitute of a global",
            Self::Discard(_) => "document.discard",
            Self::Reissue(_) => "invoice.restamp",
            Self::Wait(_) => "wait",
            Self::Close(_) => "ledger.close",
            Self::Reopen(_) => "ledger.reopen",
            Self::Revalue(..) => "ledger.revalue",
            Self::CloseYear => "ledger.close-year",
            Self::Reverse(_) => "ledger.reverse",
            Self::Write(..) => "ledger.entry",
        }
    }
}

pub(crate) fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (0_u8..2, deed()).prop_map(|(company, deed)| Step { company, deed });
    prop::collection::vec(step, count)
}

fn deed() -> impl Strategy<Value = Deed> {
    let pick = || any::<u16>().prop_map(Pick);
    let part = || prop_oneof![Just(1000_u32), 1_u32..1050];
    let acceptance = any::<bool>();
    let motivo = select(vec!["01", "02", "03", "04"]);
    prop_oneof![
        45 => document(&["pedido", "cotizacion", "venta", "remision", "factura", "anticipo"]).prop_map(Deed::Capture),
        45 => document(&["pedido", "cotizacion"]).prop_map(|document| Deed::Post(Document { sucursal: 0, ..document })),
        25 => pick().prop_map(Deed::Invoice),
        2 => pick().prop_map(Deed::Begin),
        3 => pick().prop_map(Deed::End),
        18 => (pick(), prop::collection::vec(part(), 1..5)).prop_map(|(sale, parts)| Deed::Fulfil(sale, parts)),
        10 => pick().prop_map(Deed::CancelSale),
        25 => pick().prop_map(Deed::Stamp),
        12 => pick().prop_map(Deed::Reject),
        8 => (pick(), motivo, acceptance).prop_map(|(invoice, motivo, needed)| Deed::CancelInvoice(invoice, motivo, needed)),
        5 => pick().prop_map(Deed::Accept),
        5 => pick().prop_map(Deed::Refuse),
        20 => (pick(), part(), select(vec!["deposito", "saldo_a_favor", "anticipo"]))
            .prop_map(|(cxc, part, origen)| Deed::Pay(cxc, part, origen)),
        15 => (pick(), part()).prop_map(|(cxc, part)| Deed::PayByApi(cxc, part)),
        6 => (prop::collection::vec(pick(), 2..5), part()).prop_map(|(all, part)| Deed::PaySeveral(all, part)),
        12 => pick().prop_map(Deed::CancelPayment),
        12 => (pick(), part()).prop_map(|(cxc, part)| Deed::PayCash(cxc, part)),
        10 => pick().prop_map(Deed::OrderQuote),
        15 => pick().prop_map(Deed::InvoiceOrder),
        8 => (pick(), rate()).prop_map(|(sale, rate)| Deed::InvoiceForeign(sale, rate)),
        12 => (pick(), part(), rate()).prop_map(|(cxc, part, rate)| Deed::PayForeign(cxc, part, rate)),
        6 => (1_u32..500_000, any::<bool>(), prop::option::of(rate()))
            .prop_map(|(cents, dollars, rate)| Deed::Deposit(cents, dollars, rate)),
        10 => (pick(), pick()).prop_map(|(deposit, cxc)| Deed::ApplyDeposit(deposit, cxc)),
        8 => (prop::collection::vec((1_i64..=6, 1_u32..20_000, 0_u32..2_000_000), 1..4), any::<bool>(), any::<bool>())
            .prop_map(|(lines, dollars, taxed)| Deed::Buy(lines, dollars, taxed)),
        14 => (pick(), part()).prop_map(|(order, part)| Deed::Receive(order, part)),
        2 => pick().prop_map(Deed::ClosePurchase),
        4 => (pick(), prop_oneof![Just(1000_u32), 900_u32..1100], rate())
            .prop_map(|(order, part, rate)| Deed::Bill(order, part, rate)),
        2 => (0_u8..8, 0_u8..4).prop_map(|(account, number)| Deed::Number(account, number)),
        4 => (goods(), 0_u32..50_000).prop_map(|(producto, there)| Deed::Count(producto, there)),
        4 => (goods(), 1_u32..20_000).prop_map(|(producto, moved)| Deed::Transfer(producto, moved)),
        4 => (1_u32..1_000_000, any::<bool>(), any::<bool>())
            .prop_map(|(cents, dollars, withheld)| Deed::Owe(cents, dollars, withheld)),
        10 => (pick(), part(), 0_u8..4).prop_map(|(cxp, part, account)| Deed::PayPayable(cxp, part, account)),
        4 => pick().prop_map(Deed::CancelPayablePayment),
        3 => (pick(), 1_u32..1_000_000).prop_map(|(cxp, cents)| Deed::EditPayable(cxp, cents)),
        2 => pick().prop_map(Deed::CancelPayable),
        16 => (pick(), part(), any::<bool>(), any::<bool>())
            .prop_map(|(invoice, part, back, aplicar)| Deed::Credit(invoice, part, back, aplicar)),
        6 => (pick(), any::<bool>()).prop_map(|(note, needed)| Deed::CancelNote(note, needed)),
        6 => (1_i64..=3, 1_u32..500_000, prop::option::weighted(0.3, rate()))
            .prop_map(|(cliente, cents, rate)| Deed::Advance(cliente, cents, rate)),
        12 => (pick(), pick()).prop_map(|(sale, advance)| Deed::NameAdvance(sale, advance)),
        4 => Just(Deed::InvoicePeriod),
        8 => pick().prop_map(Deed::GlobalOf),
        14 => pick().prop_map(Deed::InvoiceTicket),
        16 => (pick(), part(), any::<bool>()).prop_map(|(sale, part, bank)| Deed::Return(sale, part, bank)),
        6 => pick().prop_map(Deed::SubstituteGlobal),
        6 => pick().prop_map(Deed::Discard),
        6 => pick().prop_map(Deed::Reissue),
        4 => prop_oneof![1_u32..20, 1_u32..3000].prop_map(Deed::Wait),
        7 => books(),
    ]
}

/// What is done to the books themselves, and the weeks between.
fn books() -> impl Strategy<Value = Deed> {
    let pick = any::<u16>().prop_map(Pick);
    prop_oneof![
        4 => (10_000_u32..30_000).prop_map(Deed::Wait),
        2 => (0_u8..3).prop_map(Deed::Close),
        4 => (0_u8..4).prop_map(Deed::Reopen),
        4 => (0_u8..3, rate()).prop_map(|(back, rate)| Deed::Revalue(back, rate)),
        2 => Just(Deed::CloseYear),
        3 => pick.prop_map(Deed::Reverse),
        4 => (0_u8..8, 0_u8..8, 1_u32..100_000, 0_u8..2)
            .prop_map(|(debit, credit, cents, back)| Deed::Write(debit, credit, cents, back)),
    ]
}

/// An exchange rate, in thousandths of a peso.
fn rate() -> impl Strategy<Value = u32> {
    15_000_u32..22_000
}

/// A product that warehouses hold.
fn goods() -> impl Strategy<Value = i64> {
    select(vec![1_i64, 2, 3, 4, 6])
}

fn document(tipos: &[&'static str]) -> impl Strategy<Value = Document> + use<> {
    let method = select(vec![Some("PUE"), Some("PUE"), Some("PPD"), Some("PPD"), None]);
    let line = (1_i64..=6, 1_u32..20_000, 0_u64..500_000_000, prop_oneof![3 => Just(0_u32), 1 => 0_u32..=1000])
        .prop_map(|(producto, cantidad, precio, descuento)| Line { producto, cantidad, precio, descuento });
    let branch = select(vec![0_i64, 0, 3]);
    let lines = prop::collection::vec(line, 1..5);
    (select(tipos.to_vec()), 1_i64..=3, branch, any::<bool>(), any::<u8>(), method, lines).prop_map(
        |(tipo, cliente, sucursal, credito, currency, metodo, lines)| Document {
            tipo,
            cliente,
            sucursal,
            dolares: currency < 50,
            credito,
            metodo,
            lines,
        },
    )
}

//! The accounts that entries are written on.

use crate::domain::sat;
use crate::domain::words::words;

words! {
    /// An account by its number in the SAT's "código agrupador de cuentas" (RMF, Anexo 24, apartado
    /// A), or as a part `.R` of one that has the revaluation of its balances in foreign currency,
    /// so that the account itself stays what its list says. A company may number it otherwise
    /// (`account.edit`); the store then writes the company's number on the entry.
    pub enum Account {
        /// Cash that is not in a bank.
        Caja = "101.01",
        /// Money in bank accounts.
        Bancos = "102.01",
        /// What bank accounts in foreign currency are worth more at the end of a month.
        BancosRevaluados = "102.01.R",
        /// What customers owe: taxes included, withholdings excluded.
        Clientes = "105.01",
        /// What debts of customers in foreign currency are worth more at the end of a month.
        ClientesRevaluados = "105.01.R",
        /// IVA that customers withheld and paid to the authority.
        IvaRetenido = "113.01",
        /// ISR that customers withheld and paid to the authority.
        IsrRetenido = "113.02",
        /// Local taxes that customers withheld and paid to their authority.
        LocalesRetenidos = "113.08",
        /// Goods in the warehouses, at cost.
        Inventario = "115.01",
        /// Goods that a supplier billed but has not delivered.
        EnTransito = "115.05",
        /// Delivered goods of orders that are not owed yet.
        Entregado = "115.06",
        /// Creditable IVA: purchases that are paid.
        IvaAcreditable = "118.01",
        /// IVA of purchases that are not paid yet.
        IvaPorAcreditar = "119.01",
        /// What is owed to suppliers.
        Proveedores = "201.01",
        /// What debts to suppliers in foreign currency are worth more at the end of a month.
        ProveedoresRevaluados = "201.01.R",
        /// Goods received that the supplier has not billed.
        PorFacturar = "205.02",
        /// Deposits not identified with a receivable yet.
        PorIdentificar = "205.06",
        /// What such deposits in foreign currency are worth more at the end of a month.
        PorIdentificarRevaluados = "205.06.R",
        /// Advances: what customers paid before anything was owed.
        Anticipos = "206.01",
        /// IVA charged and collected, so due to the authority.
        IvaCobrado = "208.01",
        /// IEPS charged and collected, so due to the authority.
        IepsCobrado = "208.02",
        /// IVA charged and not collected yet.
        IvaNoCobrado = "209.01",
        /// IEPS charged and not collected yet.
        IepsNoCobrado = "209.02",
        /// Local taxes charged, due to a state or a municipality.
        LocalesTrasladados = "213.05",
        /// ISR withheld from suppliers with their payment, so due to the authority.
        IsrRetenidoAProveedores = "216.04",
        /// IVA withheld from suppliers with their payment, so due to the authority.
        IvaRetenidoAProveedores = "216.10",
        /// ISR and IVA to be withheld from suppliers when they are paid.
        PorRetener = "216.12",
        /// Opening balances: what existed before the first entry.
        Apertura = "304.01",
        /// Sales at the general rate of IVA, or that of the border regions.
        Ventas = "401.01",
        /// Sales at 0 % to customers of the country.
        VentasCero = "401.04",
        /// Sales that are exempt, or not subject to IVA.
        VentasExentas = "401.07",
        /// Sales at 0 % to foreigners.
        Exportaciones = "401.25",
        /// Discounts on sales, and what credit notes take back of them.
        Descuentos = "402.01",
        /// Discounts and credit notes of sales at 0 %, exports included.
        DescuentosCero = "402.02",
        /// Discounts and credit notes of exempt sales.
        DescuentosExentos = "402.03",
        /// Cost of sold goods.
        CostoDeVenta = "501.01",
        /// Changes of the stock's value: counts, waste, and differences between goods received and
        /// their bills.
        AjustesDeInventario = "501.08",
        /// Goods bought without an order, or on an order from before the company used this service.
        Compras = "502.01",
        /// Bills without a purchase order, and received lines of orders that are not stock.
        Gastos = "601.84",
        /// Exchange loss: the debt was worth another number of pesos when it was paid, or at the
        /// end of a month.
        PerdidaCambiaria = "701.01",
        /// Exchange gain, for the same reason.
        UtilidadCambiaria = "702.01",
    }
}

impl Account {
    /// The account's name: that of the SAT's list, except for the accounts of revaluations.
    pub fn nombre(self) -> &'static str {
        match self {
            Self::BancosRevaluados => "Bancos nacionales: revaluación",
            Self::ClientesRevaluados => "Clientes nacionales: revaluación",
            Self::ProveedoresRevaluados => "Proveedores nacionales: revaluación",
            Self::PorIdentificarRevaluados => "Otros acreedores diversos a corto plazo: revaluación",
            _ => grouping_name(self.word()).unwrap_or_default(),
        }
    }

    /// The code of the SAT's list that groups the account.
    pub fn agrupador(self) -> &'static str {
        self.word().trim_end_matches(REVALUED)
    }

    /// The account that has the revaluation of this one's balances in foreign currency.
    pub(crate) fn revalued(self) -> Option<Self> {
        match self {
            Self::Bancos => Some(Self::BancosRevaluados),
            Self::Clientes => Some(Self::ClientesRevaluados),
            Self::Proveedores => Some(Self::ProveedoresRevaluados),
            Self::PorIdentificar => Some(Self::PorIdentificarRevaluados),
            _ => None,
        }
    }

    /// Whether only revaluations are posted to it.
    pub(crate) fn is_of_revaluation(self) -> bool {
        self.word().ends_with(REVALUED)
    }
}

/// The suffix of the code of a revaluation account, after the code that groups it.
const REVALUED: &str = ".R";

/// The suffix of the number of a bank account's own subaccount, after the number of
/// [`Account::Bancos`].
pub fn bank_subaccount(cuenta_bancaria: i64) -> String {
    format!(".{cuenta_bancaria:04}")
}

/// The side on which an account's balance is positive (`Natur` of electronic accounting).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// Debits: assets, costs and expenses.
    Deudora,
    /// Credits: liabilities, capital and income.
    Acreedora,
}

impl Nature {
    /// The nature of the accounts of a grouping code. Depreciation, estimates, returns and losses
    /// stand against the class that contains them.
    pub(crate) fn of(agrupador: &str) -> Self {
        let (mayor, _) = agrupador.split_once('.').unwrap_or((agrupador, ""));
        match (mayor, agrupador) {
            ("108" | "116" | "171" | "172" | "183" | "503" | "702" | "704", _) => Self::Acreedora,
            ("402" | "701" | "703", _) | (_, "304.02" | "304.04" | "305.02") => Self::Deudora,
            _ if mayor.starts_with(['2', '3', '4']) => Self::Acreedora,
            _ => Self::Deudora,
        }
    }
}

/// The name of a grouping code in the SAT's list (RMF, Anexo 24); `None` if it is not in it.
pub(crate) fn grouping_name(code: &str) -> Option<&'static str> {
    sat::grouping_name(code)
}

/// Whether entries can be posted to accounts of this grouping code: codes of classes and ledger
/// accounts (`401`) only group others.
pub(crate) fn is_postable(code: &str) -> bool {
    code.contains('.') && !code.starts_with("100") && sat::grouping_name(code).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_account_is_in_the_list_of_the_authority() {
        for account in Account::ALL {
            assert!(is_postable(account.agrupador()), "{account:?}");
            assert_eq!(is_postable(account.word()), !account.is_of_revaluation(), "{account:?}");
            assert!(!account.nombre().is_empty());
        }
        let revalued: Vec<&Account> = Account::ALL.iter().filter(|account| account.revalued().is_some()).collect();
        assert!(revalued.iter().all(|account| account.revalued().map(Account::agrupador) == Some(account.word())));
        for code in ["401", "999.01", "", "100.01", "1150-001"] {
            assert!(!is_postable(code), "{code}");
        }
    }

    #[test]
    fn a_balance_has_its_side() {
        for (code, expected) in [
            ("105.01", Nature::Deudora),
            ("171.02", Nature::Acreedora),
            ("201.01", Nature::Acreedora),
            ("304.02", Nature::Deudora),
            ("401.01", Nature::Acreedora),
            ("402.01", Nature::Deudora),
            ("501.01", Nature::Deudora),
            ("701.01", Nature::Deudora),
            ("702.01", Nature::Acreedora),
        ] {
            assert_eq!(Nature::of(code), expected, "{code}");
        }
    }
}

//! The choices of reports.

use super::words::words;

words! {
    /// Which debts a report shows by their age.
    pub enum AgingSubject {
        /// Those of customers: account 105.01.
        Cxc = "cxc",
        /// Those to suppliers: account 201.01.
        Cxp = "cxp",
    }
}

words! {
    /// What a report of sales is grouped by.
    pub enum SalesGrouping {
        /// The day of the accounting entry.
        Dia = "dia",
        /// The customer.
        Cliente = "cliente",
        /// The product.
        Producto = "producto",
        /// The salesperson.
        Vendedor = "vendedor",
    }
}

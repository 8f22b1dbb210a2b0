//! The accounts that entries are written on.

use crate::domain::words::words;

words! {
    /// An account by its number in the SAT's "código agrupador de cuentas" (RMF, Anexo 24, apartado
    /// A). A company may number it otherwise (`account.edit`); the store then writes the company's
    /// number on the entry.
    pub enum Account {
        /// Cash that is not in a bank.
        Caja = "101.01",
        /// Money in bank accounts.
        Bancos = "102.01",
        /// What customers owe.
        Clientes = "105.01",
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
        /// Goods received that the supplier has not billed.
        PorFacturar = "205.02",
        /// Deposits not identified with a receivable yet.
        PorIdentificar = "205.06",
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
        /// Sales.
        Ventas = "401.01",
        /// Discounts on sales.
        Descuentos = "402.01",
        /// Cost of sold goods.
        CostoDeVenta = "501.01",
        /// Changes of the stock's value: counts, waste, and differences between goods received and
        /// their bills.
        AjustesDeInventario = "501.08",
        /// Goods bought without an order, or on an order from before the company used this service.
        Compras = "502.01",
        /// Expenses.
        Gastos = "601.84",
        /// Exchange loss: the debt was worth another number of pesos when it was paid.
        PerdidaCambiaria = "701.01",
        /// Exchange gain, for the same reason.
        UtilidadCambiaria = "702.01",
    }
}

impl Account {
    /// The account's name in the SAT's list.
    pub const fn nombre(self) -> &'static str {
        match self {
            Self::Caja => "Caja y efectivo",
            Self::Bancos => "Bancos nacionales",
            Self::Clientes => "Clientes nacionales",
            Self::IvaRetenido => "IVA a favor",
            Self::IsrRetenido => "ISR a favor",
            Self::LocalesRetenidos => "Otros impuestos a favor",
            Self::Inventario => "Inventario",
            Self::EnTransito => "Mercancías en tránsito",
            Self::Entregado => "Mercancías en poder de terceros",
            Self::IvaAcreditable => "IVA acreditable pagado",
            Self::IvaPorAcreditar => "IVA pendiente de pago",
            Self::Proveedores => "Proveedores nacionales",
            Self::PorFacturar => "Acreedores diversos a corto plazo nacional",
            Self::PorIdentificar => "Otros acreedores diversos a corto plazo",
            Self::Anticipos => "Anticipo de cliente nacional",
            Self::IvaCobrado => "IVA trasladado cobrado",
            Self::IepsCobrado => "IEPS trasladado cobrado",
            Self::IvaNoCobrado => "IVA trasladado no cobrado",
            Self::IepsNoCobrado => "IEPS trasladado no cobrado",
            Self::LocalesTrasladados => "Impuesto estatal y municipal por pagar",
            Self::IsrRetenidoAProveedores => "Impuestos retenidos de ISR por servicios profesionales",
            Self::IvaRetenidoAProveedores => "Impuestos retenidos de IVA",
            Self::PorRetener => "Otros impuestos retenidos",
            Self::Apertura => "Utilidad de ejercicios anteriores",
            Self::Ventas => "Ventas y/o servicios gravados a la tasa general",
            Self::Descuentos => {
                "Devoluciones, descuentos o bonificaciones sobre ventas y/o servicios a la tasa general"
            }
            Self::CostoDeVenta => "Costo de venta",
            Self::AjustesDeInventario => "Otros conceptos de costo",
            Self::Compras => "Compras nacionales",
            Self::Gastos => "Otros gastos generales",
            Self::PerdidaCambiaria => "Pérdida cambiaria",
            Self::UtilidadCambiaria => "Utilidad cambiaria",
        }
    }
}

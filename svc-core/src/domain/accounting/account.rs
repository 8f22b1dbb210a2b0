//! The accounts that entries are written on.

use crate::domain::words::words;

words! {
    /// What a line of an entry is written on, by its number in the SAT's "código agrupador de cuentas" (RMF, Anexo 24, apartado A). A
    /// company may give each a number of its own (`account.edit`); the store puts that in its place where an entry is written.
    pub enum Account {
        /// Cash that was not taken to a bank.
        Caja = "101.01",
        /// What lies in the bank accounts.
        Bancos = "102.01",
        /// What customers owe.
        Clientes = "105.01",
        /// IVA that customers withheld, which the authority has.
        IvaRetenido = "113.01",
        /// ISR that customers withheld, which the authority has.
        IsrRetenido = "113.02",
        /// Goods in the warehouses, at cost.
        Inventario = "115.01",
        /// Goods that a supplier billed and that have not come.
        EnTransito = "115.05",
        /// Goods that were handed over of an order which is not owed yet.
        Entregado = "115.06",
        /// Creditable IVA: purchases that are paid.
        IvaAcreditable = "118.01",
        /// IVA of purchases that are not paid yet.
        IvaPorAcreditar = "119.01",
        /// What is owed to suppliers.
        Proveedores = "201.01",
        /// Goods that came and that the supplier has not billed.
        PorFacturar = "205.02",
        /// Deposits not identified with a receivable yet.
        PorIdentificar = "205.06",
        /// What customers paid before anything was owed.
        Anticipos = "206.01",
        /// IVA charged and paid, so due to the authority.
        IvaCobrado = "208.01",
        /// IEPS charged and paid, so due to the authority.
        IepsCobrado = "208.02",
        /// IVA charged, and not paid yet.
        IvaNoCobrado = "209.01",
        /// IEPS charged, and not paid yet.
        IepsNoCobrado = "209.02",
        /// What there was before anything was posted.
        Apertura = "304.01",
        /// What was sold.
        Ventas = "401.01",
        /// Discounts on that.
        Descuentos = "402.01",
        /// What sold goods had cost.
        CostoDeVenta = "501.01",
        /// What stock was found to be worth more or less: counts, waste, and what bills differ by from what came.
        AjustesDeInventario = "501.08",
        /// Goods that were bought without an order, or before their order was kept here.
        Compras = "502.01",
        /// Expenses.
        Gastos = "601.84",
        /// Lost, since what is owed or owing was worth another number of pesos when it was paid.
        PerdidaCambiaria = "701.01",
        /// Gained likewise.
        UtilidadCambiaria = "702.01",
    }
}

impl Account {
    /// Its name in the SAT's list.
    pub const fn nombre(self) -> &'static str {
        match self {
            Self::Caja => "Caja y efectivo",
            Self::Bancos => "Bancos nacionales",
            Self::Clientes => "Clientes nacionales",
            Self::IvaRetenido => "IVA a favor",
            Self::IsrRetenido => "ISR a favor",
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

//! The words of products, stock, suppliers, purchases and payables.

use super::words;

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
        /// A service whose price is set in each sale.
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
    /// How far a purchase order has been received.
    pub enum PurchaseStatus {
        /// Nothing has been received.
        Pendiente = "pendiente",
        /// A part has been received.
        Parcial = "parcial",
        /// All has been received.
        Recibida = "recibida",
        /// Cancelled.
        Cancelada = "cancelada",
        /// None of the above (output only).
        Desconocido = "desconocido",
    }
}

words! {
    /// Whether a payable is still to be paid.
    pub enum PayableStatus {
        /// Cancelled.
        Cancelado = "cancelado",
        /// To be paid; the default of the list.
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
    /// The kind of a movement of stock. A stored word outside the set is shown as `desconocido`.
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

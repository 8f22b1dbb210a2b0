use super::Entry;
use super::erased::{action, entry};
use super::operation::{on_record, operation};
use crate::api::clientes::{CreateCustomer, EditCustomer};
use crate::api::productos::{CreateProduct, EditProduct};
use crate::backoffice::{
    AcceptCancellation, ApplyPayment, BeginInvoicing, CancelInvoice, CancelPayment, CancelSale, CaptureDeposit,
    CapturePayable, CapturePurchase, CaptureSale, CreateOpportunity, DeleteProduct, EndInvoicing, FulfilOrder,
    InvoiceRejected, InvoiceStamped, MoveOpportunity, MoveStock, ReceivePurchase, RejectCancellation, ReserveStock,
    UseQuota,
};

/// Every action that has a name.
pub static ACTIONS: &[Entry] = &[
    operation::<CreateCustomer>("customer.create", &["cliente.creado"]),
    on_record::<EditCustomer>("customer.edit", &["cliente.actualizado"]),
    operation::<CreateProduct>("product.create", &["producto.creado"]),
    on_record::<EditProduct>("product.edit", &["producto.actualizado"]),
    action::<DeleteProduct>(),
    action::<MoveStock>(),
    action::<ReserveStock>(),
    entry::<CaptureSale>(
        "sale.capture",
        "Capture a sales document of any type",
        &["venta.creada", "inventario.existencia_cambiada"],
    ),
    action::<BeginInvoicing>(),
    action::<EndInvoicing>(),
    action::<CancelSale>(),
    action::<FulfilOrder>(),
    action::<InvoiceStamped>(),
    action::<InvoiceRejected>(),
    action::<CancelInvoice>(),
    action::<AcceptCancellation>(),
    action::<RejectCancellation>(),
    action::<ApplyPayment>(),
    action::<CancelPayment>(),
    action::<CaptureDeposit>(),
    action::<CapturePayable>(),
    action::<CapturePurchase>(),
    action::<ReceivePurchase>(),
    action::<CreateOpportunity>(),
    action::<MoveOpportunity>(),
    action::<UseQuota>(),
];

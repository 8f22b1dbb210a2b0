use super::Entry;
use super::erased::action;
use super::operation::{on_record, operation};
use crate::api::clientes::{CreateCustomer, EditCustomer};
use crate::api::productos::{CreateProduct, EditProduct};
use crate::backoffice::{
    CapturePayable, CapturePurchase, CreateOpportunity, DeleteProduct, MoveOpportunity, MoveStock, ReceivePurchase,
    ReserveStock, UseQuota,
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
    action::<CapturePayable>(),
    action::<CapturePurchase>(),
    action::<ReceivePurchase>(),
    action::<CreateOpportunity>(),
    action::<MoveOpportunity>(),
    action::<UseQuota>(),
];

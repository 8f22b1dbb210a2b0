//! Shared by the tests of sales documents, invoices and receivables.

use serde_json::json;
use svc_tests::{Company, Resource, World};

/// Fiscal folios as they are shown.
pub(crate) const UUIDS: [&str; 3] = [
    "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d",
    "6b5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6e",
    "7c5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6f",
];

/// A company with customers 1 to 3, and products 1 (`A-1`), 2 (`B-2`) and 3 (`A-1` too, deleted).
pub(crate) async fn company(world: &World) -> Company {
    let company = world.company().await;
    let customers = ["Ana", "Bea", "Cid"].map(|nombre| json!({"nombre": nombre}));
    company.load(Resource::Clientes, &customers).await;
    let products = [json!({"sku": "A-1"}), json!({"sku": "B-2"}), json!({"sku": "A-1", "estatus": "eliminado"})];
    company.load(Resource::Productos, &products).await;
    company
}

/// The same with sales documents of these types, numbered 1, 2, 3…
pub(crate) async fn company_with_sales(world: &World, types: &[&str]) -> Company {
    let company = company(world).await;
    let sales: Vec<_> = types.iter().map(|tipo| json!({"tipo": tipo})).collect();
    company.load(Resource::Ventas, &sales).await;
    company
}

//! What an import makes of a line, without a database: what it stores of the least that a line may
//! say, and what it refuses.

use super::*;
use crate::json::Json;
use crate::record::Value;
use crate::testing::company;

fn now() -> Timestamp {
    Timestamp::new("2026-03-02T18:00:00Z".parse().unwrap())
}

fn written(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Decimal(value) => value.normalize().to_string(),
        Value::Text(value) => format!("'{value}'"),
        Value::Texts(value) => format!("{value:?}"),
        Value::Date(value) => value.to_string(),
        Value::Instant(value) => value.format("%FT%RZ").to_string(),
        Value::Uuid(value) => value.to_string(),
    })
}

/// The columns of the record that `line` becomes under clave 7, without those that hold null; or
/// its first fault.
fn stored<R: Rules>(line: &str) -> Result<String, String> {
    let json = Json::parse_object(line.as_bytes()).map_err(std::borrow::Cow::into_owned)?;
    let mut record: R = json.read().map_err(|fault| fault.to_string())?;
    record.check().map_err(|fault| fault.to_string())?;
    *record.clave() = Some(7);
    let company = company(1);
    record.normalize(7, ImportMoment { now: now(), company: &company }).map_err(|fault| fault.to_string())?;
    let mut values = Vec::new();
    record.values(&mut values);
    let columns = R::SPEC.columns.iter().zip(&values);
    Ok(columns
        .filter_map(|(column, value)| Some(format!("{column}={}", written(value)?)))
        .collect::<Vec<_>>()
        .join(" "))
}

#[test]
fn what_a_line_leaves_out_takes_its_default() {
    for (found, expected) in [
        (stored::<branch::BranchImport>("{}"), "clave=7 estatus='activo'"),
        (
            stored::<warehouse::WarehouseImport>(r#"{"codigo":"A01"}"#),
            "clave=7 codigo='A01' sucursal=0 principal=false estatus='activo'",
        ),
        (stored::<unit::UnitImport>(r#"{"nombre":"N"}"#), "clave=7 nombre='N' estatus='activo'"),
        (stored::<salesperson::SalespersonImport>(r#"{"nombre":"N"}"#), "clave=7 nombre='N' vendedor=true activo=true"),
        (
            stored::<bank_account::BankAccountImport>(r#"{"nombre":"N"}"#),
            "clave=7 nombre='N' moneda='MXN' estatus='activo'",
        ),
        (stored::<brand::BrandImport>(r#"{"nombre":"N"}"#), "clave=7 nombre='N' estatus='activo'"),
        (stored::<category::CategoryImport>(r#"{"nombre":"N"}"#), "clave=7 nombre='N' padre=-1 estatus='activo'"),
        (
            stored::<product::ProductImport>(r#"{"sku":"S","descripcion":"Clavo de 2½"}"#),
            "clave=7 sku='S' folio='7' descripcion='Clavo de 2½' estatus='activo' tipo='normal' subtipo='terminado' kit=false codigo_sat='01010101' modificado=2026-03-02T18:00Z costo=0 objeto_impuesto='02' iva_venta='16' iva_compra='16'",
        ),
        (
            stored::<price::PriceImport>(r#"{"producto":1,"lista":2,"precio":"3.5"}"#),
            "clave=7 producto=1 lista=2 moneda='MXN' precio=3.5 iva_incluido=false cantidad_minima=0 modificado=2026-03-02T18:00Z",
        ),
        (
            stored::<supplier::SupplierImport>(r#"{"nombre":"Ñandú"}"#),
            "clave=7 folio='7' nombre='Ñandú' estatus='activo'",
        ),
        (
            stored::<customer::CustomerImport>(
                r#"{"nombre":"Ñandú, S.A.","correo":" Ana@X.MX ","telefono":"(477) 512-3456"}"#,
            ),
            "clave=7 folio='7' nombre='Ñandú, S.A.' correo='Ana@X.MX' telefono='(477) 512-3456' pais=172 limite_credito=0 dias_credito=0 prospecto=false publico=false modificado=2026-03-02T18:00Z",
        ),
        (
            stored::<stock::StockImport>(r#"{"producto":1,"almacen":"A01"}"#),
            "clave=7 producto=1 existencia=0 apartado=0 minimo=0 modificado=2026-03-02T18:00Z",
        ),
        (
            stored::<movement::MovementImport>(r#"{"tipo":"entrada","producto":1,"almacen":"A01","cantidad":2}"#),
            "clave=7 fecha=2026-03-02T18:00Z tipo='entrada' producto=1 cantidad=2 existencia_anterior=0 existencia_actual=0 almacen='A01'",
        ),
        (
            stored::<sale::SaleImport>(r#"{"tipo":"pedido","cliente":1,"subtotal":"100","impuestos":"16"}"#),
            "clave=7 tipo='pedido' fecha=2026-03-02T18:00Z sucursal=0 cliente=1 moneda='MXN' tipo_cambio=1 subtotal=100 descuento=0 impuestos=16 retenciones=0 total=116 saldo=116 cancelada=false surtido_estatus='pendiente' monto_surtido=0 origen='aplicacion' modificado=2026-03-02T18:00Z desglose=true",
        ),
        (
            stored::<sale_line::SaleLineImport>(
                r#"{"venta":1,"renglon":1,"producto":1,"cantidad":2,"precio_unitario":"50"}"#,
            ),
            "clave=7 venta=1 renglon=1 producto=1 cantidad=2 cantidad_surtida=0 precio_unitario=50 descuento=0 subtotal=100 iva=0 total=100 ieps=0 retenciones=0 isr_retenido=0 locales_trasladados=0 locales_retenidos=0",
        ),
        (
            stored::<invoice::InvoiceImport>(r#"{"uuid":"A0B1C2D3-0000-4000-8000-000000000000"}"#),
            "clave=7 tipo='factura' estatus='vigente' uuid='a0b1c2d3-0000-4000-8000-000000000000' fecha=2026-03-02T18:00Z modificado=2026-03-02T18:00Z",
        ),
        (
            stored::<receivable::ReceivableImport>(r#"{"total":"116","pagado":"16"}"#),
            "clave=7 estatus='pendiente' fecha=2026-03-02 moneda='MXN' tipo_cambio=1 total=116 pagado=16 saldo=100 parcialidades=0 sucursal=0 modificado=2026-03-02T18:00Z apertura=0 apertura_iva=0 apertura_ieps=0",
        ),
        (
            stored::<payment::PaymentImport>(r#"{"cxc":1,"importe":"5"}"#),
            "clave=7 cxc=1 fecha=2026-03-02 aplicado=2026-03-02T18:00Z origen='deposito' importe=5 moneda='MXN' tipo_cambio=1 parcialidad=1 saldo_anterior=5 saldo_insoluto=0 complemento='no_aplica' cancelado=false",
        ),
        (
            stored::<payable::PayableImport>(r#"{"total":"9","pagado":"4"}"#),
            "clave=7 folio='7' tipo='gasto' estatus='pendiente' proveedor=0 fecha=2026-03-02 moneda='MXN' tipo_cambio=1 total=9 pagado=4 saldo=5 sucursal=0 operaciones=1 modificado=2026-03-02T18:00Z iva=0 ieps=0 retencion_isr=0 retencion_iva=0 apertura=5 apertura_iva=0 apertura_retencion_isr=0 apertura_retencion_iva=0",
        ),
        (
            stored::<purchase::PurchaseImport>(r#"{"proveedor":1,"cxp":2}"#),
            "clave=7 folio='7' estatus='pendiente' proveedor=1 fecha=2026-03-02T18:00Z sucursal=0 moneda='MXN' tipo_cambio=1 subtotal=0 descuento=0 impuestos=0 total=0 cxp=2 modificado=2026-03-02T18:00Z ieps=0 retencion_isr=0 retencion_iva=0",
        ),
        (
            stored::<purchase_line::PurchaseLineImport>(
                r#"{"compra":1,"renglon":1,"cantidad":3,"costo_unitario":"2"}"#,
            ),
            "clave=7 compra=1 renglon=1 cantidad=3 cantidad_recibida=0 costo_unitario=2 descuento=0 subtotal=6 iva=0 total=6 ieps=0 retencion_isr=0 retencion_iva=0",
        ),
        (
            stored::<stage::StageImport>(r#"{"nombre":"N"}"#),
            "clave=7 nombre='N' tipo='abierta' orden=7 probabilidad=0 estatus='activo'",
        ),
        (stored::<loss_reason::LossReasonImport>(r#"{"nombre":"N"}"#), "clave=7 nombre='N' estatus='activo'"),
        (
            stored::<opportunity::OpportunityImport>(r#"{"etapa":1,"nombre":"N"}"#),
            "clave=7 folio='7' nombre='N' etapa=1 moneda='MXN' creado=2026-03-02T18:00Z modificado=2026-03-02T18:00Z",
        ),
    ] {
        assert_eq!(found.as_deref(), Ok(expected));
    }
}

#[test]
fn lines_are_refused_without_the_database_where_it_is_not_needed() {
    for (found, field) in [
        (stored::<branch::BranchImport>(r#"{"clave":-1}"#), "clave"),
        (stored::<unit::UnitImport>(r#"{"nombre":"N","clave_sat":"??"}"#), "clave_sat"),
        (stored::<price::PriceImport>(r#"{"lista":2,"precio":"1"}"#), "producto"),
        (stored::<supplier::SupplierImport>(r#"{"rfc":"eku900317"}"#), "rfc"),
        (stored::<sale::SaleImport>(r#"{"tipo":"pedido","cliente":1,"moneda":"ZZZ"}"#), "moneda"),
        (stored::<sale::SaleImport>(r#"{"tipo":"pedido","cliente":1,"forma_pago_sat":"98"}"#), "forma_pago_sat"),
        (stored::<invoice::InvoiceImport>(r#"{"uuid":"A0B1C2D3"}"#), "uuid"),
        (stored::<purchase::PurchaseImport>(r#"{"proveedor":1,"cxp":0}"#), "cxp"),
        (stored::<payable::PayableImport>(r#"{"operaciones":0}"#), "operaciones"),
    ] {
        let fault = found.unwrap_err();
        assert!(fault.starts_with(&format!("{field}: ")), "{field}: {fault}");
    }
}

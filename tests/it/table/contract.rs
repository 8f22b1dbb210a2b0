//! The specification of every operation (spec "Resources", contract §3), compared with its registry
//! entry.

use svc_core::record::{Filter, Takes};

use super::{keyed, lists};

/// The filters of each list, sorted by name, with what they accept. Unless stated otherwise a text
/// has at most 200 characters, and a date may be an instant.
const FILTERS: [(&str, &str); 27] = [
    (
        "/clientes",
        "clave integer, correo email, folio text, id_platform_a text, id_platform_b text, id_platform_c text, \
         id_platform_d text, id_platform_e text, modificado_desde date, movil phone, prospecto boolean, \
         proximo_contacto_desde date, proximo_contacto_hasta date, publico boolean, rfc text, telefono phone, \
         uso_cfdi text of 3 to 4",
    ),
    (
        "/productos",
        "buscar words, categoria text, clave integer, codigo_sat text, estatus activo|inactivo|eliminado, \
         folio integer, id_platform_b text, kit boolean, marca text, modificado_desde date, sku text, \
         sku_padre text, subtipo terminado|componente|materia_prima, \
         tipo normal|virtual_con_precio|virtual_sin_precio|gasto",
    ),
    ("/precios", "clave integer, lista integer, modificado_desde date, producto integer, sku text"),
    ("/marcas", "clave integer, estatus activo|eliminado"),
    ("/categorias", "clave integer, estatus activo|inactivo, padre integer"),
    ("/unidades", "clave integer, estatus activo|inactivo"),
    (
        "/oportunidades",
        "cierre_desde date, cierre_hasta date, clave integer, cliente integer, estatus abierta|ganada|perdida, \
         etapa integer, vendedor integer",
    ),
    ("/etapas-oportunidad", "clave integer, estatus activo|inactivo, tipo abierta|ganada|perdida"),
    ("/motivos-perdida", "clave integer, estatus activo|inactivo"),
    ("/proveedores", "clave integer, estatus activo|inactivo|eliminado, folio text, nombre words, rfc text"),
    (
        "/compras",
        "clave integer, estatus pendiente|parcial|recibida|cancelada, fecha_desde date, fecha_hasta date, \
         folio text, proveedor integer, sucursal integer",
    ),
    ("/compras-renglones", "compra integer"),
    (
        "/cxp",
        "clave integer, con_saldo boolean, estatus cancelado|pendiente|pagado, proveedor integer, \
         tipo compra|gasto, uuid uuid, vencido boolean",
    ),
    ("/sucursales", "clave integer, estatus activo|inactivo"),
    (
        "/almacenes",
        "clave integer, codigo text of 3, estatus activo|inactivo|eliminado, principal boolean, \
         sucursal integer",
    ),
    ("/inventario", "almacen text of 3, clave integer, modificado_desde date, sku text, sucursal integer"),
    (
        "/movimientos-inventario",
        "clave integer, sku text, \
         tipo registro|traspaso_salida|traspaso_entrada|ajuste_entrada|ajuste_salida|compra|cancelacion_compra|\
         venta|cancelacion_venta|devolucion_nota_credito|cancelacion_nota_credito|saldo_inicial|orden_servicio|\
         salida_embarque|produccion|merma|devolucion, \
         venta integer",
    ),
    ("/vendedores", "clave integer, estatus activo|inactivo"),
    ("/cuentas-bancarias", "clave integer, estatus activo|inactivo"),
    (
        "/ventas",
        "cancelada boolean, clave integer, cliente integer, fecha_desde date, fecha_hasta date, folio integer, \
         sku text, sucursal integer, tipo remision|venta|factura|cotizacion|pedido|anticipo",
    ),
    ("/ventas-renglones", "sku text, venta integer"),
    (
        "/facturas",
        "clave integer, estatus vigente|cancelada|en_espera|error, fecha_desde date, fecha_hasta date, \
         tipo factura|nota_credito|pago|traslado|embarque|externa, uuid uuid, venta integer",
    ),
    (
        "/cxc",
        "clave integer, cliente integer, con_saldo boolean, estatus pendiente|pagado|cancelado, uuid uuid, \
         vencido boolean, venta integer",
    ),
    ("/cxc-pagos", "clave integer, cliente integer, cxc integer, fecha_desde date, fecha_hasta date, venta integer"),
    ("/webhooks", "activo boolean, clave integer"),
    (
        "/webhooks/{clave}/entregas",
        "clave integer, estado pendiente|entregada|fallida|descartada, \
         tipo venta.creada|factura.timbrada|factura.cancelada|factura.rechazada|cxc.pago_aplicado|cliente.creado|\
         cliente.actualizado|producto.creado|producto.actualizado|inventario.existencia_cambiada|oportunidad.creada|\
         oportunidad.etapa_cambiada|webhook.prueba",
    ),
    (
        "/eventos",
        "clave integer, creado_desde date, \
         tipo venta.creada|factura.timbrada|factura.cancelada|factura.rechazada|cxc.pago_aplicado|cliente.creado|\
         cliente.actualizado|producto.creado|producto.actualizado|inventario.existencia_cambiada|oportunidad.creada|\
         oportunidad.etapa_cambiada",
    ),
];

/// The scopes of each operation; one suffices.
const SCOPES: [(&str, &str); 45] = [
    ("POST /leads", "leads:write"),
    ("GET /clientes", "clientes:read"),
    ("POST /clientes", "clientes:write"),
    ("PUT /clientes/{clave}", "clientes:write"),
    ("POST /clientes/{clave}/interacciones", "actividades:write"),
    ("GET /productos", "productos:read"),
    ("POST /productos", "productos:write"),
    ("PUT /productos/{clave}", "productos:write"),
    ("GET /precios", "productos:read"),
    ("GET /marcas", "productos:read"),
    ("GET /categorias", "productos:read"),
    ("GET /unidades", "productos:read"),
    ("GET /oportunidades", "oportunidades:read"),
    ("GET /etapas-oportunidad", "oportunidades:read"),
    ("GET /motivos-perdida", "oportunidades:read"),
    ("GET /proveedores", "proveedores:read"),
    ("GET /compras", "compras:read"),
    ("GET /compras-renglones", "compras:read"),
    ("GET /cxp", "cxp:read"),
    ("GET /sucursales", "inventario:read"),
    ("GET /almacenes", "inventario:read"),
    ("GET /inventario", "inventario:read"),
    ("GET /movimientos-inventario", "kardex:read"),
    ("GET /vendedores", "clientes:read actividades:write"),
    ("GET /cuentas-bancarias", "cxc:read"),
    ("GET /ventas", "ventas:read"),
    ("POST /ventas", "ventas:write"),
    ("POST /ventas/{clave}/facturar", "facturas:write"),
    ("GET /ventas-renglones", "ventas:read"),
    ("GET /facturas", "facturas:read"),
    ("GET /facturas/{clave}/xml", "facturas:read"),
    ("GET /facturas/{clave}/pdf", "facturas:read"),
    ("GET /cxc", "cxc:read"),
    ("POST /cxc/{clave}/pagos", "cxc:write"),
    ("GET /cxc-pagos", "cxc:read"),
    ("GET /webhooks", "webhooks:write"),
    ("POST /webhooks", "webhooks:write"),
    ("PUT /webhooks/{clave}", "webhooks:write"),
    ("DELETE /webhooks/{clave}", "webhooks:write"),
    ("POST /webhooks/{clave}/secreto", "webhooks:write"),
    ("POST /webhooks/{clave}/probar", "webhooks:write"),
    ("POST /webhooks/{clave}/recuperar", "webhooks:write"),
    ("GET /webhooks/{clave}/entregas", "webhooks:write"),
    ("POST /webhooks/{clave}/entregas/{entrega}/reenviar", "webhooks:write"),
    ("GET /eventos", "webhooks:write"),
];

#[test]
fn every_list_has_the_filters_of_the_contract_and_no_other() {
    let found: Vec<_> = lists().map(|list| (list.http.path, described(list.filters()))).collect();
    let agreed: Vec<_> = FILTERS.iter().map(|(path, filters)| (*path, (*filters).to_owned())).collect();
    assert_eq!(found, agreed);
}

#[test]
fn every_operation_has_the_scopes_of_the_contract_and_no_other() {
    let found: Vec<_> = keyed()
        .map(|spec| {
            let scopes: Vec<_> = spec.scopes.iter().map(|scope| scope.to_string()).collect();
            (format!("{} {}", spec.method.name(), spec.path), scopes.join(" "))
        })
        .collect();
    let agreed: Vec<_> =
        SCOPES.iter().map(|(operation, scopes)| ((*operation).to_owned(), (*scopes).to_owned())).collect();
    assert_eq!(found, agreed);
}

fn described(filters: &[Filter]) -> String {
    let mut all: Vec<_> = filters.iter().map(|filter| format!("{} {}", filter.name, takes(filter.takes))).collect();
    all.sort();
    all.join(", ")
}

fn takes(takes: Takes) -> String {
    match takes {
        Takes::Integer => "integer".to_owned(),
        Takes::Text { shortest: 1, longest: 200 } => "text".to_owned(),
        Takes::Text { shortest, longest } if shortest == longest => format!("text of {longest}"),
        Takes::Text { shortest, longest } => format!("text of {shortest} to {longest}"),
        Takes::Uuid => "uuid".to_owned(),
        Takes::Boolean => "boolean".to_owned(),
        Takes::Choice(words) | Takes::EventKind(words) => words.join("|"),
        Takes::Email => "email".to_owned(),
        Takes::Phone => "phone".to_owned(),
        Takes::Search => "words".to_owned(),
        Takes::Bound(_) => "date".to_owned(),
    }
}

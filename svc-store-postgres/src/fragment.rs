//! Parts of statements that several of them share, for `concat!`.

/// Whether a credit note of the sale `v` was imported. An import brings such notes, but neither
/// their lines nor what they gave back.
macro_rules! has_imported_note {
    () => {
        "EXISTS (
             SELECT FROM facturas f
             WHERE f.empresa = :empresa AND f.venta = v.clave AND f.tipo = :nota_credito AND f.estatus <> :cancelada
               AND NOT EXISTS (SELECT FROM notas_credito n WHERE n.empresa = :empresa AND n.factura = f.clave)
         )"
    };
}

/// The sum of the valid payments and refunds that use the advance `v`.
macro_rules! applied_of_advance {
    () => {
        "(
             SELECT coalesce(sum(importe), 0) AS aplicado
             FROM (
                 SELECT importe FROM cxc_pagos WHERE empresa = :empresa AND anticipo = v.clave AND NOT cancelado
                 UNION ALL
                 SELECT importe FROM reembolsos WHERE empresa = :empresa AND anticipo = v.clave AND NOT cancelado
             ) u
         )"
    };
}

/// Whether the payment `x` has an entry; an imported one has none.
macro_rules! is_payment_posted {
    () => {
        "EXISTS (SELECT FROM polizas p WHERE p.empresa = :empresa AND p.pago = x.clave)"
    };
}

/// The sum of the valid payments of the receivable `c` that have entries.
macro_rules! posted_payments {
    () => {
        concat!(
            "coalesce((
                 SELECT sum(x.importe)
                 FROM cxc_pagos x
                 WHERE x.empresa = :empresa AND x.cxc = c.clave AND NOT x.cancelado AND ",
            $crate::fragment::is_payment_posted!(),
            "
             ), 0)"
        )
    };
}

/// Whether the receivable `c` is the last one of its sale, or of none.
macro_rules! is_last_receivable {
    () => {
        "NOT EXISTS (
             SELECT FROM cxc o
             WHERE o.empresa = :empresa AND o.venta = c.venta AND o.clave > c.clave
         )"
    };
}

/// The customer that the sale `v` of an entry had when it was written; `st` is the substitute
/// that has replaced the entry, if one has.
macro_rules! customer_of_entry {
    () => {
        "CASE WHEN st.factura IS NULL THEN v.cliente ELSE st.cliente_anterior END"
    };
}

/// The lines `r` of the entries `p`, with the grouping code `g.grupo` of their accounts.
macro_rules! grouped_lines {
    () => {
        "polizas p
         JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
         LEFT JOIN cuentas_contables k ON k.empresa = :empresa AND k.codigo = r.codigo
         CROSS JOIN LATERAL (SELECT coalesce(k.agrupador, r.codigo) AS grupo) g"
    };
}

/// The income and the discounts of these lines.
macro_rules! income {
    () => {
        "coalesce(sum(r.abono - r.cargo) FILTER (WHERE g.grupo LIKE '401.%'), 0) AS ventas,
         coalesce(sum(r.cargo - r.abono) FILTER (WHERE g.grupo LIKE '402.%'), 0) AS descuentos"
    };
}

/// The columns of the company `e`.
macro_rules! company_columns {
    () => {
        "e.empresa, e.nombre, e.plan, e.licencias, e.limites, e.api, e.franquicia, e.facturacion, e.anticipo_minimo,
         e.vender_sin_existencia, e.enviar_documentos, e.rfc, e.regimen, e.cp, e.prueba, e.desfase, e.cursor_clave,
         ARRAY(SELECT s.clave || ' ' || s.cp FROM sucursales s
               WHERE s.empresa = e.empresa AND s.cp IS NOT NULL) AS lugares"
    };
}

pub(crate) use {
    applied_of_advance, company_columns, customer_of_entry, grouped_lines, has_imported_note, income,
    is_last_receivable, is_payment_posted, posted_payments,
};

//! Corrections that a substitute invoice makes: its document has them from the start, the sale once
//! the substitute is stamped (contract §7).

use super::books::{self, Owed};
use super::lines::{self, LineBody, Pricing};
use super::{issuer, queued, rest, stock};
use crate::domain::accounting::{IncomeByRate, IncomeKind};
use crate::domain::cfdi::{Cfdi, CfdiFault, Heading, InvoiceSource, Line, Receiver, SoldSale, TipoDeComprobante};
use crate::domain::invoice::{LockedSale, due_date};
use crate::domain::line;
use crate::domain::sale::{Amounts, DEFAULT_PRICE_LIST};
use crate::domain::tax::Withholding;
use crate::domain::words::PaymentMethod;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{Buyer, Correction, MovementContext, NewSaleLine, RegisteredInvoice, SaleGoods, SaleToStamp};

/// Prices the corrected lines of a sale for a receiver, as those of a new sale.
pub(crate) async fn priced(
    cx: &mut Cx<'_>,
    sale: &LockedSale,
    buyer: &Buyer,
    bodies: &[LineBody],
) -> Result<(Vec<NewSaleLine>, Amounts), Error> {
    lines::validate(bodies)?;
    let products = lines::products(cx, bodies).await?;
    let mut lists = vec![buyer.lista.unwrap_or(DEFAULT_PRICE_LIST), DEFAULT_PRICE_LIST];
    lists.dedup();
    let pricing = Pricing {
        lists: &lists,
        moneda: &sale.moneda,
        day: cx.day_at(sale.sucursal),
        withholding: withholding(cx, &buyer.receptor),
        tipo_cambio: sale.tipo_cambio,
        sucursal: sale.sucursal,
    };
    let priced = lines::priced(cx, bodies, products, &pricing).await?;
    let too_large = || Error::field(Code::DatoInvalido, "cambios.renglones", "el total pasa de 18 dígitos");
    let amounts = Amounts::of_document(priced.iter().map(|line| &line.amounts)).map_err(|_| too_large())?;
    let pesos = |amount| line::pesos(amount, sale.tipo_cambio);
    pesos(amounts.subtotal).and(pesos(amounts.total)).ok_or_else(too_large)?;
    Ok((priced, amounts))
}

/// What this receiver withholds from the company.
pub(crate) fn withholding(cx: &Cx<'_>, receptor: &Receiver) -> Withholding {
    Withholding::between(cx.company.rfc.as_deref(), cx.company.regimen, receptor.rfc.as_deref())
}

/// The document of a substitute that corrects `venta`, without date, certificate and seal.
pub(crate) async fn document(
    cx: &mut Cx<'_>,
    factura: i64,
    venta: i64,
    correction: Correction,
    encabezado: Heading,
) -> Result<Result<Cfdi, CfdiFault>, Error> {
    let of = venta;
    let Some(SaleToStamp { cp, devuelta, sale }) = cx.tx.sale_to_stamp(of).await? else {
        return Ok(Err(CfdiFault::Missing("la venta que se factura")));
    };
    let mut renglones = cx.tx.corrected_lines(factura).await?;
    if renglones.is_empty() {
        renglones = own_lines(cx, venta).await?;
    }
    let Correction { cliente, condicion_pago, dias_credito, terms, amounts } = correction;
    let buyer = cx.tx.buyer(cliente).await?.unwrap_or_default();
    let venta = SoldSale {
        condicion_pago: Some(condicion_pago),
        dias_credito,
        forma_pago_sat: terms.forma_pago_sat,
        metodo_pago_sat: terms.metodo_pago_sat,
        uso_cfdi: terms.uso_cfdi,
        subtotal: amounts.subtotal,
        descuento: amounts.descuento,
        impuestos: amounts.impuestos(),
        total: amounts.total,
        ..sale
    };
    let emisor = issuer::issuer(cx, cp);
    let mut source = InvoiceSource { emisor, receptor: buyer.receptor, encabezado, venta, renglones };
    if devuelta {
        rest::leave_rest(cx, of, &mut source).await?;
    }
    Ok(queued::build_checked(&source, TipoDeComprobante::I))
}

/// Changes the sale of a substitute that was just stamped as its correction says: the lines and
/// amounts, the receivable, the goods, and the entry.
pub(crate) async fn apply(cx: &mut Cx<'_>, invoice: &RegisteredInvoice, venta: i64) -> Result<(), Error> {
    let Some(correction) = cx.tx.correction(invoice.clave).await? else { return Ok(()) };
    let Some(sale) = cx.tx.lock_sale(venta).await?.filter(|sale| !sale.cancelada) else { return Ok(()) };
    let fecha = cx.day_at(sale.sucursal);
    let buyer = cx.tx.buyer(correction.cliente).await?.unwrap_or_default();
    let due = due_date(fecha, correction.condicion_pago, correction.dias_credito);
    let changed = (sale.condicion_pago != Some(correction.condicion_pago)).then_some(due);
    let corrected = cx.tx.corrected_lines(invoice.clave).await?;
    let count = corrected.len();
    let lines = if count == 0 { own_lines(cx, venta).await? } else { corrected };
    let folio = invoice.folio.as_deref().unwrap_or_default();
    let owed = Owed {
        venta,
        tipo: sale.tipo,
        factura: Some(invoice.clave),
        folio,
        cliente: Some(correction.cliente),
        sucursal: sale.sucursal,
        moneda: &sale.moneda,
        tipo_cambio: sale.tipo_cambio,
        metodo_pago_sat: correction.terms.metodo_pago_sat.as_deref().and_then(PaymentMethod::of),
        fecha,
        vencimiento: due,
        amounts: correction.amounts,
        por_tasa: IncomeByRate::of_lines(lines.iter().map(|line| (IncomeKind::of(line.rates.iva_tasa), &line.amounts)))
            .sold_to(buyer.receptor.rfc.as_deref()),
    };
    if count > 0 {
        let goods = cx.tx.corrected_goods(invoice.clave).await?;
        exchange(cx, &sale, &owed, &goods).await?;
        cx.tx.keep_replaced(invoice.clave, venta).await?;
    } else if sale.cliente != owed.cliente && cx.tx.entry_of_sale(venta).await?.is_some() {
        // The entry of the former customer stays theirs.
        books::rewrite_entry(cx, &owed, None).await?;
        cx.tx.keep_replaced(invoice.clave, venta).await?;
    }
    Ok(cx.tx.apply_correction(invoice.clave, venta, count, changed, cx.now).await?)
}

/// The lines that a sale has.
async fn own_lines(cx: &mut Cx<'_>, venta: i64) -> Result<Vec<Line>, Error> {
    Ok(cx.tx.lines_to_stamp(&[venta]).await?.into_iter().map(|(_, line)| line).collect())
}

/// Exchanges the goods of a sale for the corrected ones, and its entry for that of the corrected
/// sale. Goods that stay the same are not moved and keep their cost.
async fn exchange(cx: &mut Cx<'_>, sale: &LockedSale, owed: &Owed<'_>, goods: &[SaleGoods]) -> Result<(), Error> {
    let before = cx.tx.sale_goods(sale.clave).await?;
    if books::quantities(&before) == books::quantities(goods) {
        return books::rewrite_entry(cx, owed, None).await;
    }
    let gone = cx.tx.goods_sold(sale.clave).await?;
    let context = MovementContext {
        venta: Some(sale.clave),
        referencia: Some(owed.folio),
        dia: Some(owed.fecha),
        ..MovementContext::default()
    };
    let almacen = stock::any_warehouse_of_sale(cx, sale).await?;
    let places = gone.iter().map(|gone| (&gone.almacen, gone.producto));
    stock::lock(cx, places.chain(goods.iter().map(|goods| (&almacen, goods.producto)))).await?;
    books::goods_return(cx, gone, Vec::new(), &context).await?;
    let costo = books::goods_leave(cx, &almacen, goods, false, sale.clave, owed.folio, owed.fecha).await?;
    books::rewrite_entry(cx, owed, Some(costo)).await
}

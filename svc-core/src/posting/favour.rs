//! What is used of balances in customers' favour.

use rust_decimal::Decimal;

use crate::domain::accounting::EntryError;
use crate::domain::currency::PESO;
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::error::Error;
use crate::operation::Cx;

/// The pesos that account 206.01 releases when `importe` of a customer's balance is used. In a
/// foreign currency they are the same share of what is posted, so that nothing stays when all is
/// used; the difference to the rate of the day, `tipo_cambio`, is an exchange gain or loss. The
/// customer is locked.
pub(crate) async fn used(
    cx: &mut Cx<'_>,
    cliente: i64,
    moneda: &str,
    importe: Money,
    tipo_cambio: Rate,
) -> Result<Money, Error> {
    if moneda == PESO {
        return Ok(importe);
    }
    let favour = cx.tx.favour(cliente, moneda, tipo_cambio).await?;
    let pesos = Money::new(favour.pesos.max(Decimal::ZERO));
    let of_day = || line::pesos(importe, tipo_cambio).ok_or(EntryError::TooLarge);
    // Nothing is posted of balances from before the books began.
    if pesos == Money::default() { Ok(of_day()?) } else { Ok(line::share(pesos, importe, Money::new(favour.importe))) }
}

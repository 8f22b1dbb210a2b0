//! Test companies: their clock (contract §8).

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{ClockMovement, MAX_AHEAD};

/// Moves the clock of a test company forward, or only tells its time.
#[derive(Debug, Clone, Copy)]
pub enum MoveClock {
    /// Not at all.
    Nowhere,
    /// By that much.
    Forward(TimeDelta),
    /// To that time.
    To(DateTime<Utc>),
}

/// The answer of [`MoveClock`].
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct ClockMoved {
    /// The company's time.
    pub ahora: Timestamp,
}

impl Operation for MoveClock {
    const SPEC: Spec = Spec::new().changes_access();
    type Output = ClockMoved;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<ClockMoved, Error> {
        if !cx.company.prueba {
            let text = format_args!("la empresa {} no es de prueba, y solo el reloj de esas se mueve", cx.company.id.0);
            return Err(Error::field(Code::DatoInvalido, "empresa", text));
        }
        let movement = match *self {
            Self::Nowhere => return Ok(ClockMoved { ahora: cx.now }),
            Self::Forward(span) => ClockMovement::By(span),
            Self::To(time) => ClockMovement::To(Timestamp::new(time).get() - cx.service_now()),
        };
        let Some(desfase) = cx.tx.move_clock(movement).await? else {
            let text = format_args!(
                "el reloj solo avanza, hasta {} días en total; ahora son las {}",
                MAX_AHEAD.num_days(),
                cx.now
            );
            return Err(Error::field(Code::DatoInvalido, "reloj", text));
        };
        Ok(ClockMoved { ahora: Timestamp::new(cx.service_now() + desfase) })
    }
}

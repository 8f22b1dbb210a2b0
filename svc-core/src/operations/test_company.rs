//! Test companies: their clock, and copies of companies (contract §8).

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use super::company::normalize;
use crate::context::Context;
use crate::domain::clock::random_bytes;
use crate::domain::time::Timestamp;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{ClockMovement, CompanyChange, MAX_AHEAD};

/// Moves the clock of a test company forward, or only reads its time.
#[derive(Debug, Clone, Copy)]
pub enum MoveClock {
    /// Not at all: the answer only tells the time.
    Nowhere,
    /// By this much; a negative span is refused.
    Forward(TimeDelta),
    /// To this time, which must not be earlier than the company's.
    To(DateTime<Utc>),
}

/// The answer of [`MoveClock`].
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct ClockMoved {
    /// The company's time after it, in whole seconds.
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

/// What a copy of a company has of its own. The store makes the copy.
#[derive(Clone)]
#[non_exhaustive]
pub struct NewFork {
    /// Its own name, not empty.
    pub nombre: String,
    /// The key of its cursors' MAC.
    pub cursor_key: [u8; 32],
    /// When it is made.
    pub creada: DateTime<Utc>,
}

impl fmt::Debug for NewFork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewFork").field("nombre", &self.nombre).finish_non_exhaustive()
    }
}

impl Context {
    /// What a copy of a company with that name has of its own; the store copies the company. Fails
    /// if the name is empty.
    pub fn new_fork(&self, nombre: String) -> Result<NewFork, Error> {
        normalize(CompanyChange { nombre: Some(nombre.clone()), ..CompanyChange::default() }, None)?;
        Ok(NewFork { nombre, cursor_key: random_bytes(self.random()), creada: self.now() })
    }
}

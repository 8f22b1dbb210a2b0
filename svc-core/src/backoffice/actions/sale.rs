//! The capture of a sale: the body of `POST /ventas`, of any type, with where it comes from.

use schemars::Schema;
use serde_json::json;

use super::erased::FromJson;
use crate::backoffice::CaptureSale;
use crate::domain::words::{SaleKind, SaleOrigin};
use crate::json::{Fault, Json};
use crate::posting::sale::SaleBody;
use crate::schema::{self, with_field};

impl FromJson for CaptureSale {
    fn read(input: &Json) -> Result<Self, Fault> {
        let (origen, rest) = input.take_optional("origen")?;
        let (sucursal, rest) = rest.take_optional("sucursal")?;
        Ok(Self { origen, sucursal, sale: rest.read()? })
    }

    fn schema() -> Schema {
        let origen = json!({
            "description": "Who made it; the application when left out.",
            "type": ["string", "null"],
            "enum": SaleOrigin::WORDS.iter().map(|word| json!(word)).chain([json!(null)]).collect::<Vec<_>>(),
        });
        let sucursal = json!({
            "description": "Its branch; 0, the head office, when left out.", "type": ["integer", "null"], "format": "int64",
        });
        with_field(with_field(schema::of::<SaleBody<SaleKind>>(), "origen", origen), "sucursal", sucursal)
    }
}

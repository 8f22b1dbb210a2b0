//! The rules of imported customers.

use crate::domain::sat;
use crate::domain::text::tidy_emails;
use crate::json::{Fault, Text};
use crate::operations::import::{ImportMoment, Rules, distinct, own_folio, parsed_rfc, require, require_clave};
use crate::record::customer::CustomerImport;
use crate::record::customer::DEFAULT_COUNTRY;
use crate::store::{StoreError, Tx};

impl Rules for CustomerImport {
    /// Checks only shapes and catalogues: data of an older system may break today's rules of regime
    /// and CFDI use.
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        parsed_rfc(self.rfc.as_deref())?;
        require(
            self.regimen.is_none_or(|regimen| sat::regime(regimen).is_some()),
            "regimen",
            "no está en el catálogo del SAT",
        )?;
        require(
            self.uso_cfdi.as_deref().is_none_or(|uso| sat::cfdi_use(uso).is_some()),
            "uso_cfdi",
            "no está en el catálogo del SAT",
        )?;
        require(self.cp.as_ref().is_none_or(|cp| sat::postal_code(cp).is_some()), "cp", "no está en el catálogo")?;
        require(self.pais.is_none_or(|pais| sat::country(pais).is_some()), "pais", "no es una clave de país")?;
        let fits = |id: &str| sat::tax_id_fits(self.pais.unwrap_or(DEFAULT_COUNTRY), id);
        require(
            self.num_reg_id_trib.as_deref().is_none_or(fits),
            "num_reg_id_trib",
            "no tiene los dígitos de su país en el catálogo del SAT",
        )?;
        require(self.lista.is_none_or(|lista| lista > 0), "lista", "debe ser un entero positivo")?;
        require(self.dias_credito.is_none_or(|days| (0..=365).contains(&days)), "dias_credito", "debe ser de 0 a 365")
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        // A price list need not have prices.
        let lists: Vec<_> =
            distinct(rows.iter().filter_map(|row| row.lista)).into_iter().map(|lista| (lista, None)).collect();
        if lists.is_empty() { Ok(()) } else { tx.make_price_lists(&lists, at.now).await }
    }

    fn normalize(&mut self, clave: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        own_folio(&mut self.folio, clave);
        self.rfc = parsed_rfc(self.rfc.as_deref())?;
        if let Some(correo) = &mut self.correo {
            *correo = Text::unchecked(tidy_emails(correo));
        }
        self.prospecto.get_or_insert(false);
        self.publico.get_or_insert(false);
        self.pais.get_or_insert(DEFAULT_COUNTRY);
        self.limite_credito.get_or_insert_default();
        self.dias_credito.get_or_insert(0);
        self.modificado.get_or_insert(at.now);
        Ok(())
    }
}

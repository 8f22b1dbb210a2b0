//! Export: NDJSON of every record of a resource, as the import takes it.

use bytes::Bytes;

use super::Resource;
use crate::context::{Context, existing};
use crate::domain::company::CompanyId;
use crate::error::Error;
use crate::record::{self, Query, Row, RowError};
use crate::store::{Reader, StoreError};

/// How many records one statement reads.
const PAGE: u32 = 500;

/// An export under way. It is read page by page, each in a statement of its own, so it holds no
/// connection and little memory between two pages.
///
/// As in a walk through a list, a record that exists throughout is read once, as it was when its
/// page was read.
#[derive(Debug)]
pub struct Export {
    context: Context,
    company: CompanyId,
    pub(super) resource: Resource,
    /// The clave of the last record that was read.
    after: Option<i64>,
    is_over: bool,
}

/// The lines of a page.
pub(super) struct ExportedPage {
    lines: Vec<u8>,
    last: Option<i64>,
    is_last: bool,
}

impl Context {
    /// Begins an export of all records of a resource, deleted ones too. Fails with `no_encontrado`
    /// (field `empresa`) if the company does not exist.
    pub async fn export(&self, company: CompanyId, resource: Resource) -> Result<Export, Error> {
        let mut tx = self.store().begin(company).await?;
        existing(tx.as_mut(), company).await?;
        tx.rollback().await?;
        Ok(self.export_of_existing(company, resource))
    }

    /// Begins an export of a company that exists.
    pub(crate) fn export_of_existing(&self, company: CompanyId, resource: Resource) -> Export {
        Export { context: self.clone(), company, resource, after: None, is_over: false }
    }
}

impl Export {
    /// The next lines, each with its line break; `None` after the last.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_over {
            return Ok(None);
        }
        let page = {
            let reader = self.context.store().reader(self.company);
            self.read_resource(reader.as_ref()).await?
        };
        (self.after, self.is_over) = (page.last, page.is_last);
        Ok(Some(page.lines.into()).filter(|lines: &Bytes| !lines.is_empty()))
    }

    /// Whether the last lines were read.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) async fn read<E: record::Exported>(&self, reader: &dyn Reader) -> Result<ExportedPage, StoreError> {
        let query = Query::new(&E::EXPORT, self.after, PAGE, self.context.now());
        let mut page = ExportedPage { lines: Vec::new(), last: self.after, is_last: true };
        let mut count = 0;
        let mut add = |row: &dyn Row| -> Result<(), RowError> {
            if count < PAGE {
                page.last = Some(E::export(row, &mut page.lines)?);
                page.lines.push(b'\n');
            }
            count += 1;
            page.is_last = count <= PAGE;
            Ok(())
        };
        reader.page(&E::EXPORT, &query, &mut add).await?;
        Ok(page)
    }
}

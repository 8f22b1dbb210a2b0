//! Pages of lists: their sizes and cursors.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::domain::company::{Company, LimitMode};
use crate::domain::event::EventKinds;
use crate::domain::scope::KeyScopes;
use crate::error::{Code, Error};
use crate::record::{ListSpec, PageSizes, Query, Record, Row, RowError};

/// The page sizes in force for one request, in records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageLimits {
    /// The size if the request has no `limite`.
    pub(crate) default: u32,
    /// The largest `limite` that is accepted.
    pub(crate) max: u32,
    /// The largest `limite` that gets no warning that it will be refused later (contract §5,
    /// "Notice mode").
    pub(crate) unannounced: u32,
}

impl PageLimits {
    /// The sizes of a list under the company's limit mode. In notice mode the legacy sizes apply to
    /// every list (spec, "Limits").
    pub(crate) fn of(pages: PageSizes, mode: LimitMode) -> Self {
        match (pages, mode) {
            (PageSizes::Enforced, LimitMode::Enforced) => Self { default: 30, max: 30, unannounced: 30 },
            (PageSizes::Enforced, LimitMode::Notice) => Self { default: 100, max: 500, unannounced: 30 },
            (PageSizes::Legacy, _) => Self { default: 100, max: 500, unannounced: 500 },
        }
    }

    /// Reads the parameter `limite`.
    pub(crate) fn limit(self, text: Option<&str>) -> Result<u32, Error> {
        let Some(text) = text else { return Ok(self.default) };
        let digits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let limit = if digits { text.parse().unwrap_or(0) } else { 0 };
        if (1..=self.max).contains(&limit) {
            return Ok(limit);
        }
        Err(Error::field(Code::LimiteInvalido, "limite", format_args!("debe ser un entero de 1 a {}", self.max)))
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ListRequest<'a> {
    pub(crate) company: &'a Company,
    /// The path's parameters, still as text.
    pub(crate) path: &'a [String],
    pub(crate) query: &'a str,
    /// What the key may read.
    pub(crate) scopes: &'a KeyScopes,
    /// The kinds of events that the context knows.
    pub(crate) kinds: &'a EventKinds,
    pub(crate) limits: PageLimits,
    /// The service's time.
    pub(crate) now: DateTime<Utc>,
}

/// Makes and opens the cursors of one list for one company.
///
/// A cursor is base64url over a version (1 byte), the clave of the last record (8 bytes), the time
/// of the first page if the query's window has no end (8 bytes), and the first 16 bytes of an
/// HMAC-SHA256 under the company's own key over all this, the resource and the filters. So it is
/// opaque and cannot be forged, it is valid only for its company, list and filters, and it never
/// expires.
#[derive(Debug, Clone, Copy)]
pub struct Cursors<'a> {
    company: &'a Company,
    resource: &'a str,
}

/// A cursor without and with the time of the first page.
const VERSION: u8 = 1;
const VERSION_WINDOW: u8 = 2;
const MAC: usize = 16;

/// What a cursor says: where the next page starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The clave of the last record that was read.
    pub after: i64,
    /// The end of the query's date window if the client gave none: the time of the first page.
    pub until: Option<DateTime<Utc>>,
}

impl<'a> Cursors<'a> {
    /// The cursors of the list at `resource`: its path, with the parent's clave filled in.
    pub fn new(company: &'a Company, resource: &'a str) -> Self {
        Self { company, resource }
    }

    /// The cursor that continues at `position`; `filters` is the canonical text of the query's
    /// filters.
    pub fn seal(&self, position: Position, filters: &str) -> String {
        let mut bytes = vec![if position.until.is_some() { VERSION_WINDOW } else { VERSION }];
        bytes.extend(position.after.to_be_bytes());
        bytes.extend(position.until.iter().flat_map(|until| until.timestamp_micros().to_be_bytes()));
        let mac = self.mac(&bytes, filters);
        bytes.extend(&mac.finalize().into_bytes()[..MAC]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Opens a cursor of [`Cursors::seal`]; `cursor_invalido` if it belongs to another company,
    /// list or filters.
    pub fn open(&self, cursor: &str, filters: &str) -> Result<Position, Error> {
        let refused = || Error::from(Code::CursorInvalido);
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refused())?;
        let (claim, mac) = bytes.split_last_chunk::<MAC>().ok_or_else(refused)?;
        self.mac(claim, filters).verify_truncated_left(mac).map_err(|_| refused())?;
        let (version, position) = claim.split_first().ok_or_else(refused)?;
        let (after, until) = position.split_first_chunk().ok_or_else(refused)?;
        let until = match (*version, until) {
            (VERSION, []) => None,
            (VERSION_WINDOW, until) => {
                let micros = until.try_into().map(i64::from_be_bytes).map_err(|_| refused())?;
                Some(DateTime::from_timestamp_micros(micros).ok_or_else(refused)?)
            }
            _ => return Err(refused()),
        };
        Ok(Position { after: i64::from_be_bytes(*after), until })
    }

    fn mac(&self, claim: &[u8], filters: &str) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length (RFC 2104)")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.company.cursor_key).expect("any key length");
        mac.update(claim);
        mac.update(&self.company.id.0.to_be_bytes());
        // NUL separates the two texts, and the resource cannot contain it.
        mac.update(self.resource.as_bytes());
        mac.update(&[0]);
        mac.update(filters.as_bytes());
        mac
    }
}

/// A page that is written while its rows are read.
pub(crate) struct ListPage<'q> {
    query: &'q Query,
    body: Vec<u8>,
    written: u32,
    /// The clave of the last record, or where the page began.
    last: i64,
    /// Whether the query found one row more than the page holds.
    more: bool,
    /// Whether the last page too says where to go on.
    grows: bool,
}

impl<'q> ListPage<'q> {
    pub(crate) fn of(list: &ListSpec, query: &'q Query) -> Self {
        let mut body = Vec::with_capacity(128);
        body.extend_from_slice(br#"{"ok":true,"datos":["#);
        Self { query, body, written: 0, last: query.after.unwrap_or(0), more: false, grows: list.grows }
    }

    /// Writes the record of a row.
    pub(crate) fn add<R: Record>(&mut self, row: &dyn Row) -> Result<(), RowError> {
        if self.written == self.query.limit {
            self.more = true;
            return Ok(());
        }
        if self.written > 0 {
            self.body.push(b',');
        } else {
            // About thirty bytes per field, for thirty records: enough for most pages without
            // growing again.
            self.body.reserve(30 * R::COLUMNS.len() * 32);
        }
        self.last = R::write(row, &mut self.body)?;
        self.written += 1;
        Ok(())
    }

    /// Closes the page and returns its JSON.
    pub(crate) fn end(mut self, cursors: &Cursors<'_>) -> Bytes {
        let more = self.more;
        if more || self.grows {
            let position = Position { after: self.last, until: self.query.until };
            // Base64url needs no escapes.
            let cursor = cursors.seal(position, &self.query.canonical);
            self.body.extend_from_slice(format!(r#"],"siguiente":"{cursor}","hay_mas":{more}}}"#).as_bytes());
        } else {
            self.body.extend_from_slice(br#"],"siguiente":null,"hay_mas":false}"#);
        }
        self.body.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::company;

    #[test]
    fn limits_follow_the_regime() {
        let enforced = PageLimits::of(PageSizes::Enforced, LimitMode::Enforced);
        let limit = |limits: PageLimits, text| limits.limit(text).ok();
        assert_eq!(
            (limit(enforced, None), limit(enforced, Some("30")), limit(enforced, Some("31"))),
            (Some(30), Some(30), None)
        );
        let notice = PageLimits::of(PageSizes::Enforced, LimitMode::Notice);
        assert_eq!(
            (limit(notice, None), limit(notice, Some("500")), limit(notice, Some("501"))),
            (Some(100), Some(500), None)
        );
        for wrong in ["", "0", "-1", "+5", " 5", "5.0", "1e1", "٣", "4294967297", "99999999999999999999"] {
            assert_eq!(limit(notice, Some(wrong)), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_opens_only_where_it_was_sealed(
            after in any::<i64>(),
            micros in proptest::option::of(0i64..4_000_000_000_000_000),
            filters in ".{0,20}",
            other in ".{0,20}",
        ) {
            let (one, two) = (company(1), company(2));
            let cursors = Cursors::new(&one, "/clientes");
            let position = Position { after, until: micros.and_then(DateTime::from_timestamp_micros) };
            let cursor = cursors.seal(position, &filters);
            prop_assert_eq!(cursors.open(&cursor, &filters).unwrap(), position);
            prop_assert!(Cursors::new(&two, "/clientes").open(&cursor, &filters).is_err());
            prop_assert!(Cursors::new(&one, "/productos").open(&cursor, &filters).is_err());
            prop_assert_eq!(cursors.open(&cursor, &other).is_ok(), filters == other);
        }

        #[test]
        fn a_changed_cursor_is_refused(clave in any::<i64>(), at in 0usize..34, to in "[A-Za-z0-9_-]") {
            let one = company(1);
            let cursors = Cursors::new(&one, "/clientes");
            let cursor = cursors.seal(Position { after: clave, until: None }, "");
            let mut changed = cursor.clone();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(cursors.open(&changed, "").is_ok(), changed == cursor);
        }

        #[test]
        fn anything_else_is_refused(text in ".{0,60}") {
            prop_assert!(Cursors::new(&company(1), "/clientes").open(&text, "").is_err());
        }
    }
}

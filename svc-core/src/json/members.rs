//! The members of an object, sorted by key.
//!
//! A member takes 12 bytes. With `Cow` keys, six nested objects of a thousand short members would
//! take more than three times the size of the body.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::escape::Unpaired;
use super::{SYNTAX, brief};

/// The largest number of members in one object; the API's own objects have a few dozen.
const MAX: usize = 1_000;

#[derive(Debug)]
pub(super) struct Members<'de> {
    text: &'de str,
    /// Unescaped keys that differ from their text.
    unescaped: String,
    found: Vec<Member>,
}

/// Where the key and the value are.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// An offset into the text; beyond the text's length, into `unescaped`.
    key: u32,
    length: u32,
    value: u32,
}

impl<'de> Members<'de> {
    pub(super) fn new(text: &'de str) -> Self {
        Self { text, unescaped: String::new(), found: Vec::new() }
    }

    /// Adds the key at the cursor; its value comes next. The error is Spanish: the object has too
    /// many members.
    pub(super) fn push_key(&mut self, cursor: &mut Cursor<'de>) -> Result<(), Cow<'static, str>> {
        if self.found.len() == MAX {
            return Err(format!("un objeto tiene más de {MAX} claves").into());
        }
        let key = cursor.string().map_err(|Unpaired| SYNTAX)?;
        let value = cursor.position();
        let start = match &key {
            // The key ends with a quote.
            Cow::Borrowed(key) => value - key.len() - 1,
            Cow::Owned(key) => {
                self.unescaped.push_str(key);
                self.text.len() + self.unescaped.len() - key.len()
            }
        };
        let short = |number: usize| u32::try_from(number).map_err(|_| "el cuerpo es demasiado largo");
        self.found.push(Member { key: short(start)?, length: short(key.len())?, value: short(value)? });
        Ok(())
    }

    /// The bytes of the key. UTF-8 bytes sort like characters.
    fn bytes(&self, member: Member) -> &[u8] {
        let (start, length) = (member.key as usize, member.length as usize);
        match start.checked_sub(self.text.len()) {
            Some(start) => &self.unescaped.as_bytes()[start..start + length],
            None => &self.text.as_bytes()[start..start + length],
        }
    }

    fn sort(&mut self) {
        let mut members = std::mem::take(&mut self.found);
        members.sort_unstable_by(|a, b| self.bytes(*a).cmp(self.bytes(*b)));
        self.found = members;
    }

    /// Fails with a Spanish text if a key is repeated.
    pub(super) fn are_distinct(&mut self) -> Result<(), Cow<'static, str>> {
        self.sort();
        match self.found.windows(2).find(|pair| self.bytes(pair[0]) == self.bytes(pair[1])) {
            Some(pair) => {
                let key = String::from_utf8_lossy(self.bytes(pair[0]));
                Err(format!("la clave {} está repetida", brief(&key)).into())
            }
            None => Ok(()),
        }
    }

    /// Keys and values, sorted by key.
    pub(super) fn sorted(&mut self) -> impl Iterator<Item = (&[u8], Cursor<'de>)> {
        self.sort();
        let this = &*self;
        this.found.iter().map(move |member| (this.bytes(*member), Cursor::at(this.text, member.value as usize)))
    }
}

use std::fmt;

use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

use crate::domain::clock::{Random, random_bytes};
use crate::schema::field_schema;

/// The prefix of every secret.
const PREFIX: &str = "whsec_";

/// A webhook's signing secret: `whsec_` and 64 hexadecimal digits; the whole text is the key of the
/// HMAC (contract §4). Only the answer that creates it shows it; it is never formatted.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<String>);

impl SigningSecret {
    /// Generates a secret of 256 random bits.
    pub fn random(random: &dyn Random) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let bytes = Zeroizing::new(random_bytes::<32>(random));
        // Allocated at its final length, so that no shorter copy remains in memory.
        let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + 2 * bytes.len()));
        text.push_str(PREFIX);
        for byte in bytes.iter() {
            text.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
        }
        Self(text)
    }

    /// The secret's text, prefix included.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

field_schema!(SigningSecret, "SigningSecret", {
    "type": "string", "pattern": format!("^{PREFIX}[0-9a-f]{{64}}$"), "examples": [format!("{PREFIX}{}", "0123456789abcdef".repeat(4))]
});

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

/// For the answer that creates it.
impl Serialize for SigningSecret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    #[test]
    fn a_secret_has_its_form_and_is_not_formatted() {
        let (one, two) = (SigningSecret::random(&SystemRandom), SigningSecret::random(&SystemRandom));
        assert_ne!(one.as_bytes(), two.as_bytes());
        let text = std::str::from_utf8(one.as_bytes()).unwrap();
        let digits = text.strip_prefix("whsec_").unwrap();
        assert!(digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{text}");
        assert_eq!(format!("{one:?}"), "SigningSecret(..)");
        assert_eq!(serde_json::to_value(&one).unwrap(), text);
    }
}

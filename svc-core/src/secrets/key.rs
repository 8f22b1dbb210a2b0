//! The key that secrets are sealed under.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::KEY_ID;

/// A key that seals secrets (`SVC_SECRETS_KEY`): 256 bits, written as 64 hexadecimal digits.
#[derive(Clone)]
pub struct SecretsKey {
    bytes: Zeroizing<[u8; 32]>,
    id: [u8; KEY_ID],
}

impl SecretsKey {
    /// A key of these bytes, which must come from a cryptographic random source.
    pub fn new(bytes: [u8; 32]) -> Self {
        let bytes = Zeroizing::new(bytes);
        // A hash of 256 random bits reveals nothing about them, and this one has no other use.
        let digest = Sha256::new().chain_update(b"svc secrets key id\0").chain_update(*bytes).finalize();
        let mut id = [0; KEY_ID];
        id.copy_from_slice(&digest[..KEY_ID]);
        Self { bytes, id }
    }

    /// The key's id, which is stored in sealed values: the first bytes of a SHA-256 of the key. It
    /// is not secret.
    pub fn id(&self) -> [u8; KEY_ID] {
        self.id
    }

    /// The key as 64 hexadecimal digits.
    pub fn to_hex(&self) -> Zeroizing<String> {
        let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
        Zeroizing::new(self.bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

/// A text is not a [`SecretsKey`]. The error does not contain the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secrets key has 64 hexadecimal digits")]
pub struct NoSecretsKey;

impl FromStr for SecretsKey {
    type Err = NoSecretsKey;

    fn from_str(text: &str) -> Result<Self, NoSecretsKey> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(NoSecretsKey);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(NoSecretsKey);
        let mut key = Zeroizing::new([0; 32]);
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Self::new(*key))
    }
}

impl fmt::Debug for SecretsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretsKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Sealer;

    #[test]
    fn a_key_is_64_hexadecimal_digits_and_is_not_shown() {
        let text = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";
        let key: SecretsKey = text.parse().unwrap();
        assert_eq!(key.bytes[..4], [0x00, 0x11, 0x22, 0x33]);
        assert_eq!(key.bytes[28..], [0xcc, 0xdd, 0xee, 0xff]);
        assert_eq!(*key.to_hex(), text.to_lowercase());
        let sealer = Sealer::new(key.clone()).with_old([key.clone()]);
        assert_eq!(
            format!("{key:?} {sealer:?}"),
            "SecretsKey(..) Sealer { current: Some(SecretsKey(..)), old: [SecretsKey(..)] }"
        );
        for wrong in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"é".repeat(32), &"+1".repeat(32)] {
            assert_eq!(wrong.parse::<SecretsKey>().err(), Some(NoSecretsKey), "{wrong}");
        }
    }

    #[test]
    fn an_id_is_the_keys_own_and_stays_as_it_is() {
        // The beginning of `printf 'svc secrets key id\0' | cat - <(printf '\0%.0s' {1..32}) |
        // sha256sum`. It must not change, or values that were sealed earlier lose their key.
        assert_eq!(SecretsKey::new([0; 32]).id(), ID_OF_ZEROS);
        assert_ne!(SecretsKey::new([1; 32]).id(), ID_OF_ZEROS);
    }

    const ID_OF_ZEROS: [u8; KEY_ID] = [0x7a, 0x4d, 0x59, 0xb8, 0x0a, 0x34, 0xfe, 0x82];
}

use super::*;
use crate::domain::clock::SystemRandom;

const SECRET: &[u8] = b"whsec_hunter2";

const PLACE: Place<'_> = Place { company: CompanyId(7), column: "webhooks.secreto", record: "12" };

/// What stands before the secret: format, key id and nonce.
const HEAD: usize = 1 + KEY_ID + NONCE;

fn key(digit: char) -> SecretsKey {
    digit.to_string().repeat(64).parse().unwrap()
}

fn sealer(digit: char) -> Sealer {
    Sealer::new(key(digit))
}

/// As earlier versions sealed it: format 1.
fn sealed_before(digit: char) -> Vec<u8> {
    let nonce = [9; NONCE];
    let aad = PLACE.to_string();
    let payload = Payload { msg: SECRET, aad: aad.as_bytes() };
    let text = cipher(&key(digit)).encrypt(&XNonce::from(nonce), payload).unwrap();
    [&[XCHACHA20_POLY1305], &nonce[..], &text].concat()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn what_is_sealed_opens_again_and_does_not_show_the_secret() {
    let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
    assert_eq!((sealed[0], sealed.len()), (WITH_KEY_ID, HEAD + SECRET.len() + 16));
    assert!(sealed.starts_with(&sealer('a').current_prefix().unwrap()));
    assert!(!contains(&sealed, b"hunter2"));
    assert_eq!(*sealer('a').open(PLACE, &sealed).unwrap(), SECRET);
    assert_ne!(sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap(), sealed, "the nonce is another each time");
    let empty = sealer('a').seal(PLACE, b"", &SystemRandom).unwrap();
    assert!(sealer('a').open(PLACE, &empty).unwrap().is_empty());
}

#[test]
fn it_opens_under_its_key_only() {
    let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
    assert_eq!(sealer('b').open(PLACE, &sealed), Err(SecretsError::UnknownKey));
    assert_eq!(Sealer::default().open(PLACE, &sealed), Err(SecretsError::NoKey));
    assert_eq!(*sealer('b').with_old([key('c'), key('a')]).open(PLACE, &sealed).unwrap(), SECRET);
    // Another key's id in its place changes nothing.
    let mut claimed = sealed.clone();
    claimed[1..=KEY_ID].copy_from_slice(&key('b').id());
    assert_eq!(sealer('b').open(PLACE, &claimed), Err(SecretsError::Refused));
}

#[test]
fn what_earlier_versions_sealed_opens_under_any_key_that_is_set() {
    let sealed = sealed_before('a');
    assert_eq!(*sealer('a').open(PLACE, &sealed).unwrap(), SECRET);
    assert_eq!(*sealer('b').with_old([key('c'), key('a')]).open(PLACE, &sealed).unwrap(), SECRET);
    assert_eq!(sealer('b').open(PLACE, &sealed), Err(SecretsError::Refused));
    assert_eq!(Sealer::default().open(PLACE, &sealed), Err(SecretsError::NoKey));
}

#[test]
fn it_opens_at_its_place_only() {
    let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
    for elsewhere in [
        Place { company: CompanyId(8), ..PLACE },
        Place { column: "certificados.llave", ..PLACE },
        Place { record: "13", ..PLACE },
        Place { record: "12/", ..PLACE },
    ] {
        for sealed in [&sealed, &sealed_before('a')] {
            assert_eq!(sealer('a').open(elsewhere, sealed), Err(SecretsError::Refused), "{elsewhere}");
        }
    }
}

#[test]
fn a_damaged_value_is_refused() {
    let sealed = sealer('a').seal(PLACE, SECRET, &SystemRandom).unwrap();
    for at in 1..sealed.len() {
        let mut damaged = sealed.clone();
        damaged[at] ^= 1;
        let expected = if at <= KEY_ID { SecretsError::UnknownKey } else { SecretsError::Refused };
        assert_eq!(sealer('a').open(PLACE, &damaged), Err(expected), "byte {at}");
    }
    let cut = &sealed[..HEAD - 1];
    for unknown in [&[][..], &[3, 1, 2, 3], &[XCHACHA20_POLY1305, 0, 0], &[WITH_KEY_ID, 0, 0], cut] {
        assert_eq!(sealer('a').open(PLACE, unknown), Err(SecretsError::Unknown), "{unknown:?}");
    }
    assert_eq!(sealer('a').open(PLACE, &sealed[..HEAD]), Err(SecretsError::Refused));
}

#[test]
fn plain_text_opens_only_without_a_key() {
    let kept = Sealer::default().seal(PLACE, SECRET, &SystemRandom).unwrap();
    assert_eq!(kept, [&[PLAIN], SECRET].concat());
    assert_eq!(*Sealer::default().open(PLACE, &kept).unwrap(), SECRET);
    assert_eq!(sealer('a').open(PLACE, &kept), Err(SecretsError::Plain));
    assert_eq!(sealer('a').with_old([key('b')]).open(PLACE, &kept), Err(SecretsError::Plain));
}

#[test]
fn whatever_opens_is_sealed_anew_under_the_current_key() {
    let plain = [&[PLAIN], SECRET].concat();
    let under = |digit| sealer(digit).seal(PLACE, SECRET, &SystemRandom).unwrap();
    let new = sealer('b').with_old([key('a')]);
    let reseal = |sealer: &Sealer, sealed: &[u8], plain| sealer.reseal(PLACE, sealed, plain, &SystemRandom);
    for (sealed, accepted) in [
        (under('a'), PlainSecrets::Refused),
        (sealed_before('a'), PlainSecrets::Refused),
        (under('b'), PlainSecrets::Refused),
        (plain.clone(), PlainSecrets::Accepted),
    ] {
        let again = reseal(&new, &sealed, accepted).unwrap();
        assert_eq!(*sealer('b').open(PLACE, &again).unwrap(), SECRET, "without the old key");
        assert!(again != sealed && again.starts_with(&new.current_prefix().unwrap()));
    }
    assert_eq!(reseal(&new, &plain, PlainSecrets::Refused), Err(SecretsError::Plain));
    assert_eq!(reseal(&new, &under('c'), PlainSecrets::Accepted), Err(SecretsError::UnknownKey));
    assert_eq!(reseal(&Sealer::default(), &plain, PlainSecrets::Accepted), Err(SecretsError::NoKey));
}

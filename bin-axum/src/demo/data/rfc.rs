//! Tax identifiers (RFC) as the authority builds them: letters of the name, a date, two free characters, a check digit.

use chrono::{Datelike, NaiveDate};

use super::dice::Dice;
use super::names::Person;

/// The values of the check digit's alphabet are the positions in this string.
const ALPHABET: &str = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";
/// What the two free characters are taken from: no zero and no O, which are easily mistaken for each other.
const FREE: &[u8] = b"123456789ABCDEFGHIJKLMNPQRSTUVWXYZ";
/// Words of a name that are skipped; the letters come from the others.
const PARTICLES: &[&str] =
    &["DE", "DEL", "LA", "LAS", "LOS", "EL", "Y", "E", "EN", "PARA", "CON", "POR", "A", "SOCIEDAD", "COMPAÑÍA"];
/// Four letters that read as a rude word: the last one is replaced by an X.
const RUDE: &[&str] = &[
    "BUEI", "BUEY", "CACA", "CACO", "CAGA", "CAGO", "CAKA", "CAKO", "COGE", "COJA", "COJE", "COJI", "COJO", "CULO",
    "FETO", "GUEY", "JOTO", "KACA", "KACO", "KAGA", "KAGO", "KAKA", "KOGE", "KOJO", "KULO", "LOCA", "LOCO", "MAME",
    "MAMO", "MEAR", "MEAS", "MEON", "MION", "MOCO", "MULA", "PEDA", "PEDO", "PENE", "PUTA", "PUTO", "QULO", "RATA",
    "RUIN",
];

/// The RFC of a person born on that day.
pub(super) fn of_person(person: &Person, born: NaiveDate, dice: &mut Dice) -> String {
    let paternal = significant(person.paternal);
    let maternal = significant(person.maternal);
    let mut givens = weighty(&person.given);
    // José and María are so common that the second name counts when there is one.
    if givens.len() > 1 && matches!(givens[0].as_str(), "JOSÉ" | "MARÍA") {
        givens.remove(0);
    }
    let vowel = paternal.chars().skip(1).find(|letter| "AEIOU".contains(*letter)).unwrap_or('X');
    let mut letters: String = [
        paternal.chars().next().unwrap_or('X'),
        vowel,
        maternal.chars().next().unwrap_or('X'),
        givens.first().and_then(|given| given.chars().next()).map_or('X', plain),
    ]
    .iter()
    .collect();
    if RUDE.contains(&letters.as_str()) {
        letters.pop();
        letters.push('X');
    }
    complete(&letters, born, dice)
}

/// The RFC of a company of that name (without its legal form), founded on that day.
pub(super) fn of_company(name: &str, founded: NaiveDate, dice: &mut Dice) -> String {
    let words = weighty(name);
    let letters = |word: &String, count: usize| word.chars().take(count).map(plain).collect::<String>();
    let mut initials = match words.as_slice() {
        [] => String::new(),
        [one] => letters(one, 3),
        [one, two] => letters(one, 1) + &letters(two, 2),
        [one, two, three, ..] => letters(one, 1) + &letters(two, 1) + &letters(three, 1),
    };
    while initials.chars().count() < 3 {
        initials.push('X');
    }
    complete(&initials, founded, dice)
}

/// The last character of an RFC, of the eleven or twelve before it: a sum modulo 11 with the weights 13 to 2.
pub(super) fn check_digit(stem: &str) -> char {
    let padding = if stem.chars().count() < 12 { " " } else { "" };
    let value = |letter| ALPHABET.chars().position(|known| known == letter).unwrap_or(0);
    let sum: usize =
        padding.chars().chain(stem.chars()).zip((2..=13).rev()).map(|(letter, weight)| value(letter) * weight).sum();
    match 11 - sum % 11 {
        11 => '0',
        10 => 'A',
        digit => char::from(b'0' + digit as u8),
    }
}

/// Adds the date, two free characters and the check digit to the letters.
fn complete(letters: &str, date: NaiveDate, dice: &mut Dice) -> String {
    let (first, second) = (char::from(dice.pick(FREE)), char::from(dice.pick(FREE)));
    let year = date.year().rem_euclid(100);
    let stem = format!("{letters}{year:02}{:02}{:02}{first}{second}", date.month(), date.day());
    let digit = check_digit(&stem);
    stem + &digit.to_string()
}

/// The words of a name that count, upper-case and without punctuation; an ampersand between two words is one of them.
fn weighty(name: &str) -> Vec<String> {
    name.split_whitespace()
        .map(|word| {
            word.chars().filter(|letter| letter.is_alphabetic() || *letter == '&').collect::<String>().to_uppercase()
        })
        .filter(|word| !word.is_empty() && !PARTICLES.contains(&word.as_str()))
        .collect()
}

/// The letters of a surname's first word that counts: "De la Cruz" counts as "Cruz".
fn significant(surname: &str) -> String {
    weighty(surname).first().map(|word| word.chars().map(plain).collect()).unwrap_or_default()
}

/// An upper-case letter without its accent; Ñ is a letter of its own and stays.
fn plain(letter: char) -> char {
    match letter {
        'Á' => 'A',
        'É' => 'E',
        'Í' => 'I',
        'Ó' => 'O',
        'Ú' | 'Ü' => 'U',
        other => other,
    }
}

//! A logo and a font for tests, and the text of PDFs.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::logo::Logo;

/// A font with TrueType outlines that has 中 and 文.
pub(crate) const HAN: &[u8] = include_bytes!("testing/han.ttf");

pub(crate) fn logo() -> Logo {
    Logo::stored(include_bytes!("testing/logo.png").to_vec()).expect("a stored logo")
}

/// The words of a PDF as pdftotext reads them; `None` if the machine lacks it, which fails where
/// `CI` is set.
pub(crate) fn text_of(pdf: &[u8]) -> Option<String> {
    let mut reader = Command::new("pdftotext");
    reader.args(["-layout", "-enc", "UTF-8", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut process) = reader.spawn() else {
        assert!(std::env::var_os("CI").is_none(), "pdftotext is missing: sh .ci/xml installs it");
        return None;
    };
    process.stdin.take().expect("a pipe").write_all(pdf).expect("it is read");
    let output = process.wait_with_output().expect("an end");
    assert!(output.status.success(), "pdftotext failed");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

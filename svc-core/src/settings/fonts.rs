//! The fonts of printed documents.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::SettingError;
use crate::domain::paper::Fonts;

/// Fonts of printed documents. In a command line with subcommands they apply to all of them.
#[derive(Debug, Args)]
pub struct FontSettings {
    /// Font files (TrueType, OpenType or collections) for letters on printed documents that are
    /// neither Latin nor Greek nor Cyrillic, such as Chinese ones; several with commas between.
    #[arg(long, env = "SVC_FONTS", value_name = "FILE", value_delimiter = ',', global = true, value_parser = path())]
    fonts: Vec<PathBuf>,
}

/// Takes an empty value too, which a file of settings may have.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl FontSettings {
    /// Reads the files, for [`ContextBuilder::fonts`](crate::ContextBuilder::fonts); `None` if none
    /// is set. Fails if a file cannot be read or used.
    pub fn open(&self) -> Result<Option<Fonts>, SettingError> {
        let mut files = self.fonts.iter().filter(|file| !file.as_os_str().is_empty()).peekable();
        if files.peek().is_none() {
            return Ok(None);
        }
        let fonts = files.try_fold(Fonts::default(), |fonts, file| {
            let unusable = |why: String| SettingError(format!("SVC_FONTS: {}: {why}", file.display()));
            let bytes = std::fs::read(file).map_err(|error| unusable(error.to_string()))?;
            fonts.and_file(bytes).map_err(|fault| unusable(fault.to_string()))
        });
        fonts.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::domain::paper::testing::HAN;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        fonts: FontSettings,
    }

    fn open(value: &str) -> Result<Option<Fonts>, SettingError> {
        Flags::try_parse_from(["svc", "--fonts", value]).expect("flags").fonts.open()
    }

    #[test]
    fn files_become_fonts_or_an_error_that_names_them() {
        let folder = std::env::temp_dir().join(format!("svc-fonts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = |name: &str| folder.join(name).display().to_string();
        let (font, other) = (path("han.ttf"), path("otro.ttf"));
        std::fs::write(&font, HAN).expect("a file");
        std::fs::write(&other, "no es una fuente").expect("a file");
        assert!(open("").expect("none").is_none());
        let fonts = open(&format!("{font},{font}")).expect("fonts").expect("some");
        assert_eq!(format!("{fonts:?}"), "Fonts { added: 2 }");
        for (value, said) in [(format!("{font},{other}"), &other), (path("nada.ttf"), &path("nada.ttf"))] {
            let error = open(&value).expect_err("an error").to_string();
            assert!(error.starts_with(&format!("SVC_FONTS: {said}: ")), "{error}");
        }
        std::fs::remove_dir_all(&folder).expect("an end");
    }
}

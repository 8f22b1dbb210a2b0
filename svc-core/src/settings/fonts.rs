//! The fonts of printed documents.

use std::path::PathBuf;

use clap::Args;

use super::SettingError;
use crate::domain::paper::Fonts;

/// Fonts of printed documents. In a command line with subcommands they apply to all of them.
#[derive(Debug, Args)]
pub struct FontSettings {
    /// Font files (TrueType, OpenType or collections) for letters on printed documents that are
    /// neither Latin nor Greek nor Cyrillic, such as Chinese ones; several with commas between.
    #[arg(long, env = "SVC_FONTS", value_name = "FILE", value_delimiter = ',', global = true)]
    fonts: Vec<PathBuf>,
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

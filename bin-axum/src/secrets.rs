//! The key that seals secrets: the setting's, or the one that the demo generated for its private
//! PostgreSQL.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use svc_core::domain::clock::{SystemRandom, random_bytes};
use svc_core::secrets::{Sealer, SecretsKey};
use svc_core::settings::SecretsSettings;

use crate::cli::DatabaseArgs;
use crate::failure::Failure;

const FILE: &str = "secrets.key";

/// The sealer of a command. A private PostgreSQL with a demo's key uses that key: alone if no other
/// is set, or else only to open what it sealed.
pub(crate) fn sealer(settings: &SecretsSettings, database: &DatabaseArgs) -> Result<Sealer, Failure> {
    let sealer = settings.sealer()?;
    match database.url() {
        Some(_) => Ok(sealer),
        None => Ok(with_kept(sealer, read(&file(&database.data_dir))?)),
    }
}

/// The sealer of the demo: without a configured key it generates one and keeps it in the data
/// directory, readable by its owner only.
pub(crate) fn demo_sealer(sealer: Sealer, data_dir: &Path) -> Result<Sealer, Failure> {
    if sealer.has_key() {
        return Ok(sealer);
    }
    let file = file(data_dir);
    let key = match read(&file)? {
        Some(key) => key,
        None => make(&file)?,
    };
    Ok(with_kept(sealer, Some(key)))
}

fn with_kept(sealer: Sealer, kept: Option<SecretsKey>) -> Sealer {
    if sealer.has_key() { sealer.with_old(kept) } else { Sealer::new(kept) }
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// Reads the key in that file; `None` without the file.
fn read(file: &Path) -> Result<Option<SecretsKey>, Failure> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(Failure::io(format!("cannot read {}", file.display())))?,
    };
    let wrong = |error| Failure::Other(format!("{}: {error}", file.display()));
    text.trim().parse().map(Some).map_err(wrong)
}

/// Generates a key in a new file.
fn make(file: &Path) -> Result<SecretsKey, Failure> {
    let failed = || Failure::io(format!("cannot write {}", file.display()));
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir).map_err(failed())?;
    }
    let key = SecretsKey::new(random_bytes(&SystemRandom));
    let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed())?;
    written.write_all(key.to_hex().as_bytes()).and_then(|()| written.sync_all()).map_err(failed())?;
    Ok(key)
}

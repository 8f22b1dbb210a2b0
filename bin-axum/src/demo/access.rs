//! The demo's key, which stays in the data directory between runs.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::sample_sale::SampleSale;
use crate::failure::Failure;

const FILE: &str = "demo.json";

/// Access to the demo company. The database never holds the secret.
#[derive(Serialize, Deserialize)]
pub(crate) struct Access {
    pub(crate) key_id: String,
    pub(crate) api_key: String,
    /// The address where it was last served.
    pub(crate) base_url: Option<String>,
    /// The records that the last printed requests name; a company of an early version has none.
    #[serde(rename = "deal")]
    pub(super) sale: Option<SampleSale>,
}

impl Access {
    /// Reads the access that a demo saved in that data directory; `None` if there is none.
    pub(crate) fn read(data_dir: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(file(data_dir)).ok()?).ok()
    }

    /// Saves it in that data directory, readable by its owner only.
    pub(super) fn write(&self, data_dir: &Path) -> Result<(), Failure> {
        let file = file(data_dir);
        let failed = || Failure::io(format!("cannot write {}", file.display()));
        if let Some(dir) = file.parent() {
            std::fs::create_dir_all(dir).map_err(failed())?;
        }
        let text = serde_json::to_vec(self).map_err(|error| Failure::Other(error.to_string()))?;
        let mut options = std::fs::OpenOptions::new();
        let mut opened = options.write(true).create(true).truncate(true).mode(0o600).open(&file).map_err(failed())?;
        opened.write_all(&text).map_err(failed())
    }
}

fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

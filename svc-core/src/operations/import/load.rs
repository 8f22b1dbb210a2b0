//! Reading the lines and writing their records in batches.

use std::collections::HashSet;
use std::{io, thread};

use tokio::sync::mpsc;

use super::{Import, ImportError, Rules, require_exact_integers};
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::json::Json;
use crate::store::{Conflict, StoreError, Tx};

/// Records that go to the database in one statement.
const BATCH: usize = 1_000;

/// Batches that are read ahead of the one that is being written.
const AHEAD: usize = 2;

/// Records and the numbers of their lines; none at the end of the input.
type Batch<R> = Result<(Vec<u64>, Vec<R>), ImportError>;

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> Import<'_, L> {
    pub(super) async fn load<R: Rules>(&mut self, tx: &mut dyn Tx) -> Result<u64, ImportError> {
        let mut count = 0;
        let mut named = Vec::new();
        tx.defer_parents().await?;
        let lines = self.lines.take().ok_or_else(|| Error::internal("the lines have been read"))?;
        let mut batches = lines.read_ahead::<R>();
        loop {
            let batch = batches.recv().await;
            let (numbers, mut rows) = batch.ok_or_else(|| Error::internal("the lines could not be read"))??;
            if rows.is_empty() {
                refuse_orphans::<R>(tx, &named).await?;
                return Ok(count);
            }
            named.extend(numbers.iter().zip(&rows).filter_map(|(line, row)| Some((*line, row.parent()?))));
            tx.savepoint().await?;
            match insert(tx, &mut rows, self.now).await {
                Ok(()) => tx.release_savepoint().await?,
                Err(StoreError::Conflict(conflict)) => {
                    return Err(blame(tx, &numbers, &mut rows, self.now, conflict).await?);
                }
                Err(other) => return Err(other.into()),
            }
            count += rows.len() as u64;
            (self.progress)(count);
        }
    }
}

/// Writes records: all of them, or none.
async fn insert<R: Rules>(tx: &mut dyn Tx, rows: &mut [R], now: Timestamp) -> Result<(), StoreError> {
    R::look_up(rows, tx).await?;
    let given: Vec<Option<i64>> = rows.iter_mut().map(|row| *row.clave()).collect();
    let claves = tx.claves(R::TABLE, &given).await?;
    for (row, clave) in rows.iter_mut().zip(claves) {
        *row.clave() = Some(clave);
        row.normalize(clave, now).map_err(|fault| Conflict::Value(fault.field().to_owned()))?;
    }
    let mut values = Vec::with_capacity(rows.len() * R::COLUMNS.len());
    for row in rows.iter() {
        row.values(&mut values);
    }
    tx.insert_records(R::TABLE, R::COLUMNS, &values).await?;
    R::follow_up(rows, tx).await
}

/// Refuses the first line that names a parent which is neither in the company nor in the file.
async fn refuse_orphans<R: Rules>(tx: &mut dyn Tx, named: &[(u64, i64)]) -> Result<(), ImportError> {
    let Some((field, parents)) = R::PARENT else { return Ok(()) };
    let mut claves: Vec<i64> = named.iter().map(|(_, clave)| *clave).collect();
    claves.sort_unstable();
    claves.dedup();
    let missing: HashSet<i64> = tx.missing(parents, &claves).await?.into_iter().collect();
    match named.iter().find(|(_, clave)| missing.contains(clave)) {
        Some((line, _)) => {
            Err(ImportError::Line { line: *line, text: format!("{field}: no existe en la empresa ni en el archivo") })
        }
        None => Ok(()),
    }
}

/// Finds the first row at fault in a batch that was refused as a whole: the end of its shortest prefix that is refused too.
async fn blame<R: Rules>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &mut [R],
    now: Timestamp,
    mut conflict: Conflict,
) -> Result<ImportError, ImportError> {
    let (mut good, mut bad) = (0, rows.len());
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        tx.back_to_savepoint().await?;
        match insert(tx, &mut rows[..middle], now).await {
            Ok(()) => good = middle,
            Err(StoreError::Conflict(found)) => (bad, conflict) = (middle, found),
            Err(other) => return Err(other.into()),
        }
    }
    let text = match &conflict {
        Conflict::Reference(_) => "no existe en la empresa",
        Conflict::Value(_) => "no es válido",
        Conflict::Rfc | Conflict::Sku | Conflict::Clave | Conflict::Name | Conflict::Taken(_) => {
            "ya existe en la empresa o en el archivo"
        }
    };
    Ok(ImportError::Line { line: numbers[bad - 1], text: format!("{}: {text}", conflict.field()) })
}

/// The input, line by line.
pub(super) struct Lines<L> {
    lines: L,
    /// The number of the last line read, from 1.
    line: u64,
}

impl<L: Iterator<Item = io::Result<Vec<u8>>>> Lines<L> {
    pub(super) fn new(lines: L) -> Self {
        Self { lines, line: 0 }
    }

    /// Reads and checks the records beside the writing of others. It is a thread of its own because the input may not come to an
    /// end: nobody waits for it.
    fn read_ahead<R: Rules + 'static>(mut self) -> mpsc::Receiver<Batch<R>>
    where
        L: Send + 'static,
    {
        let (batches, received) = mpsc::channel(AHEAD);
        thread::spawn(move || {
            loop {
                let batch = self.batch::<R>();
                let is_last = batch.as_ref().map_or(true, |(_, rows)| rows.is_empty());
                // Nobody receives it once the import has failed.
                if batches.blocking_send(batch).is_err() || is_last {
                    return;
                }
            }
        });
        received
    }

    /// The next records, with the numbers of their lines.
    fn batch<R: Rules>(&mut self) -> Batch<R> {
        let (mut numbers, mut rows) = (Vec::new(), Vec::new());
        while rows.len() < BATCH
            && let Some(bytes) = self.lines.next()
        {
            self.line += 1;
            let line = self.line;
            let bytes = bytes.map_err(|source| ImportError::Read { line, source })?;
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let wrong = |text: String| ImportError::Line { line, text };
            let json = Json::parse(bytes.into()).map_err(|text| wrong(text.into_owned()))?;
            let record: R = json.read().map_err(|fault| wrong(fault.to_string()))?;
            require_exact_integers(&record).and_then(|()| record.check()).map_err(|fault| wrong(fault.to_string()))?;
            numbers.push(line);
            rows.push(record);
        }
        Ok((numbers, rows))
    }
}

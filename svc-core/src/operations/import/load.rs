//! Reads the lines and writes their records in batches.

use std::collections::HashSet;
use std::{io, thread};

use async_trait::async_trait;
use tokio::sync::mpsc;

use super::{ImportError, ImportRun, Rules, require_exact_integers};
use crate::domain::time::Timestamp;
use crate::error::Error;
use crate::json::Json;
use crate::store::{BatchError, Conflict, ImportBatch, StoreError, Tx};

/// How many records one statement writes.
const BATCH: usize = 1_000;

/// How many batches are read ahead while another is written.
const AHEAD: usize = 2;

/// Records with the numbers of their lines; empty at the end of the input.
type ReadBatch<R> = Result<(Vec<u64>, Vec<R>), ImportError>;

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> ImportRun<'_, L> {
    pub(super) async fn load<R: Rules>(&mut self, tx: &mut dyn Tx) -> Result<u64, ImportError> {
        let mut count = 0;
        let mut late = Vec::new();
        let lines = self.lines.take().ok_or_else(|| Error::internal("the lines were read before"))?;
        let mut batches = lines.read_ahead::<R>();
        loop {
            let batch = batches.recv().await;
            let (numbers, mut rows) = batch.ok_or_else(|| Error::internal("the lines could not be read"))??;
            if rows.is_empty() {
                set_late_parents::<R>(tx, &late).await?;
                return Ok(count);
            }
            let mut batch = Records { numbers: &numbers, rows: &mut rows, now: self.now, late: Vec::new() };
            match tx.write_batch(&mut batch).await {
                Ok(()) => late.append(&mut batch.late),
                Err(BatchError::Record { at, conflict }) => return Err(refused(numbers[at], &conflict)),
                Err(BatchError::Failed(error)) => return Err(error.into()),
            }
            count += rows.len() as u64;
            (self.progress)(count);
        }
    }
}

/// A batch of records, with the numbers of their lines.
struct Records<'a, R> {
    numbers: &'a [u64],
    rows: &'a mut [R],
    now: Timestamp,
    late: Vec<LateParent>,
}

#[async_trait]
impl<R: Rules> ImportBatch for Records<'_, R> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    async fn write(&mut self, tx: &mut dyn Tx, count: usize) -> Result<(), StoreError> {
        self.late = insert(tx, &self.numbers[..count], &mut self.rows[..count], self.now).await?;
        Ok(())
    }
}

/// A record that was written without its parent, which had not come yet.
struct LateParent {
    line: u64,
    clave: i64,
    parent: i64,
}

/// Writes records. Returns those written without their parent, which may come later.
async fn insert<R: Rules>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &mut [R],
    now: Timestamp,
) -> Result<Vec<LateParent>, StoreError> {
    R::look_up(rows, tx, now).await?;
    let given: Vec<Option<i64>> = rows.iter_mut().map(|row| *row.clave()).collect();
    let claves = tx.assign_claves(&R::SPEC, &given).await?;
    let late = take_late_parents(tx, numbers, rows, &claves).await?;
    for (row, clave) in rows.iter_mut().zip(claves) {
        *row.clave() = Some(clave);
        row.normalize(clave, now).map_err(|fault| Conflict::Value(fault.field().to_owned()))?;
    }
    let mut values = Vec::with_capacity(rows.len() * R::SPEC.columns.len());
    for row in rows.iter() {
        row.values(&mut values);
    }
    tx.insert_records(&R::SPEC, &values).await?;
    R::follow_up(rows, tx, now).await?;
    Ok(late)
}

/// Clears the parents that exist neither in the company nor in this batch. `claves` belong to
/// `rows`.
async fn take_late_parents<R: Rules>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &mut [R],
    claves: &[i64],
) -> Result<Vec<LateParent>, StoreError> {
    let Some((_, parents)) = R::PARENT else { return Ok(Vec::new()) };
    let own: HashSet<i64> = claves.iter().copied().collect();
    let elsewhere: HashSet<i64> = rows.iter().filter_map(R::parent).filter(|parent| !own.contains(parent)).collect();
    if elsewhere.is_empty() {
        return Ok(Vec::new());
    }
    let missing: HashSet<i64> = tx.missing_parents(parents, &Vec::from_iter(elsewhere)).await?.into_iter().collect();
    let mut late = Vec::new();
    for ((row, clave), line) in rows.iter_mut().zip(claves).zip(numbers) {
        if let Some(parent) = row.parent().filter(|parent| missing.contains(parent)) {
            row.clear_parent();
            late.push(LateParent { line: *line, clave: *clave, parent });
        }
    }
    Ok(late)
}

/// Sets the parents that came after their children. Refuses the first line whose parent never came.
async fn set_late_parents<R: Rules>(tx: &mut dyn Tx, late: &[LateParent]) -> Result<(), ImportError> {
    let Some((field, parents)) = R::PARENT.filter(|_| !late.is_empty()) else { return Ok(()) };
    let named: HashSet<i64> = late.iter().map(|late| late.parent).collect();
    let missing: HashSet<i64> = tx.missing_parents(parents, &Vec::from_iter(named)).await?.into_iter().collect();
    if let Some(orphan) = late.iter().find(|late| missing.contains(&late.parent)) {
        let text = format!("{field}: no existe en la empresa ni en el archivo");
        return Err(ImportError::Line { line: orphan.line, text });
    }
    let children: Vec<_> = late.iter().map(|late| (late.clave, late.parent)).collect();
    Ok(tx.set_parents(parents, &children).await?)
}

/// The error of a line, from the conflict in the database.
fn refused(line: u64, conflict: &Conflict) -> ImportError {
    let text = match conflict {
        Conflict::Reference(_) => "no existe en la empresa",
        Conflict::Value(_) => "no es válido",
        Conflict::Rfc | Conflict::Sku | Conflict::Uuid | Conflict::Clave | Conflict::Name | Conflict::Taken(_) => {
            "ya existe en la empresa o en el archivo"
        }
    };
    ImportError::Line { line, text: format!("{}: {text}", conflict.field()) }
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

    /// Reads and validates records while others are written. It has its own thread, because the
    /// input may never end and nobody waits for it.
    fn read_ahead<R: Rules + 'static>(mut self) -> mpsc::Receiver<ReadBatch<R>>
    where
        L: Send + 'static,
    {
        let (batches, received) = mpsc::channel(AHEAD);
        thread::spawn(move || {
            loop {
                let batch = self.batch::<R>();
                let is_last = batch.as_ref().map_or(true, |(_, rows)| rows.is_empty());
                // The receiver is gone if the import has failed.
                if batches.blocking_send(batch).is_err() || is_last {
                    return;
                }
            }
        });
        received
    }

    /// The next records, with the numbers of their lines.
    fn batch<R: Rules>(&mut self) -> ReadBatch<R> {
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

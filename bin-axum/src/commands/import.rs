use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use svc_core::Context;
use svc_core::domain::company::CompanyId;
use svc_core::operations::import::{Existing, Resource};

use crate::failure::Failure;
use crate::output::print;
use crate::progress::Progress;

/// The longest accepted line, in bytes, so that a file without line breaks does not fill the
/// memory.
const MAX_LINE: u64 = 1_048_576;

pub(super) async fn run(
    context: &Context,
    company: CompanyId,
    resource: &str,
    existing: Existing,
    file: &Path,
) -> Result<(), Failure> {
    let resource = named(resource)?;
    let (input, length): (Box<dyn Read + Send>, _) = if file == Path::new("-") {
        (Box::new(io::stdin()), None)
    } else {
        let file = File::open(file).map_err(Failure::io(format!("cannot read {}", file.display())))?;
        // A pipe has no length.
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
        (Box::new(file), length)
    };
    let bar = Progress::new("records", length);
    let lines = Lines(BufReader::new(bar.of_reader(input)));
    let outcome = context.import(company, resource, existing, lines, &mut |count| bar.tell(count)).await;
    bar.end();
    print(&outcome?)
}

/// The resource of that name, or an error that lists all names.
pub(super) fn named(resource: &str) -> Result<Resource, Failure> {
    let names = || Resource::ALL.iter().map(|resource| resource.name()).collect::<Vec<_>>().join(", ");
    let unknown = || Failure::Other(format!("{resource:?} cannot be imported or exported; there are: {}", names()));
    Resource::parse(resource).ok_or_else(unknown)
}

/// The lines of an input, each of bounded length.
struct Lines<R>(BufReader<R>);

impl<R: Read> Iterator for Lines<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        match (&mut self.0).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(read) if read as u64 == MAX_LINE && line.last() != Some(&b'\n') => {
                Some(Err(io::Error::new(io::ErrorKind::InvalidData, "the line is longer than 1 MiB")))
            }
            Ok(_) => Some(Ok(line)),
            Err(error) => Some(Err(error)),
        }
    }
}

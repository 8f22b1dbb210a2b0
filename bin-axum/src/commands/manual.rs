//! What the command line says of itself: completions of shells, and pages of the manual.

use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::{Cli, Command};
use crate::failure::Failure;
use crate::output::write;

/// Runs a command that only describes the binary `name`; `None` if it is another.
pub(crate) fn described(name: &'static str, command: &Command) -> Option<Result<(), Failure>> {
    match command {
        Command::Completions { shell } => Some(completions(name, *shell)),
        Command::Man { dir: None } => Some(manual(name)),
        Command::Man { dir: Some(dir) } => Some(manuals(name, dir)),
        _ => None,
    }
}

fn completions(name: &'static str, shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command_of(name), name, &mut script);
    write(&script)
}

fn manual(name: &'static str) -> Result<(), Failure> {
    let mut page = Vec::new();
    Man::new(Cli::command_of(name)).render(&mut page).map_err(Failure::io("the manual page was not made"))?;
    write(&page)
}

fn manuals(name: &'static str, dir: &Path) -> Result<(), Failure> {
    let failed = Failure::io(format!("cannot write to {}", dir.display()));
    std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Cli::command_of(name), dir)).map_err(failed)
}

//! The file for the samples of a run.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The folder for the samples of runs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SamplesFolder<'a> {
    /// Of a study, where a run has a name of its own. A file of that name is from the same run, which was interrupted.
    Study(&'a Path),
    /// Of runs that were started by hand, which all have the same name. What is there is kept.
    Direct(&'a Path),
}

impl SamplesFolder<'_> {
    /// Creates the file of a run. Nothing that is there is written to: in a folder from somebody else, it may be a link to
    /// a file elsewhere.
    pub(super) fn create(self, run: &str) -> (PathBuf, io::Result<File>) {
        match self {
            Self::Study(folder) => {
                let path = folder.join(format!("{run}.csv.gz"));
                let file = match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => File::create_new(&path),
                };
                (path, file)
            }
            Self::Direct(folder) => {
                let first = std::iter::once(folder.join(format!("{run}.csv.gz")));
                let mut paths = first.chain((2_u64..).map(|number| folder.join(format!("{run}-{number}.csv.gz"))));
                loop {
                    let path = paths.next().expect("there are more numbers than files");
                    match File::create_new(&path) {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        file => return (path, file),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_started_by_hand_keeps_the_files_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let made = |of: SamplesFolder<'_>| {
            let (path, file) = of.create("run");
            file.unwrap();
            path.file_name().unwrap().to_str().unwrap().to_owned()
        };
        let direct = SamplesFolder::Direct(folder.path());
        assert_eq!([direct, direct, direct].map(made), ["run.csv.gz", "run-2.csv.gz", "run-3.csv.gz"]);
        assert_eq!(made(SamplesFolder::Study(folder.path())), "run.csv.gz");
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (other, link) = (folder.path().join("other"), folder.path().join("run.csv.gz"));
        for of in [SamplesFolder::Direct, SamplesFolder::Study] {
            std::os::unix::fs::symlink(&other, &link).unwrap();
            of(folder.path()).create("run").1.unwrap();
            assert!(!other.exists());
            fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn where_no_file_can_be_created_it_says_why() {
        let (path, file) = SamplesFolder::Direct(Path::new("/nowhere")).create("run");
        assert_eq!((path.to_str(), file.unwrap_err().kind()), (Some("/nowhere/run.csv.gz"), io::ErrorKind::NotFound));
    }
}

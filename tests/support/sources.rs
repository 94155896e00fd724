use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Every file below `folder`, sorted.
pub fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => files.extend(sources(&path)?),
            false => files.push(path),
        }
    }
    files.sort();
    Ok(files)
}

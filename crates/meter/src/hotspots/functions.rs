//! Names of functions, from the symbols of an ELF file.

use std::path::Path;

use object::read::{ReadCache, ReadRef};
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

/// Longer names are cut after so many characters.
const MOST: usize = 200;

/// The names of the functions at these bytes from the file's begin, in the same order; none where no symbol covers it.
///
/// Programs without symbols still have those of their dynamic libraries' interfaces.
pub(super) fn functions(path: &Path, places: &[u64]) -> Vec<Option<String>> {
    let none = || vec![None; places.len()];
    let Ok(file) = super::open(path) else { return none() };
    let cache = ReadCache::new(file);
    object::File::parse(&cache).map_or_else(|_| none(), |file| named(&file, places))
}

fn named<'a>(file: &object::File<'a, impl ReadRef<'a>>, places: &[u64]) -> Vec<Option<String>> {
    let symbols = || file.symbols().chain(file.dynamic_symbols());
    let functions = symbols().enumerate().filter(|(_, symbol)| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let mut spans: Vec<(u64, u64, usize)> =
        functions.map(|(number, symbol)| (symbol.address(), symbol.size(), number)).collect();
    spans.sort_unstable();
    let number = |place: &u64| {
        let address = address(file, *place)?;
        let before = spans.partition_point(|&(start, ..)| start <= address);
        let &(start, size, number) = spans[..before].last()?;
        (address - start < size).then_some(number)
    };
    let numbers: Vec<Option<usize>> = places.iter().map(number).collect();
    let mut names = vec![None; places.len()];
    // Once through the symbols: reading all names would take long.
    for (number, symbol) in symbols().enumerate() {
        let wanted: Vec<usize> = (0..places.len()).filter(|&at| numbers[at] == Some(number)).collect();
        let name = if wanted.is_empty() { None } else { symbol.name().ok() };
        for at in wanted {
            names[at] = name.map(|name| readable(name).chars().take(MOST).collect());
        }
    }
    names
}

/// The name as the source has it: compilers of Rust and C++ write it with its types.
fn readable(name: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        // Without the hash of the compilation.
        return format!("{name:#}");
    }
    cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle().ok()).unwrap_or_else(|| name.to_owned())
}

/// The address of a byte of the file, as its symbols count them.
fn address<'a>(file: &object::File<'a, impl ReadRef<'a>>, place: u64) -> Option<u64> {
    file.segments().find_map(|segment| {
        let (begin, size) = segment.file_range();
        (begin..begin + size).contains(&place).then(|| segment.address() + (place - begin))
    })
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_place_in_this_program_has_the_name_of_its_function() {
        let path = std::env::current_exe().unwrap();
        let cache = ReadCache::new(File::open(&path).unwrap());
        let file = object::File::parse(&cache).unwrap();
        let here = file.symbols().find(|symbol| symbol.name().is_ok_and(|name| name.contains("a_place_in_this")));
        let (start, name) = here.map(|symbol| (symbol.address(), symbol.name().unwrap().to_owned())).unwrap();
        let segment = file.segments().find(|one| (one.address()..one.address() + one.size()).contains(&start)).unwrap();
        let place = start - segment.address() + segment.file_range().0;
        assert_eq!(functions(&path, &[place + 1, 0, u64::MAX]), [Some(readable(&name)), None, None]);
    }

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(readable("_ZN6glyphs4draw17hfd572dd21c8ad845E"), "glyphs::draw");
        assert_eq!(
            readable("_ZNSt6vectorIiSaIiEE9push_backEOi"),
            "std::vector<int, std::allocator<int> >::push_back(int&&)"
        );
        assert_eq!(readable("runtime.(*mspan).init"), "runtime.(*mspan).init");
    }

    #[test]
    fn a_pipe_that_has_a_programs_name_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("program");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(functions(&pipe, &[1]), [None]);
    }

    #[test]
    fn what_is_no_program_has_no_names() {
        assert_eq!(functions(Path::new("/nowhere"), &[1]), [None]);
        assert_eq!(functions(Path::new("/etc/passwd"), &[1, 2]), [None, None]);
    }
}

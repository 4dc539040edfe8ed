//! Where a Go program keeps its goroutines, and what its functions are called: from its symbols and debug information.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;
use gimli::{DebuggingInformationEntry, Dwarf, DwarfSections, EndianSlice, EntriesTreeNode, LittleEndian, SectionId};
use object::read::{CompressionFormat, ReadCache, ReadRef};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};

/// Larger debug information is not read: it would take long.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes of a goroutine's structure that are read, at most.
const MOST_SPAN: u64 = 1 << 12;
/// Names of reasons for which a goroutine waits.
const MOST_REASONS: usize = 256;
const LONGEST_REASON: u64 = 100;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// Where things are in a Go program's memory. Addresses are those of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The slice of all goroutines.
    pub(super) all: u64,
    /// How many of them may run at the same time (`GOMAXPROCS`).
    pub(super) processors: u64,
    pub(super) fields: Fields,
    /// Why a goroutine waits, by number.
    pub(super) reasons: Vec<String>,
    /// Begin, size and name of every function, by address.
    pub(super) functions: Vec<(u64, u64, String)>,
    /// The lowest address of a file that may be loaded anywhere; none of one that is loaded where its addresses say.
    pub(super) moves_from: Option<u64>,
}

/// Bytes from the begin of a goroutine's structure (`runtime.g`) to its fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) number: u64,
    pub(super) status: u64,
    pub(super) reason: u64,
    /// The address of the function with which it began.
    pub(super) start: u64,
    /// The frame pointer while it does not run.
    pub(super) frame: u64,
}

impl Fields {
    /// Bytes that hold all fields.
    pub(super) fn span(self) -> usize {
        let ends = [self.number, self.status, self.reason, self.start, self.frame].map(|field| field + 8);
        usize::try_from(ends.into_iter().max().unwrap_or(0)).unwrap_or(0)
    }

    fn usable(self) -> bool {
        self.span() as u64 <= MOST_SPAN
    }
}

impl Layout {
    /// The layout of a program; none of one that is not Go's, or has no symbols or debug information.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = object::File::parse(&cache).ok()?;
        if !file.is_little_endian() || !file.is_64() {
            return None;
        }
        let data = |name: &str| {
            let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name))?;
            Some((symbol.address(), symbol.size()))
        };
        // Every Go program has this section, and looking for it is quick.
        file.section_by_name(".go.buildinfo")?;
        let ((all, _), (processors, _)) = (data("runtime.allgs")?, data("runtime.gomaxprocs")?);
        let moves = file.kind() == object::ObjectKind::Dynamic;
        Some(Self {
            all,
            processors,
            fields: fields(&file)?,
            reasons: data("runtime.waitReasonStrings").map_or_else(Vec::new, |place| reasons(&file, place)),
            functions: functions(&file),
            moves_from: moves.then(|| file.segments().map(|segment| segment.address()).min()).flatten(),
        })
    }

    /// The function at an address of the file.
    pub(super) fn function(&self, address: u64) -> Option<&str> {
        let before = self.functions.partition_point(|(start, ..)| *start <= address);
        let (start, size, name) = self.functions[..before].last()?;
        (address - start < *size).then_some(name)
    }
}

fn functions<'a>(file: &object::File<'a, impl ReadRef<'a>>) -> Vec<(u64, u64, String)> {
    let code = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let named = code.filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())));
    let mut functions: Vec<_> = named.collect();
    functions.sort_unstable();
    functions
}

/// Reads an array of strings: the address and the length of each.
fn reasons<'a>(file: &object::File<'a, impl ReadRef<'a>>, (at, size): (u64, u64)) -> Vec<String> {
    let bytes = |address: u64, size: u64| {
        file.segments().find_map(|segment| segment.data_range(address, size).ok().flatten()).map(<[u8]>::to_vec)
    };
    let number = |at: &[u8]| u64::from_le_bytes(at.try_into().unwrap_or_default());
    let headers = bytes(at, size.min(16 * MOST_REASONS as u64)).unwrap_or_default();
    let text = |header: &[u8]| {
        let (at, length) = (number(&header[..8]), number(&header[8..]).min(LONGEST_REASON));
        String::from_utf8_lossy(&bytes(at, length).unwrap_or_default()).into_owned()
    };
    headers.chunks_exact(16).map(text).collect()
}

/// Reads from the debug information where the fields are.
fn fields<'a>(file: &object::File<'a, impl ReadRef<'a>>) -> Option<Fields> {
    let mut left = MOST_BYTES;
    let sections = DwarfSections::load(|id| section(file, id, &mut left).ok_or(gimli::Error::MissingUnitDie)).ok()?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
    let (mut goroutine, mut registers) = (None, None);
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let abbreviations = dwarf.abbreviations(&header).ok()?;
        let mut tree = header.entries_tree(&abbreviations, None).ok()?;
        let mut entries = tree.root().ok()?.children();
        while let Ok(Some(node)) = entries.next() {
            let entry = node.entry();
            if entry.tag() != gimli::DW_TAG_structure_type {
                continue;
            }
            match name(&dwarf, entry) {
                Some(b"runtime.g") => goroutine = Some(members(&dwarf, node)),
                Some(b"runtime.gobuf") => registers = Some(members(&dwarf, node)),
                _ => continue,
            }
            if let (Some(goroutine), Some(registers)) = (&goroutine, &registers) {
                return found(goroutine, registers);
            }
        }
    }
    None
}

type Members = Vec<(Vec<u8>, u64)>;

fn found(goroutine: &Members, registers: &Members) -> Option<Fields> {
    let of = |members: &Members, wanted: &[u8]| members.iter().find(|(name, _)| name == wanted).map(|(_, at)| *at);
    let fields = Fields {
        number: of(goroutine, b"goid")?,
        status: of(goroutine, b"atomicstatus")?,
        reason: of(goroutine, b"waitreason")?,
        start: of(goroutine, b"startpc")?,
        frame: of(goroutine, b"sched")?.checked_add(of(registers, b"bp")?)?,
    };
    let ends = [fields.number, fields.status, fields.reason, fields.start, fields.frame];
    (ends.iter().all(|end| *end < MOST_SPAN) && fields.usable()).then_some(fields)
}

/// Names of a structure's members, and where they are in it.
fn members<'a>(dwarf: &Dwarf<Slice<'a>>, node: EntriesTreeNode<'_, '_, Slice<'a>>) -> Members {
    let mut members = Vec::new();
    let mut children = node.children();
    while let Ok(Some(child)) = children.next() {
        let entry = child.entry();
        let place = entry.attr_value(gimli::DW_AT_data_member_location).and_then(|value| value.udata_value());
        if let (Some(name), Some(place)) = (name(dwarf, entry), place) {
            members.push((name.to_vec(), place));
        }
    }
    members
}

fn name<'a>(dwarf: &Dwarf<Slice<'a>>, entry: &Entry<'a>) -> Option<&'a [u8]> {
    Some(entry.attr_value(gimli::DW_AT_name)?.string_value(&dwarf.debug_str)?.slice())
}

/// The bytes of a section, which may be compressed; empty where there is none. None where they are too many.
fn section<'a>(file: &object::File<'a, impl ReadRef<'a>>, id: SectionId, left: &mut u64) -> Option<Vec<u8>> {
    let wanted = [SectionId::DebugInfo, SectionId::DebugAbbrev, SectionId::DebugStr];
    let Some(section) = file.section_by_name(id.name()).filter(|_| wanted.contains(&id)) else {
        return Some(Vec::new());
    };
    let packed = section.compressed_data().ok()?;
    *left = left.checked_sub(packed.uncompressed_size.max(packed.data.len() as u64))?;
    match packed.format {
        CompressionFormat::None => Some(packed.data.to_vec()),
        CompressionFormat::Zlib => {
            let mut bytes = Vec::new();
            ZlibDecoder::new(packed.data).take(packed.uncompressed_size).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        }
        _ => None,
    }
}

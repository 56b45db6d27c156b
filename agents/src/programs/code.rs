//! The digest of what a file executes: of an ELF file the loaded sections, of other files all bytes.
//!
//! Two builds of the same source differ in debug sections, build ids and the paths of their work trees. These do not
//! change what runs, so they do not count. PE and Mach-O files have dates and ids in loaded sections: all their bytes
//! count.

use memchr::memmem;
use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, FileKind};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Larger files are not read: a program is smaller, and the whole file is in memory.
const FILE_BYTES_MAX: u64 = 1 << 28;

/// Replaces the path of a work tree. No file contains it.
const TREE: &[u8] = b"\0work tree\0";

/// Sections that no program reads when it runs, besides those that begin with `.debug` or `.zdebug`.
const IGNORED: [&[u8]; 14] = [
    b"",
    b".comment",
    b".gnu.build.attributes",
    b".gnu_debugaltlink",
    b".gnu_debugdata",
    b".gnu_debuglink",
    b".llvm_addrsig",
    b".note.gnu.build-id",
    b".note.go.buildid",
    b".rustc",
    b".shstrtab",
    b".strtab",
    b".symtab",
    b".symtab_shndx",
];

/// Returns a SHA-256 in hexadecimal. The path of the work tree `root` does not count.
///
/// # Errors
/// If it is no file, cannot be read, or is larger than 256 MiB.
pub(super) fn digest(path: &Path, root: Option<&Path>) -> io::Result<String> {
    let bytes = read(path)?;
    let mut digest =
        Loaded { hasher: Sha256::new(), root: root.map(|root| root.as_os_str().as_encoded_bytes()) };
    let is_elf = match FileKind::parse(&bytes[..]) {
        Ok(FileKind::Elf32) => digest.add_elf::<FileHeader32<Endianness>>(&bytes).is_some(),
        Ok(FileKind::Elf64) => digest.add_elf::<FileHeader64<Endianness>>(&bytes).is_some(),
        _ => false,
    };
    if !is_elf {
        digest.hasher = Sha256::new();
        digest.add(b"file", &bytes);
    }
    Ok(hex::encode(digest.hasher.finalize()))
}

/// The bytes of a file. A build can also create pipes and huge files.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if !about.is_file() || about.len() > FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

struct Loaded<'a> {
    hasher: Sha256,
    root: Option<&'a [u8]>,
}

impl Loaded<'_> {
    /// Adds what the loader reads, and everything else that the program may read from its own file. `None` if that is
    /// unknown.
    fn add_elf<Elf: FileHeader<Endian = Endianness>>(&mut self, bytes: &[u8]) -> Option<()> {
        let header = Elf::parse(bytes).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, bytes).ok()?;
        if sections.is_empty() {
            return None;
        }
        self.number(header.e_type(endian));
        self.number(header.e_machine(endian));
        self.number(header.e_flags(endian));
        self.number(header.e_entry(endian));
        let mut end = header.e_shoff(endian).into()
            + u64::from(header.e_shentsize(endian)) * u64::from(header.e_shnum(endian));
        for segment in header.program_headers(endian, bytes).ok()? {
            let (offset, size) = segment.file_range(endian);
            end = end.max(offset.checked_add(size)?);
            self.number(segment.p_type(endian));
            self.number(segment.p_flags(endian));
            self.number(segment.p_vaddr(endian));
            self.number(segment.p_memsz(endian));
        }
        for section in sections.iter() {
            let name = sections.section_name(endian, section).ok()?;
            if let Some((offset, size)) = section.file_range(endian) {
                end = end.max(offset.checked_add(size)?);
            }
            if is_ignored(name) {
                continue;
            }
            self.number(section.sh_type(endian));
            self.number(section.sh_flags(endian));
            self.number(section.sh_addr(endian));
            self.number(section.sh_size(endian));
            self.add(name, section.data(endian, bytes).ok()?);
        }
        // Some tools append scripts or archives.
        let rest = bytes.get(usize::try_from(end).ok()?..)?;
        self.add(b"appended", rest);
        Some(())
    }

    fn number(&mut self, number: impl Into<u64>) {
        self.hasher.update(number.into().to_le_bytes());
    }

    fn add(&mut self, name: &[u8], bytes: &[u8]) {
        for part in [name, bytes] {
            self.number(part.len() as u64);
        }
        self.hasher.update(name);
        let mut from = 0;
        for place in self.root.into_iter().flat_map(|root| memmem::find_iter(bytes, root)) {
            self.hasher.update(&bytes[from..place]);
            self.hasher.update(TREE);
            from = place + self.root.map_or(0, <[u8]>::len);
        }
        self.hasher.update(&bytes[from..]);
    }
}

fn is_ignored(name: &[u8]) -> bool {
    IGNORED.contains(&name) || name.starts_with(b".debug") || name.starts_with(b".zdebug")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Whether the C compiler of this system writes ELF files. Prints if not.
    fn has_elf() -> bool {
        let has = std::env::consts::OS == "linux";
        if !has {
            println!("not run, because programs of this system are no ELF files");
        }
        has
    }

    /// Compiles this source in a new folder. Returns the program and the folder.
    fn built(source: &str, further: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::write(root.join("a.c"), source).unwrap();
        let mut compiler = Command::new("cc");
        compiler.current_dir(&root).args(["-O2", "-g", "-o", "a"]).args(further).arg(root.join("a.c"));
        assert!(compiler.status().unwrap().success());
        (folder, root)
    }

    fn digests(source: &str, further: &[&str]) -> [String; 2] {
        let (_folder, root) = built(source, further);
        let path = root.join("a");
        [digest(&path, Some(&root)).unwrap(), hex::encode(Sha256::digest(fs::read(path).unwrap()))]
    }

    const SOURCE: &str = "#include <stdio.h>\nint main(void) { return puts(__FILE__); }\n";

    #[test]
    fn paths_of_work_trees_and_build_ids_do_not_count() {
        if !has_elf() {
            return;
        }
        let [code, all] = digests(SOURCE, &["-Wl,--build-id=0x11"]);
        let [same, other] = digests(&format!("{SOURCE}// A comment.\n"), &["-Wl,--build-id=0x22"]);
        assert_eq!(code, same);
        assert_ne!(all, other);
    }

    #[test]
    fn code_data_and_appended_bytes_count() {
        if !has_elf() {
            return;
        }
        let [code, _] = digests(SOURCE, &[]);
        let changed = digests(&SOURCE.replace("return puts", "return 1 + puts"), &[]);
        let text = digests(&SOURCE.replace("__FILE__", "\"another text\""), &[]);
        assert!(code != changed[0] && code != text[0] && changed[0] != text[0]);
        let (_folder, root) = built(SOURCE, &[]);
        let path = root.join("a");
        let bytes = [fs::read(&path).unwrap(), b"archive".to_vec()].concat();
        fs::write(&path, bytes).unwrap();
        assert_ne!(digest(&path, Some(&root)).unwrap(), code);
    }

    #[test]
    fn other_files_count_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let digest_of = |text: &str| {
            fs::write(folder.path().join("a"), text).unwrap();
            digest(&folder.path().join("a"), None).unwrap()
        };
        assert_ne!(digest_of("one"), digest_of("two"));
        assert_eq!(digest_of("one"), digest_of("one"));
        assert!(digest(folder.path(), None).is_err());
    }
}

//! Libraries and runtimes that tell which language or format a program uses.

/// A known library or runtime; a bit of [`Header::libraries`](crate::Header::libraries).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Library {
    /// The C++ library.
    Cpp = 0,
    /// The Fortran library of GCC.
    Fortran = 1,
    /// Python.
    Python = 2,
    /// Perl.
    Perl = 3,
    /// Node.js.
    Node = 4,
    /// A Java virtual machine.
    Jvm = 5,
    /// Ruby.
    Ruby = 6,
    /// SQLite.
    Sqlite = 7,
    /// HDF5.
    Hdf5 = 8,
    /// netCDF.
    Netcdf = 9,
    /// PnetCDF.
    Pnetcdf = 10,
    /// MPI.
    Mpi = 11,
}

impl Library {
    /// All of them, in the order of their bits.
    pub const ALL: [Self; 12] = [
        Self::Cpp,
        Self::Fortran,
        Self::Python,
        Self::Perl,
        Self::Node,
        Self::Jvm,
        Self::Ruby,
        Self::Sqlite,
        Self::Hdf5,
        Self::Netcdf,
        Self::Pnetcdf,
        Self::Mpi,
    ];

    /// The longest prefix by which a library is known.
    pub const LONGEST_PREFIX: usize = 16;

    /// Its name in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpp => "stdc++",
            Self::Fortran => "gfortran",
            Self::Python => "python",
            Self::Perl => "perl",
            Self::Node => "node",
            Self::Jvm => "jvm",
            Self::Ruby => "ruby",
            Self::Sqlite => "sqlite3",
            Self::Hdf5 => "hdf5",
            Self::Netcdf => "netcdf",
            Self::Pnetcdf => "pnetcdf",
            Self::Mpi => "mpi",
        }
    }

    /// Its bit.
    pub const fn bit(self) -> u64 {
        1 << self as u32
    }

    /// How the file names of its libraries begin.
    const fn prefixes(self) -> &'static [&'static [u8]] {
        match self {
            Self::Cpp => &[b"libstdc++.so", b"libc++.so"],
            Self::Fortran => &[b"libgfortran"],
            Self::Python => &[b"libpython"],
            Self::Perl => &[b"libperl.so"],
            Self::Node => &[b"libnode.so"],
            Self::Jvm => &[b"libjvm.so"],
            Self::Ruby => &[b"libruby"],
            Self::Sqlite => &[b"libsqlite3"],
            // Packages of Python have `libhdf5-HASH.so`.
            Self::Hdf5 => &[b"libhdf5"],
            Self::Netcdf => &[b"libnetcdf"],
            Self::Pnetcdf => &[b"libpnetcdf"],
            Self::Mpi => &[b"libmpi.so", b"libmpich.so", b"libmpi_abi.so", b"libmpi_cray.so"],
        }
    }

    /// The bit of the library in a file of this name, without its directory; 0 if it is none of
    /// these. The first [`LONGEST_PREFIX`](Self::LONGEST_PREFIX) bytes of the name are enough.
    pub fn bit_of_file(name: &[u8]) -> u64 {
        // Nearly all files of a program are others.
        if !name.starts_with(b"lib") {
            return 0;
        }
        let is_file =
            |library: &&Self| library.prefixes().iter().any(|prefix| name.starts_with(prefix));
        Self::ALL.iter().find(is_file).map_or(0, |library| library.bit())
    }

    /// Returns true if a program of this name is the runtime itself, without a library.
    pub fn is_program(self, name: &[u8]) -> bool {
        let stem: &[u8] = match self {
            Self::Python => b"python",
            Self::Perl => b"perl",
            Self::Ruby => b"ruby",
            Self::Node => return matches!(name, b"node" | b"nodejs"),
            Self::Jvm => return name == b"java",
            _ => return false,
        };
        // `python3.11`
        let is_version = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        name.strip_prefix(stem).is_some_and(|rest| rest.iter().all(is_version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_files() {
        for (file, library) in [
            (&b"libstdc++.so.6.0.30"[..], Some(Library::Cpp)),
            (b"libhdf5-4d6f9ad8.so.310.4.0", Some(Library::Hdf5)),
            (b"libpnetcdf.so.4", Some(Library::Pnetcdf)),
            (b"libnetcdf.so.19", Some(Library::Netcdf)),
            (b"libmpi.so.40", Some(Library::Mpi)),
            (b"libmpfr.so.6", None),
            (b"libc.so.6", None),
            (b"", None),
        ] {
            let found = Library::ALL.into_iter().find(|l| l.bit() == Library::bit_of_file(file));
            assert_eq!(found, library);
        }
        let all = Library::ALL.iter();
        let longest = all.flat_map(|library| library.prefixes()).map(|prefix| prefix.len()).max();
        assert!(longest <= Some(Library::LONGEST_PREFIX));
        assert!(Library::ALL.iter().enumerate().all(|(i, library)| library.bit() == 1 << i));
    }

    #[test]
    fn some_programs_are_runtimes() {
        assert!(Library::Python.is_program(b"python3.11"));
        assert!(Library::Perl.is_program(b"perl"));
        assert!(!Library::Python.is_program(b"python-config"));
        assert!(!Library::Cpp.is_program(b"stdc++"));
    }
}

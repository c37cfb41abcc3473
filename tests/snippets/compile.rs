//! Each snippet, inside a function that declares the names it uses, passes the compiler with the
//! headers of the real libraries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use ioglass_insight::Language;

use super::snippets;
use crate::support;

/// Which library a snippet needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Needs {
    Mpi,
    Hdf5,
    Netcdf,
    Pnetcdf,
}

impl Needs {
    pub(super) fn of(code: &str) -> Self {
        let has = |parts: &[&str]| parts.iter().any(|part| code.contains(part));
        if has(&["ncmpi_", "nf90mpi_"]) {
            Self::Pnetcdf
        } else if has(&["nc_", "nf90_"]) {
            Self::Netcdf
        } else if has(&["H5", "h5"]) {
            Self::Hdf5
        } else {
            Self::Mpi
        }
    }
}

/// What every C snippet finds around it. Parameters, because unused ones are no error.
const C: &str = r"
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void compute_next_step(void);
void compute_with(const void *data);
void use(const char *data, long size);
void transfer_item(long long item);
void remember(const char *name);
#define COMMON MPI_Comm comm, MPI_File fh, int rank, int nranks, const char *path, const char *mode, \
    const char *folder, double *buf, \
    double *next, char *data, char *next_data, int count, int nblocks, MPI_Offset offset, \
    long long total, int fd, int steps, int step, int epochs, int pieces, \
    const char **names, const size_t *sizes, char **contents, size_t bytes, int argc, char **argv
";

const FORTRAN: &str = "
  implicit none
  external :: compute_next_step, compute_with, use_data, transfer_item
  integer :: comm, fh, info, rank, nranks, unit, ierr, request, provided, i, steps, epochs, nblocks
  integer(MPI_OFFSET_KIND) :: offset, total
  double precision, allocatable, asynchronous :: buf(:), next(:)
  character, allocatable :: bytes(:)
  character(len=256) :: path, name, position
";

/// Runs a compiler over `source`, unless it is not there, which is said.
fn compile(source: &str, name: &str, compiler: &[String]) {
    let folders = compiler.iter().filter_map(|word| word.strip_prefix("-I"));
    if folders.map(Path::new).any(|folder| !folder.exists()) {
        return;
    }
    let path = support::scratch("snippets").join(name);
    fs::write(&path, source).unwrap();
    let Ok(output) = Command::new(&compiler[0]).args(&compiler[1..]).arg(&path).output() else {
        return support::missing("compiling snippets", Path::new(&compiler[0]));
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", path.display());
}

/// The directory of a library's header or Fortran module, as Debian lays them out.
fn folder(needs: Needs, language: Language) -> Option<String> {
    let libraries = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let (folder, file) = match (needs, language) {
        (Needs::Mpi, _) => return None,
        (Needs::Hdf5, Language::C) => ("/usr/include/hdf5/openmpi".into(), "hdf5.h"),
        (Needs::Hdf5, _) => ("/usr/include/hdf5/openmpi".into(), "hdf5.mod"),
        (Needs::Netcdf, Language::C) => (libraries + "/netcdf/mpi/include", "netcdf_par.h"),
        (Needs::Netcdf, _) => ("/usr/include".into(), "netcdf.mod"),
        (Needs::Pnetcdf, Language::C) => ("/usr/include".into(), "pnetcdf.h"),
        (Needs::Pnetcdf, _) => (libraries + "/fortran/gfortran-mod-15", "pnetcdf.mod"),
    };
    let path = Path::new(&folder).join(file);
    if !path.exists() {
        support::missing("compiling snippets", &path);
    }
    Some(folder)
}

/// The compiler with its options, and where it finds the library.
fn compiler(needs: Needs, language: Language, command: &str) -> Vec<String> {
    let words = command.split(' ').map(str::to_owned);
    words.chain(folder(needs, language).map(|folder| format!("-I{folder}"))).collect()
}

fn by_library(language: Language) -> BTreeMap<Needs, Vec<String>> {
    let mut libraries = BTreeMap::<Needs, Vec<String>>::new();
    for code in snippets(language) {
        libraries.entry(Needs::of(&code)).or_default().push(code);
    }
    assert_eq!(libraries.len(), 4, "{language:?}");
    libraries
}

#[test]
fn c_snippets_compile() {
    for (needs, codes) in by_library(Language::C) {
        let (include, names) = match needs {
            Needs::Mpi => ("", "FILE *file"),
            Needs::Hdf5 => (
                "#include <hdf5.h>\n",
                "hid_t file, hid_t dset, hid_t memspace, hid_t filespace, const char *name, \
                 unsigned flags",
            ),
            Needs::Netcdf => (
                "#include <netcdf.h>\n#include <netcdf_par.h>\n",
                "int ncid, int varid, int cmode, const size_t *start, const size_t *extent",
            ),
            Needs::Pnetcdf => (
                "#include <pnetcdf.h>\n",
                "int ncid, int varid, const MPI_Offset *start, const MPI_Offset *extent, \
                 int nvars, const int *varids, double **bufs",
            ),
        };
        let compiler = compiler(needs, Language::C, "mpicc -std=c99 -Wall -Werror -fsyntax-only");
        let mut source = format!("{C}{include}");
        for (number, code) in codes.iter().enumerate() {
            if code.starts_with("struct ") && code.contains("\nvoid ") {
                // Whole functions.
                writeln!(source, "{code}").unwrap();
            } else {
                // An inner block, because a snippet declares some of the names itself.
                writeln!(source, "void f{number}(COMMON, {names})\n{{{{\n{code}\n}}}}").unwrap();
            }
        }
        compile(&source, &format!("{needs:?}.c"), &compiler);
    }
}

#[test]
fn fortran_snippets_compile() {
    for (needs, codes) in by_library(Language::Fortran) {
        let (module, names) = match needs {
            Needs::Mpi => ("", ""),
            Needs::Hdf5 => (
                "  use hdf5\n",
                "  integer(HID_T) :: file, dset, memspace, filespace, fapl, dcpl, dapl, dxpl\n  \
                 integer(HSIZE_T) :: dims(1)\n  integer :: flags\n",
            ),
            Needs::Netcdf => ("  use netcdf\n", "  integer :: ncid, varid, start(1), extent(1)\n"),
            Needs::Pnetcdf => (
                "  use pnetcdf\n",
                "  integer :: ncid, varid, varids(2), requests(2), statuses(2)\n  \
                 integer(MPI_OFFSET_KIND) :: start(1), extent(1)\n  \
                 double precision :: bufs(4, 2)\n",
            ),
        };
        let compiler = compiler(needs, Language::Fortran, "mpif90 -std=f2018 -fsyntax-only");
        let mut source = String::new();
        for (number, code) in codes.iter().enumerate() {
            let body = code.replace('\n', "\n  ");
            writeln!(
                source,
                "subroutine f{number}()\n  use mpi\n{module}{FORTRAN}{names}  {body}\nend subroutine\n"
            )
            .unwrap();
        }
        compile(&source, &format!("{needs:?}.f90"), &compiler);
    }
}

/// Names that a C++ snippet finds around it.
const CPP: &str = r#"
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>
void use(const char *data, long size);
#define COMMON const char *path, const char *folder, std::ios::openmode mode, int epochs, int fd, \
    int steps, const std::vector<std::string> &records, std::fstream &file
"#;

#[test]
fn cpp_snippets_compile() {
    let mut source = CPP.to_owned();
    let codes = snippets(Language::Cpp);
    assert!(codes.len() > 8, "{}", codes.len());
    for (number, code) in codes.iter().enumerate() {
        writeln!(source, "void f{number}(COMMON)\n{{{{\n{code}\n}}}}").unwrap();
    }
    let words = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only"];
    compile(&source, "snippets.cpp", &words.map(str::to_owned));
}

#[test]
fn javascript_snippets_parse() {
    let mut source = "const fs = require(\"fs\");\n".to_owned();
    let codes = snippets(Language::JavaScript);
    assert!(codes.len() > 6, "{}", codes.len());
    for (number, code) in codes.iter().enumerate() {
        writeln!(source, "function f{number}() {{\n{code}\n}}").unwrap();
    }
    compile(&source, "snippets.js", &["node".to_owned(), "--check".to_owned()]);
}

#[test]
fn perl_snippets_parse() {
    let mut source = "use strict; use warnings;\nsub use_data {}\n".to_owned();
    let codes = snippets(Language::Perl);
    assert!(codes.len() > 6, "{}", codes.len());
    for (number, code) in codes.iter().enumerate() {
        let names = "my ($path, $folder, $size, $epochs, $handle) = @_; my (@records, @names);";
        let handle = if code.contains("my $fh") { "" } else { "my $fh = $handle;" };
        writeln!(source, "sub f{number} {{\n{names}\n{handle}\n{code}\n}}").unwrap();
    }
    compile(&source, "snippets.pl", &["perl".to_owned(), "-c".to_owned()]);
}

#[test]
fn shell_snippets_parse() {
    let codes = snippets(Language::Shell);
    assert!(codes.len() > 3, "{}", codes.len());
    let source: String = codes.into_iter().map(|code| code + "\n").collect();
    compile(&source, "snippets.sh", &["sh".to_owned(), "-n".to_owned()]);
}

#[test]
fn python_snippets_parse() {
    for (number, code) in snippets(Language::Python).iter().enumerate() {
        let words = ["python3", "-m", "py_compile"].map(str::to_owned);
        compile(code, &format!("snippet-{number}.py"), &words);
    }
}

#[test]
fn sql_snippets_run() {
    let codes = snippets(Language::Sql);
    assert_eq!(codes.len(), 2);
    let mut source = String::from("import sqlite3\n");
    for code in &codes {
        let code = serde_json::to_string(code).unwrap();
        writeln!(source, "sqlite3.connect(':memory:').executescript({code})").unwrap();
    }
    compile(&source, "sql.py", &["python3".to_owned()]);
}

//! The table of parameters.

use crate::kind::Kind;
use crate::param::{Condition, Layer, Param, Preset, Proof, Search, Site, When, params};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The largest value of a hint that MPI stores in an `int`.
const INT_MAX: u64 = i32::MAX as u64;
/// No upper limit but that of 64-bit files and calls.
const ANY: u64 = i64::MAX as u64;

const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min, max, unit: 1 }
}

const SWITCH: Kind = Kind::Word(&["enable", "disable", "automatic"]);

const fn search(preset: Preset, place: u8, values: &'static [&'static str]) -> Search {
    Search { preset, place, values, when: None, tie: &[] }
}

const fn when(search: Search, when: When) -> Search {
    Search { when: Some(when), ..search }
}

const fn tie(search: Search, tie: &'static [&'static str]) -> Search {
    Search { tie, ..search }
}

/// Pairs of the paper's space.
const SC13_ALIGNMENT: &[&str] = &[
    "0,1",
    "0,4096",
    "0,16384",
    "0,65536",
    "0,262144",
    "1024,4096",
    "1024,16384",
    "1024,65536",
    "1024,1048576",
    "4096,16384",
    "4096,65536",
    "4096,2097152",
    "16384,65536",
    "16384,8388608",
];
/// 1 to 128 MiB.
const SC13_BUFFER: &[&str] =
    &["1048576", "2097152", "4194304", "8388608", "16777216", "33554432", "67108864", "134217728"];
/// Numbers of aggregators.
const SC13_NODES: &[&str] =
    &["1", "2", "4", "8", "16", "24", "32", "48", "64", "96", "128", "256", "512", "1024"];
/// Numbers of stripes; the space adds the number of all targets.
const SC13_STRIPES: &[&str] = &["4", "8", "16", "24", "32", "48", "64", "96", "128"];
/// 10 MiB to 2 GiB in 25 steps of equal ratio.
const SC13_CHUNK: &[&str] = &[
    "10485760",
    "13088965",
    "16338445",
    "20394645",
    "25457841",
    "31778031",
    "39667278",
    "49515117",
    "61807792",
    "77152258",
    "96306158",
    "120215225",
    "150059981",
    "187314028",
    "233816803",
    "291864405",
    "364322965",
    "454770162",
    "567671874",
    "708602682",
    "884521119",
    "1104113249",
    "1378221549",
    "1720380260",
    "2147483648",
];

/// Parameters of the HDF5 library.
pub mod hdf5 {
    use super::*;
    use Condition::*;

    params! { pub Hdf5, LIST:
        /// Places objects of at least `threshold` bytes at multiples of `boundary`.
        ALIGNMENT = "alignment" {
            kind: Kind::Alignment, default: "1,1", conditions: [ParallelOrSerial],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_alignment"),
            risk: "A threshold of 0 aligns metadata too and can make a file several times larger.",
            search: [
                search(Preset::Local, 3, &["default", "4096,65536", "65536,1048576"]),
                search(Preset::Sc13Lustre, 3, SC13_ALIGNMENT),
                search(Preset::Sc13LustreIndependent, 3, SC13_ALIGNMENT),
                search(Preset::Sc13Gpfs, 2, SC13_ALIGNMENT),
                search(Preset::Sc13GpfsIndependent, 1, SC13_ALIGNMENT),
            ],
        }
        /// Sets the buffer in which HDF5 joins small accesses to contiguous datasets.
        SIEVE_BUF_SIZE = "sieve_buf_size" {
            kind: bytes(0, GIB), default: "65536", conditions: [NotParallel],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_sieve_buf_size"),
            risk: "Scattered reads fetch bytes that nobody wants.",
        }
        /// Sets the block in which HDF5 puts metadata together.
        META_BLOCK_SIZE = "meta_block_size" {
            kind: bytes(0, GIB), default: "2048", conditions: [ParallelOrSerial],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_meta_block_size"),
            risk: "The unused rest of a block stays in the file.",
        }
        /// Sets the block in which HDF5 puts small raw data together.
        SMALL_DATA_BLOCK_SIZE = "small_data_block_size" {
            kind: bytes(0, GIB), default: "2048", conditions: [ParallelOrSerial],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_small_data_block_size"),
            risk: "The unused rest of a block stays in the file.",
        }
        /// Writes metadata collectively instead of from rank 0 or every rank.
        COLL_METADATA_WRITE = "coll_metadata_write" {
            kind: Kind::Flag, default: "false", conditions: [Parallel],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_coll_metadata_write"),
            risk: "Small files with little metadata become slower.",
        }
        /// Reads metadata on one rank and hands it to the others.
        ALL_COLL_METADATA_OPS = "all_coll_metadata_ops" {
            kind: Kind::Flag, default: "false", conditions: [Parallel, SameCalls],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_all_coll_metadata_ops"),
            risk: "The program hangs if one rank makes a metadata call alone.",
        }
        /// Chooses the oldest format that new objects may have.
        LIBVER = "libver" {
            kind: Kind::Word(&["earliest", "v18", "v110", "latest"]), default: "earliest",
            conditions: [ParallelOrSerial],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_libver_bounds"),
            risk: "Older programs cannot read the file.",
        }
        /// Chooses how the space of a new file is managed.
        FILE_SPACE = "file_space" {
            kind: Kind::FileSpace, default: "fsm_aggr",
            conditions: [ParallelOrSerial, Created, NoPageBuffer],
            site: Site::FileCreation, proof: Proof::Asked("H5Pget_file_space_strategy"),
            risk: "HDF5 before 1.10 cannot read files with pages.",
        }
        /// Gives new contiguous datasets chunks of this shape.
        CHUNK = "chunk" {
            kind: Kind::Shape, default: "contiguous", conditions: [ParallelOrSerial, Contiguous],
            site: Site::DatasetCreation, proof: Proof::Asked("H5Pget_chunk"),
            risk: "Without fill_time never, parallel programs write every chunk twice.",
        }
        /// Gives new contiguous datasets chunks of at most this size, shaped by their extent.
        CHUNK_BYTES = "chunk_bytes" {
            kind: bytes(4 * KIB, 2 * GIB), default: "contiguous",
            conditions: [ParallelOrSerial, Contiguous],
            site: Site::DatasetCreation, proof: Proof::Asked("H5Pget_chunk"),
            risk: "Without fill_time never, parallel programs write every chunk twice.",
            search: [
                search(Preset::Local, 0, &["default", "262144", "1048576", "4194304", "16777216"]),
                search(Preset::Sc13LustreIndependent, 2, SC13_CHUNK),
                search(Preset::Sc13GpfsIndependent, 0, SC13_CHUNK),
            ],
        }
        /// Chooses when HDF5 writes fill values into new datasets.
        FILL_TIME = "fill_time" {
            kind: Kind::Word(&["alloc", "never", "ifset"]), default: "ifset",
            conditions: [ParallelOrSerial, NoFillValue],
            site: Site::DatasetCreation, proof: Proof::Asked("H5Pget_fill_time"),
            risk: "Elements that nobody writes are undefined.",
            search: [
                when(search(Preset::Local, 1, &["default", "never"]), When::Set("hdf5.chunk_bytes")),
            ],
        }
        /// Sets the cache for the chunks of each dataset.
        CHUNK_CACHE = "chunk_cache" {
            kind: bytes(0, 4 * GIB), default: "1048576", conditions: [ParallelOrSerial, Chunked],
            site: Site::FileAccess, proof: Proof::Asked("H5Pget_chunk_cache"),
            risk: "Every open dataset may use that much memory.",
        }
        /// Chooses between independent and collective transfers.
        TRANSFER = "transfer" {
            kind: Kind::Word(&["independent", "collective"]), default: "as the program says",
            conditions: [Parallel, NoFilters, SameCalls],
            site: Site::Transfer, proof: Proof::Asked("H5Pget_mpio_actual_io_mode"),
            risk: "A collective transfer hangs if a rank does not take part.",
            search: [search(Preset::Local, 2, &["default", "independent"])],
        }
    }
}

/// Hints of MPI-IO.
pub mod mpiio {
    use super::*;
    use Condition::*;

    params! { pub Mpiio, LIST:
        /// Sets the number of processes that write and read for the others.
        CB_NODES = "cb_nodes" {
            kind: Kind::Count { min: 1, max: 65536 }, default: "one per node", conditions: [],
            site: Site::Info, proof: Proof::Info,
            risk: "ROMIO gives one per node whatever is asked, unless cb_config_list allows more.",
            search: [
                tie(
                    search(Preset::Local, 5, &["default", "1", "2", "4"]),
                    &["mpiio.cb_config_list=*:{}"],
                ),
                search(Preset::Sc13Lustre, 2, SC13_NODES),
                search(Preset::Sc13Gpfs, 0, SC13_NODES),
            ],
        }
        /// Sets the buffer of each process that writes for the others.
        CB_BUFFER_SIZE = "cb_buffer_size" {
            kind: bytes(1, INT_MAX), default: "16777216 (ROMIO), 33554432 (OMPIO)", conditions: [],
            site: Site::Info, proof: Proof::Info,
            risk: "Buffers larger than the cache can be slower.",
            search: [
                search(Preset::Local, 4, &["default", "262144", "1048576", "4194304", "67108864"]),
                search(Preset::Sc13Gpfs, 1, SC13_BUFFER),
            ],
        }
        /// Says how many processes of a node may write for the others.
        CB_CONFIG_LIST = "cb_config_list" {
            kind: Kind::Text, default: "*:1", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "A list that ROMIO cannot read makes it give up collective buffering.",
        }
        /// Switches collective buffering of writes.
        ROMIO_CB_WRITE = "romio_cb_write" {
            kind: SWITCH, default: "automatic", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "Disabled, small interleaved writes become many small requests.",
            search: [
                when(search(Preset::Local, 6, &["default", "enable", "disable"]), When::Romio),
            ],
        }
        /// Switches collective buffering of reads.
        ROMIO_CB_READ = "romio_cb_read" {
            kind: SWITCH, default: "automatic", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "Disabled, small interleaved reads become many small requests.",
        }
        /// Switches data sieving of writes.
        ROMIO_DS_WRITE = "romio_ds_write" {
            kind: SWITCH, default: "automatic", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "Sieving reads and locks what it overwrites.",
            search: [
                when(search(Preset::Local, 7, &["default", "enable", "disable"]), When::Romio),
            ],
        }
        /// Switches data sieving of reads.
        ROMIO_DS_READ = "romio_ds_read" {
            kind: SWITCH, default: "automatic", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "Sieving fetches bytes that nobody wants.",
        }
        /// Promises that the program makes no independent access, so that not all ranks open the file.
        ROMIO_NO_INDEP_RW = "romio_no_indep_rw" {
            kind: Kind::Flag, default: "false", conditions: [Romio, Forced],
            site: Site::Info, proof: Proof::Info,
            risk: "The program fails if it makes an independent access after all.",
        }
        /// Sets the buffer of sieving writes.
        IND_WR_BUFFER_SIZE = "ind_wr_buffer_size" {
            kind: bytes(1, INT_MAX), default: "524288", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "Larger ranges are locked while they are written.",
        }
        /// Sets the buffer of sieving reads.
        IND_RD_BUFFER_SIZE = "ind_rd_buffer_size" {
            kind: bytes(1, INT_MAX), default: "4194304", conditions: [Romio],
            site: Site::Info, proof: Proof::Info,
            risk: "Scattered reads fetch bytes that nobody wants.",
        }
        /// Chooses processes per I/O node on Blue Gene.
        BGL_NODES_PSET = "bgl_nodes_pset" {
            kind: Kind::Count { min: 1, max: 65536 }, default: "none", conditions: [Never],
            site: Site::Nowhere, proof: Proof::Nothing,
            risk: "It is read for old files and does nothing.",
        }
        /// Chose large blocks on IBM's MPI.
        IBM_LARGEBLOCK_IO = "IBM_largeblock_io" {
            kind: Kind::Flag, default: "none", conditions: [Never],
            site: Site::Nowhere, proof: Proof::Nothing,
            risk: "It is read for old files and does nothing.",
            search: [search(Preset::Sc13Gpfs, 4, &["false", "true"])],
        }
        /// Sets any other hint.
        HINT = "hint.*" {
            kind: Kind::Text, default: "none", conditions: [],
            site: Site::Info, proof: Proof::Info,
            risk: "MPI ignores hints that it does not know.",
        }
    }
}

/// Settings of the file system.
pub mod fs {
    use super::*;
    use Condition::*;

    params! { pub Fs, LIST:
        /// Sets the number of stripes of a new file.
        STRIPING_FACTOR = "striping_factor" {
            kind: Kind::Count { min: 1, max: ANY }, default: "of the folder",
            conditions: [Created, Lustre],
            site: Site::Info, proof: Proof::Layout,
            risk: "It replaces a progressive layout of the folder.",
            search: [
                search(Preset::Sc13Lustre, 0, SC13_STRIPES),
                search(Preset::Sc13LustreIndependent, 0, SC13_STRIPES),
            ],
        }
        /// Sets the size of stripes of a new file; ROMIO aligns the ranges of its writers to it.
        STRIPING_UNIT = "striping_unit" {
            kind: Kind::Bytes { min: 64 * KIB, max: 4 * GIB, unit: 64 * KIB },
            default: "of the folder", conditions: [Created, Lustre],
            site: Site::Info, proof: Proof::Layout,
            risk: "It replaces a progressive layout of the folder.",
            search: [
                tie(search(Preset::Sc13Lustre, 1, SC13_BUFFER), &["mpiio.cb_buffer_size"]),
                tie(search(Preset::Sc13LustreIndependent, 1, SC13_BUFFER), &["mpiio.cb_buffer_size"]),
            ],
        }
        /// Chooses the first storage target of a new file.
        START_IODEVICE = "start_iodevice" {
            kind: Kind::Count { min: 0, max: ANY }, default: "any", conditions: [Created, Lustre],
            site: Site::Info, proof: Proof::Layout,
            risk: "All files with the same first target share it.",
        }
        /// Sets the layout of new files in a folder.
        SETSTRIPE = "setstripe" {
            kind: Kind::Stripes, default: "of the folder", conditions: [Lustre],
            site: Site::Folder, proof: Proof::Asked("lfs getstripe"),
            risk: "It changes the folder for good.",
        }
        /// Chose files without locks on Blue Gene.
        IBM_LOCKLESS_IO = "IBM_lockless_io" {
            kind: Kind::Flag, default: "none", conditions: [Never],
            site: Site::Nowhere, proof: Proof::Nothing,
            risk: "It is read for old files and does nothing; no path is ever changed.",
            search: [search(Preset::Sc13Gpfs, 3, &["false", "true"])],
        }
    }
}

/// Variables of the environment.
pub mod env {
    use super::*;
    use Condition::*;

    params! { pub Env, LIST:
        /// Chooses the component of Open MPI for MPI-IO.
        OMPI_MCA_IO = "OMPI_MCA_io" {
            kind: Kind::Text, default: "ompio", conditions: [KnownVariable],
            site: Site::Environment, proof: Proof::Environment,
            risk: "Other hints hold with another component.",
            search: [when(search(Preset::Local, 8, &["default", "romio321"]), When::OpenMpi)],
        }
        /// Chooses the component of Open MPI for collective transfers.
        OMPI_MCA_FCOLL = "OMPI_MCA_fcoll" {
            kind: Kind::Text, default: "by the number of ranks", conditions: [KnownVariable],
            site: Site::Environment, proof: Proof::Environment,
            risk: "Some components are slower with few ranks.",
            search: [
                when(
                    search(Preset::Local, 9, &["default", "vulcan", "dynamic_gen2", "individual"]),
                    When::OpenMpi,
                ),
            ],
        }
        /// Sets a variable for the command.
        VARIABLE = "*" {
            kind: Kind::Text, default: "as it is", conditions: [KnownVariable],
            site: Site::Environment, proof: Proof::Environment,
            risk: "Only variables of MPI, HDF5 and UCX are set without force.",
        }
    }
}

/// Settings of the C library.
pub mod libc {
    use super::*;
    use Condition::*;

    params! { pub Libc, LIST:
        /// Sets the buffer of streams.
        STDIO_BUFFER = "stdio_buffer" {
            kind: bytes(4 * KIB, 16 * MIB), default: "4096", conditions: [PlainStream, NoSeeks],
            site: Site::Stream, proof: Proof::Returned("setvbuf"),
            risk: "Others see data later, and a killed program loses up to a buffer.",
            search: [
                search(Preset::Libc, 0, &["default", "65536", "262144", "1048576", "4194304"]),
            ],
        }
        /// Sets the block size that interpreters take for their buffers.
        BLOCK_SIZE = "block_size" {
            kind: bytes(4 * KIB, 16 * MIB), default: "4096", conditions: [Interpreter],
            site: Site::Stat, proof: Proof::Returned("fstat"),
            risk: "Others see data later, and a killed program loses up to a buffer.",
            search: [
                when(
                    search(Preset::Libc, 1, &["default", "65536", "262144", "1048576"]),
                    When::Interpreter,
                ),
            ],
        }
        /// Tells the kernel how files will be read.
        READ_ADVICE = "read_advice" {
            kind: Kind::Word(&["none", "sequential", "random", "willneed"]), default: "none",
            conditions: [ReadOnly],
            site: Site::Advice, proof: Proof::Returned("posix_fadvise"),
            risk: "Wrong advice makes reads slower.",
            search: [search(Preset::Libc, 2, &["default", "sequential", "random"])],
        }
    }
}

/// Placeholders of the command.
pub mod cmd {
    use super::*;

    params! { pub Cmd, LIST:
        /// Replaces a placeholder in the command.
        PLACEHOLDER = "*" {
            kind: Kind::Text, default: "the first value", conditions: [],
            site: Site::Arguments, proof: Proof::Arguments,
            risk: "The command itself changes.",
        }
    }
}

const LISTS: [&[&Param]; 6] = [hdf5::LIST, mpiio::LIST, fs::LIST, env::LIST, libc::LIST, cmd::LIST];

const COUNT: usize = {
    let (mut count, mut list) = (0, 0);
    while list < LISTS.len() {
        count += LISTS[list].len();
        list += 1;
    }
    count
};

static ALL: [&Param; COUNT] = {
    let mut all = [&hdf5::ALIGNMENT; COUNT];
    let (mut list, mut place) = (0, 0);
    while list < LISTS.len() {
        let mut row = 0;
        while row < LISTS[list].len() {
            all[place] = LISTS[list][row];
            place += 1;
            row += 1;
        }
        list += 1;
    }
    all
};

/// All parameters, layer by layer.
pub static PARAMS: &[&Param] = &ALL;

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;
    use std::vec::Vec;

    use super::*;
    use crate::{find, find_in, nearest, tied_name};

    #[test]
    fn names_are_unique_and_found() {
        for (place, param) in PARAMS.iter().enumerate() {
            let name = param.to_string();
            let asked = name.replace('*', "x");
            let (found, rest) = find(&asked).unwrap();
            assert_eq!(found.to_string(), name, "{place}");
            assert_eq!(rest, if param.is_family() { "x" } else { "" });
        }
        assert!(find("hdf5.nope").is_none());
        assert!(find("mpiio.hint.").is_none(), "a family needs the rest of the name");
        assert!(find("cb_nodes").is_none());
    }

    #[test]
    fn rows_are_whole_sentences_with_values_of_their_kind() {
        for param in PARAMS {
            for text in [param.meaning(), param.risk] {
                assert!(text.ends_with('.') && text.starts_with(char::is_uppercase), "{param}");
            }
            for search in param.search {
                for value in search.values.iter().filter(|value| **value != "default") {
                    let canonical = param.kind.parse(value).unwrap().to_string();
                    assert_eq!(canonical, **value, "{param}");
                }
                for tied in search.tie {
                    let (name, _) = tied_name(tied);
                    assert!(find(name).is_some(), "{param}");
                }
            }
        }
    }

    #[test]
    fn places_in_presets_have_no_gaps() {
        use Preset::*;
        for preset in
            [Local, Libc, Sc13Lustre, Sc13LustreIndependent, Sc13Gpfs, Sc13GpfsIndependent]
        {
            let mut places: Vec<_> = PARAMS
                .iter()
                .filter_map(|param| param.searched(preset))
                .map(|search| usize::from(search.place))
                .collect();
            places.sort_unstable();
            assert_eq!(places, (0..places.len()).collect::<Vec<_>>(), "{preset:?}");
        }
    }

    #[test]
    fn a_wrong_name_has_a_near_one() {
        let near = |name| nearest(name).map(ToString::to_string);
        assert_eq!(near("mpiio.cb_node").as_deref(), Some("mpiio.cb_nodes"));
        assert_eq!(near("hdf5.cb_nodes").as_deref(), Some("mpiio.cb_nodes"));
        assert_eq!(near("alignement").as_deref(), Some("hdf5.alignment"));
        assert_eq!(near("hdf5.qqqqqqqq"), None);
    }

    #[test]
    fn a_new_parameter_is_one_row() {
        mod more {
            use super::super::*;

            params! { pub(super) Mpiio, LIST:
                /// Sets a hint of tomorrow.
                TOMORROW = "tomorrow" {
                    kind: Kind::Count { min: 1, max: 9 }, default: "1", conditions: [],
                    site: Site::Info, proof: Proof::Info, risk: "None.",
                    search: [search(Preset::Local, 0, &["default", "2"])],
                }
            }

            pub(super) fn table() -> [&'static Param; 1] {
                [LIST[0]]
            }
        }
        let table = more::table();
        let (param, _) = find_in(&table, "mpiio.tomorrow").unwrap();
        assert_eq!(param.meaning(), "Sets a hint of tomorrow.");
        assert_eq!(param.kind.parse("2").unwrap().to_string(), "2");
        assert!(param.kind.parse("10").is_err());
        assert_eq!(param.searched(Preset::Local).unwrap().values, ["default", "2"]);
    }
}

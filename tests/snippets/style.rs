//! One sentence, imperative, with numbers; nothing about what the run does not have.

use std::collections::BTreeSet;
use std::process::Command;

use ioglass_insight::advice::{FileSystem, MpiKind};
use ioglass_insight::{Advice, Language};

use super::samples::{self, Sample};

fn everything(sample: &Sample) -> String {
    let advice = &sample.advice;
    let commands = advice.commands.iter().map(|it| format!("{} # {}", it.line, it.comment));
    let snippets = advice.snippets.iter().map(|it| it.code.clone());
    let parts = [advice.text.clone(), advice.see.to_owned()];
    parts.into_iter().chain(commands).chain(snippets).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_advice_is_one_sentence() {
    for Sample { name, setting, advice } in samples::all() {
        let text = &advice.text;
        if text.is_empty() {
            // Nothing is known to help this tool.
            assert!(setting.is_tool && advice == Advice::default(), "{name}: {advice:?}");
            continue;
        }
        assert!(text.starts_with(|c: char| c.is_ascii_uppercase()), "{name}: {text}");
        assert!(text.ends_with('.') && !text.contains(". "), "{name}: {text}");
        assert!(text.len() <= 110, "{name}: {} letters: {text}", text.len());
        for word in ["may", "might", "could", "should", "consider", "please", "best"] {
            let has =
                text.split(|c: char| !c.is_alphabetic()).any(|it| it.eq_ignore_ascii_case(word));
            assert!(!has, "{name}: {word}: {text}");
        }
        assert!(advice.see.starts_with("https://"), "{name}: {}", advice.see);
    }
}

#[test]
fn nothing_is_said_about_what_the_run_does_not_have() {
    for sample in samples::all() {
        let (name, setting, all) = (sample.name, &sample.setting, everything(&sample));
        let commands: String =
            sample.advice.commands.iter().map(|it| it.line.clone() + "\n").collect();
        if setting.file_system != FileSystem::Lustre {
            assert!(!all.contains("lfs ") && !all.contains("striping_factor"), "{name}: {all}");
        }
        if !setting.is_parallel {
            assert!(!all.contains("MPI_") && !all.contains("MPI."), "{name}: {all}");
            assert!(!all.contains("mpirun") && !all.contains("ROMIO"), "{name}: {all}");
        }
        if !setting.has_pnetcdf {
            assert!(!all.contains("ncmpi_") && !all.contains("nf90mpi_"), "{name}: {all}");
        }
        if !setting.has_hdf5 && !setting.has_netcdf {
            assert!(!all.contains("H5P") && !all.contains("h5py"), "{name}: {all}");
        }
        // OMPIO does not listen to ROMIO's hints, and nothing else to its own.
        if commands.contains("romio") && setting.mpi == Some(MpiKind::OpenMpi) {
            assert!(commands.contains("OMPI_MCA_io='^ompio'"), "{name}: {commands}");
        }
        if setting.mpi.is_some_and(|mpi| mpi != MpiKind::OpenMpi) {
            assert!(!all.contains("OMPI_MCA"), "{name}: {all}");
        }
        assert_eq!(
            commands.contains("MPICH_MPIIO_HINTS"),
            setting.mpi == Some(MpiKind::CrayMpich) && commands.contains("cb_nodes")
                || commands.contains("='*:"),
            "{name}: {commands}"
        );
    }
}

#[test]
fn the_language_of_the_program_comes_first() {
    for Sample { name, setting, advice } in samples::all() {
        let languages: Vec<Language> = advice.snippets.iter().map(|it| it.language).collect();
        if languages.contains(&setting.language) {
            assert_eq!(languages[0], setting.language, "{name}");
        }
        if setting.is_tool {
            let is_sql = languages == [Language::Sql];
            assert!(is_sql || languages.is_empty(), "{name}: the source of a tool is not at hand");
        }
    }
}

#[test]
fn numbers_of_the_log_are_filled_in() {
    let all = samples::all();
    let has = |name: &str, language, part: &str| {
        let sample = all.iter().filter(|it| it.name == name && it.setting.language == language);
        let found = sample.map(everything).any(|text| text.contains(part));
        assert!(found, "{name}: {part}");
    };
    has("stripe", Language::C, "lfs setstripe -c 29 -S 16M '/scratch/it'\\''s mine/$(run)'");
    has("stripe", Language::Fortran, "call MPI_Info_set(info, 'striping_factor', '29', ierr)");
    has("check_stripe", Language::C, "lfs getstripe -c '/scratch/it'\\''s mine/out.dat'");
    has("report_ost", Language::C, "lfs df /scratch1 | grep 'OST:14]'");
    has("hdf5_alignment", Language::C, "H5Pset_alignment(fapl, 1048576, 16777216);");
    has("hdf5_chunk", Language::Fortran, "[integer(HSIZE_T) :: 32, 64, 128]");
    has("hdf5_chunk", Language::Python, "chunks=(4096,)");
    has("buffer_writes", Language::Python, "buffering=4194304");
    has("buffer_writes", Language::Shell, "tar cf src.tar src --blocking-factor=8192");
    has("larger_reads", Language::Shell, "dd bs=4M if=a of=b");
    has("cache_data", Language::C, "cp -r '/scratch/it'\\''s mine/$(run)' \"$dir\"/");
    has("cache_data", Language::C, "cp '/scratch/it'\\''s mine/out.dat' /in.dat \"$dir\"/");
    has("skip_probes", Language::C, "strace -f -e trace=%file ./app in.dat");
    has("skip_probes", Language::Python, "python3 -X importtime job.py");
    has("quiet_stream", Language::Shell, "git status > \"$out\"");
    has("many_small_files", Language::Shell, "git -C /src gc");
    has(
        "many_small_files",
        Language::C,
        "tar -cf '$(run).packed.tar' -C '/scratch/it'\\''s mine/$(run)' .",
    );
    has(
        "hdf5_chunk",
        Language::C,
        "h5repack -l /fields/x:CHUNK=128x64x32 '/scratch/it'\\''s mine/data.h5' \
         '/scratch/it'\\''s mine/data.rechunked.h5'",
    );
    has("aggregators", Language::C, "export OMPI_MCA_io_ompio_num_aggregators=64");
    has("aggregators", Language::C, "export MPICH_MPIIO_HINTS='*:cb_nodes=64'");
    has(
        "disable_data_sieving",
        Language::C,
        "printf '%s\\n' 'romio_ds_write disable' >> romio-hints",
    );
}

#[test]
fn commands_are_shell() {
    let lines: BTreeSet<String> = samples::all()
        .into_iter()
        .flat_map(|it| it.advice.commands)
        .map(|it| format!("{} # {}", it.line, it.comment))
        .collect();
    assert!(lines.len() > 30, "{}", lines.len());
    for line in lines {
        assert!(!line.contains('\n'), "{line}");
        let status = Command::new("bash").args(["-n", "-c", &line]).status().unwrap();
        assert!(status.success(), "{line}");
    }
}

/// Who reads is not shown how to write, nor the other way round.
#[test]
fn snippets_go_in_the_direction_of_the_finding() {
    const EITHER: [&str; 8] = [
        "align_requests",
        "aggregators",
        "collective_buffering",
        "disable_data_sieving",
        "fewer_ranks",
        "file_view",
        "merge_calls",
        "open_once",
    ];
    let mut looked_at = 0;
    for Sample { name, setting, advice } in samples::all() {
        let reads = match name {
            "sort_reads" | "larger_reads" | "collective_read" | "nonblocking_read" => true,
            "sort_writes" | "buffer_writes" | "collective_write" | "nonblocking_write" => false,
            _ if EITHER.contains(&name) => setting.mostly_reads,
            _ => continue,
        };
        for code in advice.snippets.iter().map(|snippet| snippet.code.to_lowercase()) {
            // Threads of the connector of HDF5, and hints that have both directions.
            let code = code.replace("thread", "").replace("pthread", "").replace("cb_read", "");
            let code = code.replace("cb_write", "").replace("ds_write", "");
            let other = if reads { "write" } else { "read" };
            assert!(!code.contains(other), "{name}, {reads}: {code}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 200, "{looked_at}");
}

/// A file that `printf` writes must be what ROMIO reads: a key and a value on each line.
#[test]
fn hint_files_have_a_hint_on_each_line() {
    let mut commands = samples::all().into_iter().flat_map(|it| it.advice.commands);
    let line = commands.find(|it| it.line.contains("romio_cb_write")).unwrap().line;
    let print = line.strip_suffix(" >> romio-hints").unwrap();
    let output = Command::new("bash").args(["-c", print]).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "romio_cb_write enable\nromio_cb_read enable\ncb_nodes 8\ncb_buffer_size 16777216\n"
    );
}

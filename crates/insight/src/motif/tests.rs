use super::*;

fn motif() -> Motif {
    Motif {
        sharing: Sharing::SharedFile,
        interface: Interface::Hdf5,
        stack: "MPICH/ROMIO".into(),
        file_system: "ext4".into(),
        dimensions: 3,
        ranks: 8,
        files: 1,
        bytes: 1 << 30,
        request: 1 << 16,
        contiguous: 0.5,
        collective: 1.0,
        read: 0.0,
        metadata: 0.1,
    }
}

#[test]
fn the_distance_is_symmetric_and_between_0_and_1() {
    let one = motif();
    assert_eq!(one.distance(&one), 0.0);
    let mut far = Motif {
        sharing: Sharing::OneRank,
        interface: Interface::Streams,
        stack: String::new(),
        file_system: "lustre".into(),
        dimensions: 0,
        ranks: u64::MAX,
        files: u64::MAX,
        bytes: 0,
        request: 0,
        contiguous: 1.0,
        collective: 0.0,
        read: 1.0,
        metadata: 1.0,
    };
    let distance = one.distance(&far);
    assert!(distance > 0.85 && distance <= 1.0, "{distance}");
    assert!((far.distance(&one) - distance).abs() < 1e-12);
    far.read = 0.0;
    assert!(one.distance(&far) < distance, "each feature counts");
}

#[test]
fn a_few_times_the_ranks_and_bytes_are_close() {
    let larger = Motif { ranks: 32, bytes: 4 << 30, ..motif() };
    assert!(motif().is_close(&larger), "{}", motif().distance(&larger));
    let other = Motif { interface: Interface::Posix, dimensions: 0, collective: 0.0, ..motif() };
    assert!(!motif().is_close(&other), "{}", motif().distance(&other));
}

#[test]
fn another_stack_or_file_system_is_never_close() {
    let stack = Motif { stack: "Open MPI/OMPIO".into(), ..motif() };
    let system = Motif { file_system: "nfs4".into(), ..motif() };
    for other in [stack, system] {
        assert!(motif().distance(&other) < CLOSE);
        assert!(!motif().is_close(&other));
    }
}

#[test]
fn a_motif_is_a_line_of_json_and_back() {
    let text = serde_json::to_string(&motif()).unwrap();
    assert!(!text.contains('\n'));
    assert_eq!(serde_json::from_str::<Motif>(&text).unwrap(), motif());
}

//! Tests of the model.

use super::*;

/// Platform, ranks, kernel, settings and MB/s as the reference implementation of the formula gives them.
/// Settings are S stripes, u bytes of a stripe, A writers, B their buffer, a boundary, c chunk, l lockless,
/// g large blocks.
const KNOWN: &[(&str, Kernel, &str, f64)] = &[
    ("hopper-128", Kernel::Vpic, "", 433.8344634389673),
    ("hopper-128", Kernel::Vpic, "S=64 u=33554432 A=96 B=33554432 a=65536", 2206.233312265815),
    ("hopper-128", Kernel::Vpic, "S=128 u=1048576 A=24 B=1048576 a=1048576", 1622.9820899166732),
    ("hopper-128", Kernel::Vpic, "S=32 u=134217728 A=32 B=134217728 a=65536", 2286.26645728086),
    ("hopper-2048", Kernel::Vpic, "", 406.68907776789086),
    ("hopper-2048", Kernel::Vpic, "S=4 u=2097152 A=256 B=2097152 a=4096", 1048.5297913549311),
    ("hopper-2048", Kernel::Vpic, "S=128 u=1048576 A=64 B=1048576 a=65536", 6515.162250633192),
    ("hopper-2048", Kernel::Vpic, "S=128 u=134217728 A=256 B=134217728 a=65536", 14164.93027007791),
    ("hopper-4096", Kernel::Vpic, "", 399.13825859380546),
    ("hopper-4096", Kernel::Vpic, "S=32 u=33554432 A=48 B=33554432 a=4096", 9007.336471273562),
    ("hopper-4096", Kernel::Vpic, "S=48 u=2097152 A=8 B=2097152 a=16384", 1282.7124758011148),
    (
        "hopper-4096",
        Kernel::Vpic,
        "S=128 u=134217728 A=256 B=134217728 a=65536",
        15712.739196680515,
    ),
    ("hopper-128", Kernel::Vorpal, "", 408.1362025102392),
    ("hopper-128", Kernel::Vorpal, "S=64 u=4194304 A=24 B=4194304 a=65536", 1986.852033404073),
    ("hopper-128", Kernel::Vorpal, "S=16 u=67108864 A=512 B=67108864 a=4096", 2153.2710679137144),
    ("hopper-128", Kernel::Vorpal, "S=32 u=16777216 A=128 B=16777216 a=65536", 2249.697028089745),
    ("hopper-2048", Kernel::Vorpal, "", 384.6708439069783),
    ("hopper-2048", Kernel::Vorpal, "S=156 u=67108864 A=24 B=67108864 a=1", 5594.658626528),
    ("hopper-2048", Kernel::Vorpal, "S=4 u=16777216 A=16 B=16777216 a=4096", 1251.1653461202577),
    (
        "hopper-2048",
        Kernel::Vorpal,
        "S=128 u=33554432 A=1024 B=33554432 a=65536",
        14024.194629607902,
    ),
    ("hopper-4096", Kernel::Vorpal, "", 377.9387909018137),
    ("hopper-4096", Kernel::Vorpal, "S=16 u=67108864 A=8 B=67108864 a=65536", 2008.0593949869706),
    ("hopper-4096", Kernel::Vorpal, "S=24 u=67108864 A=96 B=67108864 a=4096", 7205.5566460633345),
    (
        "hopper-4096",
        Kernel::Vorpal,
        "S=156 u=134217728 A=512 B=134217728 a=65536",
        15638.671824244664,
    ),
    ("hopper-128", Kernel::Gcrm, "", 462.02740019812734),
    (
        "hopper-128",
        Kernel::Gcrm,
        "S=48 u=33554432 A=128 B=33554432 a=4096 c=454770162",
        3055.8230499906304,
    ),
    (
        "hopper-128",
        Kernel::Gcrm,
        "S=32 u=1048576 A=128 B=1048576 a=8388608 c=364322965",
        3100.106987101763,
    ),
    (
        "hopper-128",
        Kernel::Gcrm,
        "S=32 u=2097152 A=128 B=2097152 a=2097152 c=2147483648",
        3102.7768394905465,
    ),
    ("hopper-2048", Kernel::Gcrm, "", 392.29907683793783),
    (
        "hopper-2048",
        Kernel::Gcrm,
        "S=8 u=4194304 A=2048 B=4194304 a=4096 c=150059981",
        1950.4669777684512,
    ),
    (
        "hopper-2048",
        Kernel::Gcrm,
        "S=4 u=8388608 A=2048 B=8388608 a=65536 c=291864405",
        943.9456059853615,
    ),
    (
        "hopper-2048",
        Kernel::Gcrm,
        "S=156 u=4194304 A=2048 B=4194304 a=8388608 c=2147483648",
        16028.829618019316,
    ),
    ("hopper-4096", Kernel::Gcrm, "", 377.8348008181554),
    (
        "hopper-4096",
        Kernel::Gcrm,
        "S=4 u=1048576 A=4096 B=1048576 a=1 c=16338445",
        881.1328423148207,
    ),
    (
        "hopper-4096",
        Kernel::Gcrm,
        "S=4 u=8388608 A=4096 B=8388608 a=65536 c=1378221549",
        908.1881617599939,
    ),
    (
        "hopper-4096",
        Kernel::Gcrm,
        "S=156 u=8388608 A=4096 B=8388608 a=8388608 c=2147483648",
        17119.125422887042,
    ),
    ("stampede-128", Kernel::Vpic, "", 469.7850438113177),
    ("stampede-128", Kernel::Vpic, "S=8 u=8388608 A=512 B=8388608 a=16384", 1205.186861831905),
    (
        "stampede-128",
        Kernel::Vpic,
        "S=160 u=134217728 A=1024 B=134217728 a=4096",
        1795.2113882807605,
    ),
    ("stampede-128", Kernel::Vpic, "S=24 u=16777216 A=24 B=16777216 a=65536", 2145.725560035893),
    ("stampede-2048", Kernel::Vpic, "", 469.5868556160878),
    ("stampede-2048", Kernel::Vpic, "S=8 u=134217728 A=8 B=134217728 a=65536", 1891.6902947957988),
    ("stampede-2048", Kernel::Vpic, "S=64 u=16777216 A=4 B=16777216 a=16384", 943.0140231326827),
    (
        "stampede-2048",
        Kernel::Vpic,
        "S=128 u=134217728 A=256 B=134217728 a=65536",
        13217.462984903928,
    ),
    ("stampede-128", Kernel::Vorpal, "", 467.77806435878455),
    ("stampede-128", Kernel::Vorpal, "S=96 u=16777216 A=1 B=16777216 a=262144", 179.1828931088526),
    ("stampede-128", Kernel::Vorpal, "S=16 u=4194304 A=128 B=4194304 a=16384", 1892.4649379373259),
    ("stampede-128", Kernel::Vorpal, "S=24 u=16777216 A=24 B=16777216 a=65536", 2127.387510695674),
    ("stampede-2048", Kernel::Vorpal, "", 468.4164700190307),
    ("stampede-2048", Kernel::Vorpal, "S=16 u=67108864 A=64 B=67108864 a=4096", 3646.4354772665138),
    ("stampede-2048", Kernel::Vorpal, "S=32 u=4194304 A=256 B=4194304 a=4096", 6043.71362934887),
    (
        "stampede-2048",
        Kernel::Vorpal,
        "S=128 u=33554432 A=256 B=33554432 a=65536",
        13187.890416628976,
    ),
    ("stampede-128", Kernel::Gcrm, "", 238.10626673414595),
    (
        "stampede-128",
        Kernel::Gcrm,
        "S=16 u=33554432 A=128 B=33554432 a=16384 c=13088965",
        2161.3718335532562,
    ),
    (
        "stampede-128",
        Kernel::Gcrm,
        "S=160 u=33554432 A=128 B=33554432 a=4096 c=1720380260",
        2229.9785439660272,
    ),
    (
        "stampede-128",
        Kernel::Gcrm,
        "S=32 u=2097152 A=128 B=2097152 a=2097152 c=2147483648",
        2598.4749981862656,
    ),
    ("stampede-2048", Kernel::Gcrm, "", 168.65310087558592),
    (
        "stampede-2048",
        Kernel::Gcrm,
        "S=8 u=67108864 A=2048 B=67108864 a=16384 c=31778031",
        923.8895697972833,
    ),
    (
        "stampede-2048",
        Kernel::Gcrm,
        "S=128 u=134217728 A=2048 B=134217728 a=262144 c=884521119",
        12638.683421256457,
    ),
    (
        "stampede-2048",
        Kernel::Gcrm,
        "S=160 u=8388608 A=2048 B=8388608 a=8388608 c=2147483648",
        13908.332164351723,
    ),
    ("intrepid-128", Kernel::Vpic, "", 642.452348803622),
    (
        "intrepid-128",
        Kernel::Vpic,
        "S=128 u=4194304 A=256 B=2097152 a=262144 l=1 g=1",
        874.1162570808792,
    ),
    (
        "intrepid-128",
        Kernel::Vpic,
        "S=128 u=4194304 A=256 B=67108864 a=65536 l=1 g=1",
        1232.228368995818,
    ),
    (
        "intrepid-128",
        Kernel::Vpic,
        "S=128 u=4194304 A=128 B=33554432 a=1 l=1 g=1",
        1235.3482497714394,
    ),
    ("intrepid-2048", Kernel::Vpic, "", 2836.0817921258063),
    (
        "intrepid-2048",
        Kernel::Vpic,
        "S=128 u=4194304 A=2 B=16777216 a=8388608 g=1",
        147.3578541183055,
    ),
    (
        "intrepid-2048",
        Kernel::Vpic,
        "S=128 u=4194304 A=24 B=8388608 a=8388608 g=1",
        815.1524840640634,
    ),
    (
        "intrepid-2048",
        Kernel::Vpic,
        "S=128 u=4194304 A=512 B=134217728 a=1 l=1 g=1",
        6062.087519476931,
    ),
    ("intrepid-4096", Kernel::Vpic, "", 3066.540373458853),
    (
        "intrepid-4096",
        Kernel::Vpic,
        "S=128 u=4194304 A=64 B=67108864 a=262144 l=1 g=1",
        5142.328111009081,
    ),
    ("intrepid-4096", Kernel::Vpic, "S=128 u=4194304 A=32 B=134217728 a=65536", 3719.930925104231),
    (
        "intrepid-4096",
        Kernel::Vpic,
        "S=128 u=4194304 A=1024 B=134217728 a=1 l=1 g=1",
        6516.551100260566,
    ),
    ("intrepid-128", Kernel::Vorpal, "", 524.9386627893157),
    ("intrepid-128", Kernel::Vorpal, "S=128 u=4194304 A=96 B=4194304 a=1048576", 715.7697649407032),
    ("intrepid-128", Kernel::Vorpal, "S=128 u=4194304 A=96 B=8388608 a=2097152", 961.5712121224961),
    (
        "intrepid-128",
        Kernel::Vorpal,
        "S=128 u=4194304 A=128 B=16777216 a=1 l=1 g=1",
        1171.8070709260924,
    ),
    ("intrepid-2048", Kernel::Vorpal, "", 2587.5475530182025),
    (
        "intrepid-2048",
        Kernel::Vorpal,
        "S=128 u=4194304 A=96 B=4194304 a=65536 g=1",
        882.9170161513545,
    ),
    (
        "intrepid-2048",
        Kernel::Vorpal,
        "S=128 u=4194304 A=1 B=67108864 a=2097152 g=1",
        100.62042684801561,
    ),
    (
        "intrepid-2048",
        Kernel::Vorpal,
        "S=128 u=4194304 A=1024 B=33554432 a=1 l=1 g=1",
        5880.295691799822,
    ),
    ("intrepid-4096", Kernel::Vorpal, "", 2909.4938896306135),
    (
        "intrepid-4096",
        Kernel::Vorpal,
        "S=128 u=4194304 A=1024 B=8388608 a=4096 l=1 g=1",
        5899.193514636871,
    ),
    (
        "intrepid-4096",
        Kernel::Vorpal,
        "S=128 u=4194304 A=48 B=67108864 a=65536",
        3429.6300205955954,
    ),
    (
        "intrepid-4096",
        Kernel::Vorpal,
        "S=128 u=4194304 A=1024 B=67108864 a=1 l=1 g=1",
        6359.90874706065,
    ),
    ("intrepid-128", Kernel::Gcrm, "", 467.10916725742834),
    (
        "intrepid-128",
        Kernel::Gcrm,
        "S=128 u=4194304 A=128 B=4194304 a=1048576 c=1378221549",
        1258.366013044003,
    ),
    (
        "intrepid-128",
        Kernel::Gcrm,
        "S=128 u=4194304 A=128 B=4194304 a=2097152 c=39667278",
        1230.4835674545268,
    ),
    (
        "intrepid-128",
        Kernel::Gcrm,
        "S=128 u=4194304 A=128 B=4194304 a=8388608 c=2147483648",
        1258.8926511589557,
    ),
    ("intrepid-2048", Kernel::Gcrm, "", 442.3643007298587),
    (
        "intrepid-2048",
        Kernel::Gcrm,
        "S=128 u=4194304 A=2048 B=4194304 a=1 c=77152258",
        1841.6749221621083,
    ),
    (
        "intrepid-2048",
        Kernel::Gcrm,
        "S=128 u=4194304 A=2048 B=4194304 a=8388608 c=1104113249",
        1928.0318219056344,
    ),
    (
        "intrepid-2048",
        Kernel::Gcrm,
        "S=128 u=4194304 A=2048 B=4194304 a=8388608 c=2147483648",
        1929.235632090785,
    ),
    ("intrepid-4096", Kernel::Gcrm, "", 356.0120148554584),
    (
        "intrepid-4096",
        Kernel::Gcrm,
        "S=128 u=4194304 A=4096 B=4194304 a=16384 c=25457841",
        1403.8283995510733,
    ),
    (
        "intrepid-4096",
        Kernel::Gcrm,
        "S=128 u=4194304 A=4096 B=4194304 a=1048576 c=13088965",
        1309.7513627446006,
    ),
    (
        "intrepid-4096",
        Kernel::Gcrm,
        "S=128 u=4194304 A=4096 B=4194304 a=8388608 c=2147483648",
        1543.0755395689157,
    ),
];

#[test]
fn the_formula_gives_the_values_of_the_reference() {
    for (model, kernel, settings, megabytes) in KNOWN {
        let model: Model = model.parse().unwrap();
        let rate = model.bytes(*kernel) / model.seconds(*kernel, &stack(settings)) / 1e6;
        assert!((rate / megabytes - 1.0).abs() < 1e-6, "{model} {kernel} {settings}: {rate}");
    }
}

fn stack(text: &str) -> Stack {
    let mut stack = Stack::default();
    for pair in text.split_whitespace() {
        let (name, number) = pair.split_once('=').unwrap();
        let number: f64 = number.parse().unwrap();
        match name {
            "S" => stack.stripes = Some(number),
            "u" => stack.stripe_size = Some(number),
            "A" => stack.writers = Some(number),
            "B" => stack.buffer = Some(number),
            "a" => stack.boundary = Some(number),
            "c" => stack.chunk = Some(number),
            "l" => stack.lockless = true,
            "g" => stack.large_blocks = true,
            _ => panic!("{pair}"),
        }
    }
    stack
}

#[test]
fn settings_have_the_names_of_the_table() {
    let settings = [
        ("fs.striping_factor", "64"),
        ("fs.striping_unit", "8388608"),
        ("mpiio.bgl_nodes_pset", "32"),
        ("mpiio.cb_buffer_size", "8388608"),
        ("hdf5.alignment", "0,65536"),
        ("fs.IBM_lockless_io", "true"),
    ];
    let expected = Stack { lockless: true, ..stack("S=64 u=8388608 A=32 B=8388608 a=65536") };
    assert_eq!(Stack::of(settings), Ok(expected));
    let unsuitable = Err(Unsuitable("hdf5.libver".into()));
    assert_eq!(Stack::of([("hdf5.libver", "latest")]), unsuitable);
}

#[test]
fn names_of_models_are_checked() {
    for (text, start) in [
        ("hopper", "'hopper' is no model"),
        ("cray-128", "no platform 'cray'; there are hopper, stampede, intrepid"),
        ("hopper-0", "'hopper-0' is no number of ranks"),
        ("hopper-x", "'hopper-x' is no number of ranks"),
        ("hopper-99999999999999999999", "'hopper-9999"),
    ] {
        let error = text.parse::<Model>().unwrap_err().to_string();
        assert!(error.starts_with(start), "{error}");
    }
    assert_eq!("intrepid-1".parse::<Model>().unwrap().to_string(), "intrepid-1");
}

#[test]
fn any_number_of_ranks_has_a_finite_time() {
    for platform in &PLATFORMS {
        for ranks in [1, 2, 3, 1000, 1 << 24] {
            for kernel in Kernel::ALL {
                for text in ["", "S=1 u=65536 A=65536 B=1 a=1 c=4096", "S=99999 u=4294967296 A=1"] {
                    let model = Model { platform, ranks };
                    let seconds = model.seconds(kernel, &stack(text));
                    assert!(seconds.is_finite() && seconds > 0.0, "{model} {kernel} {text}");
                }
            }
        }
    }
}

#[test]
fn noise_has_the_spread_and_the_share_that_are_asked_for() {
    let noise = Noise::default();
    assert_eq!(noise.factor("x", 1, 5), noise.factor("x", 1, 5));
    assert_ne!(noise.factor("x", 1, 5), noise.factor("x", 1, 6));
    let runs = 4000;
    let logs: Vec<f64> = (0..runs).map(|run| noise.factor("x", 3, run).ln()).collect();
    let far = logs.iter().filter(|log| **log > 0.4).count() as f64 / runs as f64;
    assert!((0.02..0.05).contains(&far), "interference that is seen: {far}");
    let calm = Noise { interference: 0.0, ..noise };
    let square =
        (0..runs).map(|run| calm.factor("x", 3, run).ln().powi(2)).sum::<f64>() / runs as f64;
    assert!((square.sqrt() - 0.1).abs() < 0.005);
    let none = Noise { spread: 0.0, interference: 0.0 };
    assert_eq!(none.factor("x", 1, 1), 1.0);
}

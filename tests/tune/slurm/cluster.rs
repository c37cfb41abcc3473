//! A cluster of one node: real munged, slurmctld and slurmd, for the time of the tests.

use std::fs::{self, Permissions};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::support::missing;

/// Starts the daemons; ends them, and their jobs, when its standard input ends. That is when the process
/// that runs the tests ends, however it ends.
const KEEPER: &str = r#"
D=$1 H=$2
trap '' HUP INT TERM
munged --force -F --key-file=$D/munge.key --socket=$D/run/munge.socket --pid-file=$D/run/munged.pid \
    --seed-file=$D/run/seed --log-file=$D/log/munged.log </dev/null >$D/log/munge 2>&1 &
daemons=$!
until test -S $D/run/munge.socket; do sleep 0.05; kill -0 $! || exit 1; done
slurmctld -D -f $D/slurm.conf </dev/null >$D/log/slurmctld 2>&1 &
daemons="$! $daemons"
slurmd -D -f $D/slurm.conf -N $H </dev/null >$D/log/slurmd 2>&1 &
daemons="$! $daemons"
cat >/dev/null
scancel --user=$(id -u) 2>/dev/null
for second in 1 2 3 4 5 6 7 8 9 10; do
    test -n "$(squeue --noheader 2>/dev/null)" || break
    sleep 1
done
kill $daemons
wait
rm -rf $D
"#;

/// The commands of a cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    folder: PathBuf,
}

/// The cluster of all tests; none, which is said, where Slurm is missing.
pub(super) fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(start).as_ref()
}

fn start() -> Option<Cluster> {
    for daemon in ["munged", "slurmctld", "slurmd"] {
        let path = Path::new("/usr/sbin").join(daemon);
        if !path.exists() {
            missing("jobs of Slurm", &path);
            return None;
        }
    }
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout != b"0\n" {
        missing("jobs of Slurm", Path::new("root"));
        return None;
    }
    // A port may be taken between its choice and its use.
    let started = (0..3).find_map(Cluster::start);
    Some(started.expect("the cluster does not start"))
}

impl Cluster {
    fn start(attempt: u32) -> Option<Cluster> {
        // The path of a socket is short.
        let name = format!("ioglass-slurm-{}-{attempt}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for part in ["run", "log", "state", "spool", "bin"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
        let mut key = fs::File::create(folder.join("munge.key")).unwrap();
        key.write_all(&(0..1024).map(|byte| (byte * 7) as u8).collect::<Vec<u8>>()).unwrap();
        fs::set_permissions(folder.join("munge.key"), Permissions::from_mode(0o400)).unwrap();
        let sacct = format!("#!/bin/sh\necho \"$@\" >> {}/accounts\nexit 1\n", folder.display());
        fs::write(folder.join("bin/sacct"), sacct).unwrap();
        fs::set_permissions(folder.join("bin/sacct"), Permissions::from_mode(0o755)).unwrap();
        let host = Command::new("hostname").arg("-s").output().unwrap();
        let host = String::from_utf8(host.stdout).unwrap().trim().to_owned();
        fs::write(folder.join("slurm.conf"), configuration(&folder, &host)).unwrap();
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(&folder).arg(&host);
        keeper.env("SLURM_CONF", folder.join("slurm.conf")).process_group(0);
        keeper.env("PATH", with_daemons()).stdin(Stdio::piped());
        keeper.stdout(Stdio::null()).stderr(Stdio::null());
        let mut keeper = keeper.spawn().unwrap();
        let cluster = Cluster { folder };
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            let nodes = cluster.command("sinfo").args(["-h", "-o", "%T"]).output().unwrap();
            if nodes.stdout == b"idle\n" {
                // Its standard input ends with this process.
                std::mem::forget(keeper);
                return Some(cluster);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        drop(keeper.stdin.take());
        keeper.wait().unwrap();
        None
    }

    /// A command that finds the cluster.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        self.give(&mut command);
        command
    }

    /// Makes a command find the cluster, and what of another job could confuse it.
    pub(super) fn give(&self, command: &mut Command) {
        let mut path = std::ffi::OsString::from(self.folder.join("bin"));
        path.push(":");
        path.push(with_daemons());
        command.env("PATH", path).env("SLURM_CONF", self.folder.join("slurm.conf"));
    }

    /// The file with the configuration.
    pub(super) fn configuration(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    /// The jobs in this folder and below that are not over.
    pub(super) fn jobs(&self, folder: &Path) -> Vec<String> {
        let listed = self.command("squeue").args(["-h", "-o", "%A %T %Z"]).output().unwrap();
        assert!(listed.status.success());
        let lines = String::from_utf8_lossy(&listed.stdout).into_owned();
        let folder = folder.to_str().unwrap();
        lines.lines().filter(|line| line.contains(folder)).map(str::to_owned).collect()
    }

    /// Nobody asked for accounts of jobs.
    #[track_caller]
    pub(super) fn was_not_asked_for_accounts(&self) {
        assert!(!self.folder.join("accounts").exists());
    }
}

fn with_daemons() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{path}:/usr/sbin:/sbin:/usr/bin:/bin")
}

fn configuration(folder: &Path, host: &str) -> String {
    let folder = folder.display();
    let listeners = [0, 0].map(|any| TcpListener::bind(("127.0.0.1", any)).unwrap());
    let [controller, node] = listeners.each_ref().map(|one| one.local_addr().unwrap().port());
    // The tests are not about processors: no job waits for them, nor for others to be scheduled with.
    format!(
        "ClusterName=ioglass\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\n\
         AuthType=auth/munge\nAuthInfo=socket={folder}/run/munge.socket\nCredType=cred/munge\n\
         StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n\
         SlurmctldPidFile={folder}/run/slurmctld.pid\nSlurmdPidFile={folder}/run/slurmd.pid\n\
         SlurmctldPort={controller}\nSlurmdPort={node}\nProctrackType=proctrack/linuxproc\n\
         TaskPlugin=task/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
         JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
         JobCompType=jobcomp/none\nMpiDefault=none\nReturnToService=2\nMinJobAge=300\nKillWait=10\n\
         SlurmdParameters=config_overrides\nSchedulerParameters=batch_sched_delay=0\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs=64 State=UNKNOWN\n\
         PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
    )
}

//! A PostgreSQL server that is gone with the test.

use std::{env, fs, path::PathBuf, process::Command};

use business_data_connector_outbox::{
    Outbox,
    deadpool_postgres::{Manager, Pool, tokio_postgres::NoTls},
};

pub struct Cluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts a server, if PostgreSQL is installed.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(env::var_os("BDC_COMPLETE").is_none(), "PostgreSQL is not installed");
            println!("left out: PostgreSQL is not installed");
            return None;
        };
        // The path of a socket has to be short.
        let folder = tempfile::Builder::new().prefix("bdc-pg").tempdir().unwrap();
        if is_root() {
            run(Command::new("chown").arg("postgres:").arg(folder.path()));
        }
        let cluster = Self { programs, folder };
        let quick = ["-A", "trust", "-U", "bdc", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
        run(cluster.program("initdb").arg("-D").arg(cluster.path("data")).args(quick));
        let options = format!(
            "-k {} -c listen_addresses='' -c fsync=off -c full_page_writes=off -c max_connections=100",
            cluster.folder.path().display()
        );
        let start = ["-s", "-w", "-t", "30", "-o", &options, "start"];
        run(cluster
            .program("pg_ctl")
            .arg("-D")
            .arg(cluster.path("data"))
            .arg("-l")
            .arg(cluster.path("log"))
            .args(start));
        Some(cluster)
    }

    /// A new database with the tables of the outbox, and how to connect to it.
    pub async fn database(&self, name: &str) -> (Pool, String) {
        let (pool, address) = self.empty_database(name).await;
        Outbox::migrate_postgres(&pool).await.unwrap();
        (pool, address)
    }

    pub async fn empty_database(&self, name: &str) -> (Pool, String) {
        let server = pool(&self.address("postgres"));
        let client = server.get().await.unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let address = self.address(name);
        (pool(&address), address)
    }

    pub fn address(&self, database: &str) -> String {
        format!("host={} user=bdc dbname={database}", self.folder.path().display())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program of PostgreSQL, which refuses to be run by root.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() { Command::new("runuser") } else { Command::new(&program) };
        if is_root() {
            command.args(["-u", "postgres", "--"]).arg(program);
        }
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stop = ["-s", "-w", "-m", "immediate", "stop"];
        let _ = self.program("pg_ctl").arg("-D").arg(self.path("data")).args(stop).status();
    }
}

pub fn pool(address: &str) -> Pool {
    Pool::builder(Manager::new(address.parse().unwrap(), NoTls)).max_size(8).build().unwrap()
}

/// Where the programs are: in the path, or where Debian has them.
fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<_> = debian.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.extend(env::split_paths(&path));
    folders.into_iter().rev().find(|folder| folder.join("initdb").is_file())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

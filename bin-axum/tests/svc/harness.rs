//! Runs the binary on a data directory of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::TempDir;

/// Runs statements in a database.
pub(crate) fn run(options: &PgConnectOptions, statements: &'static str) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut connection = options.connect().await.unwrap();
        sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    });
}

/// Copies a folder with the owners and modes of its files, which PostgreSQL is particular about.
fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success(), "cp {}", from.display());
}

/// A data directory, and the binary that runs on it.
pub(crate) struct Svc {
    pub(crate) dir: TempDir,
}

impl Svc {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Under root the private server runs as another user.
        std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Self { dir }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
        command.args(args);
        for name in ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL", "PORT", "RUST_LOG"] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SVC_") && name != "SVC_PG_BIN") {
            command.env_remove(name);
        }
        command.env("SVC_DATA_DIR", self.dir.path().join("data"));
        // Tests send more requests a minute, and at once, than the limits allow.
        command.env("SVC_RATE_PER_MINUTE", "1000000").env("SVC_IN_FLIGHT", "1000");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str], input: &str) -> Output {
        let mut child = self.command(args).spawn().unwrap();
        // A command that does not read its input may have ended by now.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    pub(crate) fn ok(&self, args: &[&str]) -> Value {
        let output = self.run(args, "");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(stdout.lines().count(), 1, "{stdout}");
        serde_json::from_str(&stdout).unwrap()
    }

    /// The demo. Its year is loaded once for all tests, and this one gets a copy of it.
    pub(crate) fn demo(&self) -> Demo {
        static LOADED: OnceLock<PathBuf> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo");
            if folder.exists() {
                std::fs::remove_dir_all(&folder).unwrap();
            }
            let first = Self::new();
            let demo = first.new_demo();
            demo.get("/clientes?limite=1");
            demo.stop(Signal::SIGTERM);
            assert!(first.server_is_gone());
            copy(&first.dir.path().join("data"), &folder);
            folder
        });
        let data = self.dir.path().join("data");
        if !data.exists() {
            copy(loaded, &data);
        }
        self.new_demo()
    }

    /// The demo, which loads its year unless this was done in the directory.
    pub(crate) fn new_demo(&self) -> Demo {
        let mut child =
            self.command(&["demo", "--office", "--listen", "127.0.0.1:0"]).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let printed: Value = serde_json::from_str(&line).unwrap();
        let base = printed["base_url"].as_str().unwrap();
        let address = base.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/api/v1")).unwrap().to_owned();
        Demo { child, printed, address, log: Log::default() }
    }

    /// The API, served with these options; requests use this key.
    pub(crate) fn serve(&self, options: &[&str], key: Value) -> Demo {
        Self::start(self.command(&["serve", "--listen", "127.0.0.1:0"]).args(options), key)
    }

    /// The API, served by this command; requests use this key.
    pub(crate) fn start(command: &mut Command, key: Value) -> Demo {
        Self::start_saying(command, "serving", key)
    }

    /// A server that reports when it serves, and at which address.
    pub(crate) fn start_saying(command: &mut Command, said: &str, key: Value) -> Demo {
        let mut child = command.spawn().unwrap();
        let log = Log::default();
        let (stderr, lines) = (BufReader::new(child.stderr.take().unwrap()).lines(), log.clone());
        std::thread::spawn(move || stderr.for_each(|line| lines.0.lock().unwrap().push(line.unwrap())));
        // It reports that in a line of either log format.
        let address = log.wait(|line| {
            let (text, json) = (format!("{said} address="), format!(r#""{said}","address":""#));
            let address = line.split_once(&text).map(|(_, address)| address);
            let json = || line.split_once(&json)?.1.split_once('"').map(|(address, _)| address);
            address.or_else(json).map(str::to_owned)
        });
        Demo { child, printed: key, address, log }
    }

    /// Whether no PostgreSQL serves the data directory any more, after a moment.
    pub(crate) fn server_is_gone(&self) -> bool {
        let cluster = self.dir.path().join("data/cluster").to_string_lossy().into_owned();
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            let serving = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
                std::fs::read(entry.path().join("cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).split('\0').any(|argument| argument == cluster))
            });
            if !serving {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

/// The stderr of a process.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// All lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The rest of the first line that contains `prefix`.
    pub(crate) fn wait<T>(&self, said: impl Fn(&str) -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let lines = self.lines();
            if let Some(said) = lines.iter().find_map(|line| said(line)) {
                return said;
            }
            assert!(Instant::now() < deadline, "{}", lines.join("\n"));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

pub(crate) struct Demo {
    pub(crate) child: Child,
    pub(crate) printed: Value,
    pub(crate) address: String,
    pub(crate) log: Log,
}

impl Demo {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().unwrap())
    }

    pub(crate) fn head(&self, method: &str, path: &str, headers: &str) -> String {
        let (id, secret) = (self.printed["key_id"].as_str().unwrap(), self.printed["api_key"].as_str().unwrap());
        format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {secret}\r\nX-Svc-Key-Id: {id}\r\n{headers}\r\n",
            self.address
        )
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.send(&self.head("GET", path, ""));
        assert_eq!(status, 200, "{body}");
        body
    }

    pub(crate) fn post(&self, path: &str, key: &str, body: &str) -> (u16, Value) {
        self.send(&self.writing(path, key, body))
    }

    /// A POST with its Idempotency-Key and body.
    pub(crate) fn writing(&self, path: &str, key: &str, body: &str) -> String {
        let headers =
            format!("Content-Type: application/json\r\nIdempotency-Key: {key}\r\nContent-Length: {}\r\n", body.len());
        format!("{}{body}", self.head("POST", path, &headers))
    }

    /// Sends a printed request, as if pasted.
    pub(crate) fn paste(&self, curl: &str) -> (u16, Value) {
        let quoted: Vec<&str> = curl.split('\'').skip(1).step_by(2).collect();
        let path = quoted[0].split_once("/api/v1").unwrap().1;
        assert!(quoted.iter().any(|text| text.contains(self.printed["api_key"].as_str().unwrap())), "{curl}");
        let Some(key) = quoted.iter().find_map(|text| text.strip_prefix("Idempotency-Key: ")) else {
            let simulation = quoted.iter().find(|text| text.starts_with("X-Svc-Simular: "));
            let more = simulation.map(|header| format!("{header}\r\n")).unwrap_or_default();
            return self.send(&self.head("GET", path, &more));
        };
        self.post(path, key, quoted.last().unwrap())
    }

    /// The head and the body of the answer to a printed request for a file.
    pub(crate) fn download(&self, curl: &str) -> (String, Vec<u8>) {
        let path = curl.split('\'').nth(1).unwrap().split_once("/api/v1").unwrap().1;
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(self.head("GET", path, "").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer.split_off(end + 4))
    }

    /// The only record that a printed request finds, once its field has that value; waits a moment.
    pub(crate) fn wait_for(&self, curl: &str, field: &str, value: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let (status, mut body) = self.paste(curl);
            assert_eq!((status, body["datos"].as_array().map(Vec::len)), (200, Some(1)), "{curl}: {body}");
            if body["datos"][0][field] == value {
                return body["datos"][0].take();
            }
            assert!(Instant::now() < deadline, "{field} did not become {value}: {body}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn send(&self, request: &str) -> (u16, Value) {
        self.try_send(request).unwrap_or_else(|| panic!("no answer to {request}"))
    }

    /// An answer's status and body; none if the server is gone.
    pub(crate) fn try_send(&self, request: &str) -> Option<(u16, Value)> {
        let (head, body) = self.exchange(request)?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(&body).ok()?))
    }

    /// An answer's head and body; none if the server is gone.
    pub(crate) fn exchange(&self, request: &str) -> Option<(String, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.split_once("\r\n\r\n").map(|(head, body)| (head.to_owned(), body.to_owned()))
    }

    /// The operators' address, once the log says it.
    pub(crate) fn admin(&self) -> String {
        self.log.wait(|line| {
            let said = line.contains("answering operators").then(|| line.split_once("address")).flatten();
            said.map(|(_, said)| said.trim_start_matches(['=', '"', ':']).split('"').next().unwrap().to_owned())
        })
    }

    /// Its exit status and how long it took to end, within a limit.
    pub(crate) fn ended(&mut self, within: Duration) -> (ExitStatus, Duration) {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, began.elapsed());
            }
            assert!(began.elapsed() < within, "it does not end: {}", self.log.lines().join("\n"));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn stop(mut self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.success(), signal == Signal::SIGTERM, "{status}");
    }

    /// Reads a list to its end.
    pub(crate) fn walk(&self, path: &str) -> Vec<Value> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let (mut records, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}{joint}limite=30{cursor}"));
            records.extend(page["datos"].as_array().unwrap().iter().cloned());
            if page["hay_mas"] == false {
                return records;
            }
            cursor = format!("&cursor={}", page["siguiente"].as_str().unwrap());
        }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

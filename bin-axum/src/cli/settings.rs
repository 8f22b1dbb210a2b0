//! Settings shared by several commands: the database, the service, the process. Those of any front
//! end are in `svc_core::settings`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use clap::Args;
use ipnet::IpNet;
use svc_core::settings::{ApiSettings, Hidden, OutsideSettings};
use svc_store_postgres::Pooler;

/// Where the server listens if neither an address nor a port is given.
pub(crate) const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// The API's address where none is given.
pub(crate) const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080/api/v1";

#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// PostgreSQL to use; without it a private one runs in the data directory. End it with
    /// `?sslmode=verify-full` (and `&sslrootcert=FILE` for a private authority) to verify a
    /// database on another machine; otherwise serve warns.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    database_url: Option<Hidden>,
    /// Where the private PostgreSQL keeps its data.
    #[arg(long, env = "SVC_DATA_DIR", default_value = ".svc", global = true)]
    pub(crate) data_dir: PathBuf,
    /// The most connections of the process to its database: 3 for keys and readiness, 4 for
    /// background work, the others for requests. A replica has as many as requests.
    #[arg(long, env = "SVC_MAX_CONNECTIONS", default_value_t = 27, value_parser = clap::value_parser!(u32).range(8..=1000), global = true)]
    pub(crate) max_connections: u32,
    /// The pooler in front of `DATABASE_URL`: none, or transaction for one in transaction mode
    /// (such as PgBouncer).
    #[arg(long, env = "SVC_POOLER", default_value = "none", global = true)]
    pub(crate) pooler: Pooler,
    /// The same database without the pooler, for migrations. `sslmode` as in `DATABASE_URL`.
    #[arg(long, env = "DATABASE_DIRECT_URL", hide_env_values = true, global = true)]
    database_direct_url: Option<Hidden>,
    /// A replica of the database, to read lists from; while it is unreachable, lists come from the
    /// database itself. `sslmode` as in `DATABASE_URL`.
    #[arg(long, env = "DATABASE_REPLICA_URL", hide_env_values = true, global = true)]
    database_replica_url: Option<Hidden>,
    /// Hosts of databases that only a private network leads to, such as containers' names, several
    /// with commas between: that their certificates are not verified is no finding of doctor, and
    /// serve does not warn of it.
    #[arg(
        long,
        env = "SVC_DATABASE_PRIVATE_HOSTS",
        value_name = "HOSTS",
        default_value = "",
        hide_default_value = true,
        global = true
    )]
    database_private_hosts: String,
}

/// Reads a network, or an address alone.
pub(crate) fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let alone = || IpAddr::from_str(text).ok().map(IpNet::from);
    IpNet::from_str(text).ok().or_else(alone).ok_or_else(|| "neither a network nor an address".to_owned())
}

/// How long a command that needs the database waits for it.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Seconds to wait for a database that cannot be reached yet, as after the machine's start.
    #[arg(long, env = "SVC_DATABASE_WAIT", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=3600))]
    database_wait: u64,
}

impl WaitArgs {
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_secs(self.database_wait)
    }
}

impl DatabaseArgs {
    /// Whether the database's address is set and empty, as if by mistake.
    pub(crate) fn url_is_empty(&self) -> bool {
        self.database_url.as_ref().is_some_and(|url| url.reveal().is_empty())
    }

    /// The database, unless it is a private one.
    pub(crate) fn url(&self) -> Option<&str> {
        Hidden::given(self.database_url.as_ref())
    }

    /// The database past the pooler.
    pub(crate) fn direct_url(&self) -> Option<&str> {
        Hidden::given(self.database_direct_url.as_ref())
    }

    /// Where lists are read from instead, if anywhere.
    pub(crate) fn replica_url(&self) -> Option<&str> {
        Hidden::given(self.database_replica_url.as_ref())
    }

    /// The hosts that need not be verified.
    pub(crate) fn private_hosts(&self) -> Vec<String> {
        let hosts = self.database_private_hosts.split(',').map(str::trim);
        hosts.filter(|host| !host.is_empty()).map(str::to_owned).collect()
    }

    /// Whether a setting is given that a private database cannot have.
    pub(crate) fn is_about_an_address(&self) -> bool {
        self.pooler != Pooler::None || self.direct_url().is_some() || self.replica_url().is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Address to listen on.
    #[arg(long, env = "SVC_LISTEN")]
    pub(crate) listen: Option<SocketAddr>,
    /// Port to listen on, on all addresses, when no address is given.
    #[arg(long, env = "PORT")]
    pub(crate) port: Option<u16>,
    /// The API's public address; by default `http://LISTEN/api/v1`.
    #[arg(long, env = "SVC_BASE_URL")]
    pub(crate) base_url: Option<String>,
    /// The most open connections of clients; fewer if the limit of open files is low. Beyond them a
    /// newcomer gets the place of the connection that has been idle for longest, first of those
    /// that carried no authenticated request yet; if all are being answered it gets 503.
    #[arg(long, env = "SVC_MAX_CLIENTS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_clients: u32,
    /// The networks or addresses of the proxies in front of the server, with commas between: logs
    /// tell the client that they name in `X-Forwarded-For`.
    #[arg(long, env = "SVC_TRUSTED_PROXIES", value_name = "NETS", value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxies: Vec<IpNet>,
    #[command(flatten)]
    pub(crate) api: ApiSettings,
}

impl ServiceArgs {
    /// Where to listen: the address given, else every address at the port given, else
    /// [`DEFAULT_ADDRESS`].
    pub(crate) fn address(&self) -> SocketAddr {
        let at_port = self.port.map(|port| ([0, 0, 0, 0], port).into());
        self.listen.or(at_port).unwrap_or(DEFAULT_ADDRESS)
    }
}

// A doc comment here would replace the command's in the help.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) outside: OutsideSettings,
    #[command(flatten)]
    pub(crate) process: ProcessArgs,
    /// Do not run the timers (stamping, delivery, clean-up).
    #[arg(long, env = "SVC_NO_WORKERS")]
    pub(crate) no_workers: bool,
    /// Do not bring the schema up to date first.
    #[arg(long, env = "SVC_NO_MIGRATE")]
    pub(crate) no_migrate: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

/// Operators' access to a server, and its shutdown.
#[derive(Debug, Args)]
pub(crate) struct ProcessArgs {
    /// Address of /live, /ready, /metrics and /top, which are for operators only; without it they
    /// are not served.
    #[arg(long, env = "SVC_ADMIN_LISTEN")]
    pub(crate) admin_listen: Option<SocketAddr>,
    /// Seconds to keep serving after the signal to stop, so that load balancers see it in /ready;
    /// by default 3 with an admin address, else 0. At most the deadline less 5.
    #[arg(long, env = "SVC_DRAIN_DELAY", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=600))]
    drain_delay: Option<u64>,
    /// Seconds after the signal to stop within which the server exits, even with requests under
    /// way.
    #[arg(long, env = "SVC_SHUTDOWN_DEADLINE", value_name = "SECONDS", default_value_t = 25, value_parser = clap::value_parser!(u64).range(1..=3600))]
    shutdown_deadline: u64,
}

impl ProcessArgs {
    /// How long to go on serving after a stop signal, if it is set.
    pub(crate) fn drain_delay(&self) -> Option<Duration> {
        self.drain_delay.map(Duration::from_secs)
    }

    /// How long it may take to end after a stop signal.
    pub(crate) fn shutdown_deadline(&self) -> Duration {
        Duration::from_secs(self.shutdown_deadline)
    }
}

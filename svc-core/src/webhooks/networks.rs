use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// A set of IP networks, as a setting names it: `10.0.0.0/8, fd00::/8, 127.0.0.1`, a lone address being a network of one.
/// The empty text is the empty set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Networks(Vec<IpNet>);

/// A text that names no networks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no network: write it as 10.0.0.0/8 or fd00::/8, several with commas between")]
pub struct NoNetworks(String);

impl Networks {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `address` lies in one of them. An IPv4 address in the form of IPv6 (`::ffff:10.0.0.1`) is that IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = NoNetworks;

    fn from_str(text: &str) -> Result<Self, NoNetworks> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let network = |part: &str| {
            let lone = || part.parse::<IpAddr>().ok().map(IpNet::from);
            // Bits beyond the prefix are no part of the network.
            part.parse()
                .ok()
                .or_else(lone)
                .map(|network: IpNet| network.trunc())
                .ok_or_else(|| NoNetworks(part.to_owned()))
        };
        text.split(',').map(|part| network(part.trim())).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let networks: Vec<_> = self.0.iter().map(IpNet::to_string).collect();
        f.write_str(&networks.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        let networks: Networks = "10.1.2.3/8, fd00::/8,192.0.2.7".parse().unwrap();
        assert_eq!(networks.to_string(), "10.0.0.0/8,fd00::/8,192.0.2.7/32");
        for (address, within) in [
            ("10.255.0.1", true),
            ("::ffff:10.255.0.1", true),
            ("11.0.0.1", false),
            ("fdff::1", true),
            ("fe80::1", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
        ] {
            assert_eq!(networks.contains(address.parse().unwrap()), within, "{address}");
        }
        let none: Networks = " ".parse().unwrap();
        assert!(none.is_empty() && !none.contains("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn what_is_no_network_is_refused_and_named() {
        for wrong in ["x", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/8,", "10.0.0.0/8;::/0", "localhost", "fd00::/129"] {
            assert!(wrong.parse::<Networks>().is_err(), "{wrong}");
        }
        assert!("10.0.0.0/8,x".parse::<Networks>().unwrap_err().to_string().starts_with("\"x\" is no network"));
    }
}

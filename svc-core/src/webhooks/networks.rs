//! The operator's networks: more to refuse and, for development, some to allow.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// The networks that deliveries may reach beyond the rule of contract §6
/// (`SVC_WEBHOOK_ALLOW_NETS`), and those that they may not (`SVC_WEBHOOK_DENY_NETS`). A denied
/// network is refused even if it is also allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks {
    allow: Vec<IpNet>,
    deny: Vec<IpNet>,
}

/// A text that is not a list of networks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no network; write 203.0.113.0/24 or 2001:db8::/32, several with commas between them")]
pub struct NoNetwork(String);

impl Networks {
    /// Adds allowed networks (`203.0.113.0/24`, several with commas): for development only, since
    /// they also allow plain http and any port.
    pub fn allow(mut self, list: &str) -> Result<Self, NoNetwork> {
        self.allow.extend(networks(list)?);
        Ok(self)
    }

    /// Adds refused networks, written as in [`Networks::allow`].
    pub fn deny(mut self, list: &str) -> Result<Self, NoNetwork> {
        self.deny.extend(networks(list)?);
        Ok(self)
    }

    /// Whether any network is allowed, so that a webhook's URL may use plain http or another port.
    pub fn is_development(&self) -> bool {
        !self.allow.is_empty()
    }

    /// Whether the address is in an allowed network.
    pub fn allows(&self, address: IpAddr) -> bool {
        contain(&self.allow, address)
    }

    /// Whether the address is in a refused network.
    pub fn denies(&self, address: IpAddr) -> bool {
        contain(&self.deny, address)
    }
}

/// A mapped address (`::ffff:10.0.0.1`) is in the networks of both its forms.
fn contain(networks: &[IpNet], address: IpAddr) -> bool {
    let forms = [address, address.to_canonical()];
    networks.iter().any(|network| forms.iter().any(|form| network.contains(form)))
}

/// Parses networks separated by commas; a single address is a network of one.
fn networks(list: &str) -> Result<Vec<IpNet>, NoNetwork> {
    let parts = list.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| network(part).ok_or_else(|| NoNetwork(part.to_owned()))).collect()
}

fn network(text: &str) -> Option<IpNet> {
    IpNet::from_str(text).ok().or_else(|| IpAddr::from_str(text).ok().map(IpNet::from)).map(|network| network.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_lists() {
        let networks = Networks::default().allow(" 10.1.0.0/16, ::1 ,,").unwrap().deny("10.1.2.3/24").unwrap();
        let allows = |text: &str| {
            let address = text.parse().unwrap();
            (networks.allows(address), networks.denies(address))
        };
        assert_eq!(allows("10.1.255.255"), (true, false));
        assert_eq!(allows("10.2.0.0"), (false, false));
        assert_eq!(allows("::1"), (true, false));
        assert_eq!(allows("::2"), (false, false));
        assert_eq!(allows("10.1.2.255"), (true, true));
        assert_eq!(allows("::ffff:10.1.2.0"), (true, true));
        assert!(networks.is_development() && !Networks::default().deny("::/0").unwrap().is_development());
        for wrong in ["10.0.0.0/33", "10.0.0/8", "localhost", "10.0.0.0/8;::1", "::/129"] {
            assert!(Networks::default().allow(wrong).unwrap_err().to_string().contains(wrong), "{wrong}");
        }
    }
}

//! Which addresses a delivery may go to (contract §6, "Destination").

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Networks;

/// IPv4 networks that are not the public internet: address and prefix.
const REFUSED_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
    // Azure's platform services, within public addresses.
    ([168, 63, 129, 16], 32),
];

/// The public internet of IPv6, before exclusions: the first two groups and the prefix.
const PUBLIC_V6: ([u16; 2], u32) = ([0x2000, 0], 3);
const REFUSED_V6: [([u16; 2], u32); 4] =
    [([0x2001, 0], 23), ([0x2001, 0xdb8], 32), ([0x2002, 0], 16), ([0x3fff, 0], 20)];

/// An address that deliveries may not go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("deliveries may not go to {0}")]
pub(super) struct Blocked(IpAddr);

/// Checks a resolved address.
///
/// An IPv6 address that contains an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo) is checked
/// as both: even if `networks` allow the outer address, an inner one must pass on its own.
pub(super) fn validate(address: IpAddr, networks: &Networks) -> Result<(), Blocked> {
    let inner = match address {
        IpAddr::V4(_) => Vec::new(),
        IpAddr::V6(address) => inner(address),
    };
    let passes = |address: IpAddr| !networks.denies(address) && (networks.allows(address) || is_public(address));
    if passes(address) && inner.into_iter().all(|inner| passes(inner.into())) { Ok(()) } else { Err(Blocked(address)) }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            !REFUSED_V4.iter().any(|&(network, prefix)| same(bits, u32::from_be_bytes(network), prefix))
        }
        IpAddr::V6(address) => {
            let bits = (address.to_bits() >> 96) as u32;
            let within = |([first, second], prefix): ([u16; 2], u32)| {
                same(bits, u32::from(first) << 16 | u32::from(second), prefix)
            };
            within(PUBLIC_V6) && !REFUSED_V6.into_iter().any(within)
        }
    }
}

/// Whether two addresses have the first `prefix` bits in common.
fn same(one: u32, other: u32, prefix: u32) -> bool {
    (one ^ other).leading_zeros() >= prefix
}

/// The IPv4 addresses that packets to this one may reach.
fn inner(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bits = address.to_bits();
    let at = |shift: u32| Ipv4Addr::from_bits((bits >> shift) as u32);
    match address.segments() {
        // Unspecified and loopback contain no IPv4 address.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Vec::new(),
        // Compatible (::a.b.c.d), mapped, translated (RFC 2765), and NAT64 at its well-known prefix
        // (RFC 6052).
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _] | [0, 0, 0, 0, 0xffff, 0, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => {
            vec![at(0)]
        }
        // NAT64 at a local prefix (RFC 8215): of 96, 64, 56 or 48 bits, with eight bits left out in
        // the middle.
        [0x64, 0xff9b, 1, ..] => vec![at(0), at(24), split(bits, 24), split(bits, 16)],
        // 6to4 (RFC 3056).
        [0x2002, ..] => vec![at(80)],
        // Teredo (RFC 4380): the server, and the client with every bit inverted.
        [0x2001, 0, ..] => vec![at(64), Ipv4Addr::from_bits(!(bits as u32))],
        _ => Vec::new(),
    }
}

/// The embedded IPv4 address; `after` of its bits follow the reserved bits 64 to 71 (RFC 6052,
/// §2.2).
fn split(bits: u128, after: u32) -> Ipv4Addr {
    let above = (bits >> 64) as u32;
    let below = (bits >> (56 - after)) as u32 & ((1 << after) - 1);
    Ipv4Addr::from_bits(above << after | below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(address: &str, networks: &Networks) -> bool {
        validate(address.parse().unwrap(), networks).is_ok()
    }

    #[test]
    fn each_refused_ipv4_network_ends_where_it_should() {
        for (before, first, last, after) in [
            ("", "0.0.0.0", "0.255.255.255", "1.0.0.0"),
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
            ("223.255.255.255", "224.0.0.0", "239.255.255.255", ""),
            ("", "240.0.0.0", "255.255.255.255", ""),
            ("168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"),
        ] {
            for (address, expected) in [(before, true), (first, false), (last, false), (after, true)] {
                if !address.is_empty() {
                    assert_eq!(passes(address, &Networks::default()), expected, "{address}");
                }
            }
        }
        for (address, expected) in [("8.8.8.8", true), ("127.0.0.1", false), ("169.254.169.254", false)] {
            assert_eq!(passes(address, &Networks::default()), expected, "{address}");
        }
    }

    #[test]
    fn of_ipv6_only_the_public_internet_passes() {
        for (address, expected) in [
            ("1fff:ffff::ffff", false),
            ("2000::", true),
            ("2000:ffff::1", true),
            ("2001::", false),
            ("2001:1ff:ffff::ffff", false),
            ("2001:200::", true),
            ("2001:db7:ffff::", true),
            ("2001:db8::", false),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2001:db9::", true),
            ("2001:ffff::", true),
            ("2002::", false),
            ("2002:ffff:ffff::", false),
            ("2003::", true),
            ("2606:4700:4700::1111", true),
            ("3ffe:ffff::", true),
            ("3fff::", false),
            ("3fff:fff:ffff::", false),
            ("3fff:1000::", true),
            ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("4000::", false),
            ("::", false),
            ("::1", false),
            ("100::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
            // Forms of IPv4, even of public ones.
            ("::ffff:8.8.8.8", false),
            ("::8.8.8.8", false),
            ("::ffff:0:8.8.8.8", false),
            ("64:ff9b::8.8.8.8", false),
            ("64:ff9b:1::8.8.8.8", false),
            ("2002:808:808::", false),
            ("2001:0:808:808::f7f7:f7f7", false),
        ] {
            assert_eq!(passes(address, &Networks::default()), expected, "{address}");
        }
    }

    #[test]
    fn what_is_allowed_passes_unless_it_is_refused_or_stands_for_what_is_not() {
        let all = Networks::default().allow("::/0").unwrap();
        for (address, expected) in [
            ("fd00::1", true),
            ("::ffff:8.8.8.8", true),
            ("::ffff:10.0.0.1", false),
            ("::10.0.0.1", false),
            ("::1", true),
            ("::ffff:0:192.168.0.1", false),
            ("64:ff9b::8.8.8.8", true),
            ("64:ff9b::10.0.0.1", false),
            // 10.0.0.1 below a prefix of 96, 64, 56 and 48 bits.
            ("64:ff9b:1:808:8:800:10.0.0.1", false),
            ("64:ff9b:1:808:a:0:100:0", false),
            ("64:ff9b:1:80a:0:1::", false),
            ("64:ff9b:1:a00:0:100::", false),
            ("2002:808:808::1", true),
            ("2002:a00:1::1", false),
            ("2001:0:808:808::f7f7:f7f7", true),
            // The client 10.0.0.1, and the server.
            ("2001:0:808:808::f5ff:fffe", false),
            ("2001:0:a00:1::f7f7:f7f7", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(passes(address, &all), expected, "{address}");
        }
        let some = Networks::default().allow("127.0.0.0/8,::1,::/96").unwrap().deny("127.0.0.2,8.8.8.0/24").unwrap();
        for (address, expected) in [
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("::ffff:127.0.0.1", true),
            ("::ffff:127.0.0.2", false),
            ("::127.0.0.1", true),
            ("8.8.8.8", false),
            ("8.8.4.4", true),
            ("10.0.0.1", false),
        ] {
            assert_eq!(passes(address, &some), expected, "{address}");
        }
    }
}

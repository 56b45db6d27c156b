//! The client address of a request.

use axum::extract::{ConnectInfo, Request};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The header to which each proxy appends its client's address.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// Networks of trusted proxies. The header from other clients is ignored.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

impl TrustedProxies {
    /// Whether a proxy at this address is trusted.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The address to count requests by ([`network`]).
pub(crate) fn address(request: &Request, proxies: &TrustedProxies) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip().to_canonical());
    let headers = request.headers().get_all(FORWARDED_FOR);
    // Clients can send any bytes, to which a proxy appends: each element is read by itself.
    let named = headers.iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    network(client(peer, named.collect(), proxies))
}

/// Returns the first address that is not a trusted proxy's, starting at the nearest. Clients can forge the elements
/// beyond it.
fn client(peer: IpAddr, named: Vec<&[u8]>, proxies: &TrustedProxies) -> IpAddr {
    let mut nearest = peer;
    // Empty elements of lists have no meaning (RFC 9110, 5.6.1).
    for element in named.iter().rev().map(|element| element.trim_ascii()).filter(|text| !text.is_empty()) {
        if !proxies.contains(nearest) {
            break;
        }
        // A trusted proxy does not know its client, so that the proxy itself is counted.
        let Some(address) = forwarded(element) else { break };
        nearest = address.to_canonical();
    }
    nearest
}

/// The address in an element: `IP`, `IP:PORT`, `[IP]` or `[IP]:PORT`.
fn forwarded(element: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(element).ok()?;
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    text.parse().ok().or_else(with_port).or_else(in_brackets)
}

/// The address to count a client by: for IPv6 its /64, because one host has a whole network.
pub fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, named: &[&str], proxies: &[&str]) -> String {
        let proxies = TrustedProxies(proxies.iter().map(|network| network.parse().unwrap()).collect());
        let named = named.iter().map(|text| text.as_bytes()).collect();
        client(peer.parse().unwrap(), named, &proxies).to_string()
    }

    #[test]
    fn header_counts_only_from_a_trusted_proxy() {
        assert_eq!(found("192.0.2.1", &["203.0.113.9"], &[]), "192.0.2.1");
        assert_eq!(found("192.0.2.1", &["203.0.113.9"], &["198.51.100.0/24"]), "192.0.2.1");
        assert_eq!(found("192.0.2.1", &["203.0.113.9"], &["192.0.2.0/24"]), "203.0.113.9");
    }

    #[test]
    fn ignores_addresses_written_by_the_client() {
        let named = ["198.51.100.7", " 203.0.113.9"];
        assert_eq!(found("192.0.2.1", &named, &["192.0.2.1/32"]), "203.0.113.9");
        let two_proxies = ["192.0.2.1/32", "203.0.113.9/32"];
        assert_eq!(found("192.0.2.1", &named, &two_proxies), "198.51.100.7");
        assert_eq!(found("192.0.2.1", &["unknown"], &["192.0.2.1/32"]), "192.0.2.1");
    }

    #[test]
    fn proxies_may_add_the_port_of_the_client() {
        for (element, expected) in [
            ("203.0.113.9:49152", "203.0.113.9"),
            ("[2001:db8::9]:49152", "2001:db8::9"),
            ("[2001:db8::9]", "2001:db8::9"),
            ("2001:db8::9", "2001:db8::9"),
            ("::ffff:203.0.113.9", "203.0.113.9"),
        ] {
            assert_eq!(found("192.0.2.1", &[element], &["192.0.2.1/32"]), expected, "{element}");
        }
        // Empty elements are skipped. A forged element beyond the client's own does not count.
        assert_eq!(found("192.0.2.1", &["203.0.113.9", " ", ""], &["192.0.2.1/32"]), "203.0.113.9");
        assert_eq!(found("192.0.2.1", &["1.2.3", "203.0.113.9"], &["192.0.2.1/32"]), "203.0.113.9");
    }

    #[test]
    fn ipv6_network_is_one_client() {
        let one = network("2001:db8:1:2:aaaa::1".parse().unwrap());
        assert_eq!(one, network("2001:db8:1:2:bbbb::2".parse().unwrap()));
        assert_ne!(one, network("2001:db8:1:3::1".parse().unwrap()));
    }
}

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
    let named = headers.iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    network(client(peer, named.collect(), proxies))
}

/// Returns the first address that is not a trusted proxy's, starting at the nearest. Clients can forge the addresses
/// beyond it.
fn client(peer: IpAddr, named: Vec<&str>, proxies: &TrustedProxies) -> IpAddr {
    let mut nearest = peer;
    for text in named.iter().rev() {
        if !proxies.contains(nearest) {
            break;
        }
        let Ok(address) = text.trim().parse::<IpAddr>() else { break };
        nearest = address.to_canonical();
    }
    nearest
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
        client(peer.parse().unwrap(), named.to_vec(), &proxies).to_string()
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
    fn ipv6_network_is_one_client() {
        let one = network("2001:db8:1:2:aaaa::1".parse().unwrap());
        assert_eq!(one, network("2001:db8:1:2:bbbb::2".parse().unwrap()));
        assert_ne!(one, network("2001:db8:1:3::1".parse().unwrap()));
    }
}

//! Which addresses user-defined requests may go to: those of the public internet. A name is resolved once,
//! and the connection uses the checked addresses, so DNS rebinding has no effect.

use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Non-public IPv4 networks: the special-purpose addresses of RFC 6890 and its successors, and cloud metadata services.
const NOT_PUBLIC: [&str; 18] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "168.63.129.16/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "192.31.196.0/24",
];
/// The public range of IPv6,
const PUBLIC_6: &str = "2000::/3";
/// except protocols that embed other addresses, documentation and the like.
const NOT_PUBLIC_6: [&str; 4] = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

static NETWORKS: LazyLock<Networks> = LazyLock::new(Networks::read);

struct Networks {
    not_public: Vec<IpNet>,
    public_6: Vec<IpNet>,
}

impl Networks {
    fn read() -> Self {
        let read = |texts: &[&str]| texts.iter().filter_map(|text| text.parse().ok()).collect();
        Self { not_public: read(&[&NOT_PUBLIC[..], &NOT_PUBLIC_6].concat()), public_6: read(&[PUBLIC_6]) }
    }
}

pub(crate) fn is_public(address: IpAddr) -> bool {
    // An IPv4-mapped IPv6 address counts as IPv4.
    let address = address.to_canonical();
    let is_in = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
    let is_possible = address.is_ipv4() || is_in(&NETWORKS.public_6);
    is_possible && !is_in(&NETWORKS.not_public)
}

/// The error for a host without a public address. It is the same for names that do not exist and for names of internal
/// hosts, so that no user can learn which internal names exist or where they are.
#[derive(Debug, thiserror::Error)]
#[error(
    "{host} has no address, or not only addresses of the public internet. Use a public host, or ask the server's \
     administrator for --allow-private-targets"
)]
pub(crate) struct NotPublic {
    host: String,
}

/// Resolves names to public addresses. A name with any other address is rejected, as one without an address.
#[derive(Debug)]
pub(crate) struct PublicResolver<R = DefaultResolver>(pub(crate) R);

impl<R: Resolver> Resolver for PublicResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let not_public = || {
            let host = uri.host().unwrap_or_default().to_owned();
            ureq::Error::Other(Box::new(NotPublic { host }))
        };
        match self.0.resolve(uri, config, timeout) {
            Ok(addresses) if addresses.iter().map(SocketAddr::ip).all(is_public) => Ok(addresses),
            Err(error @ ureq::Error::Timeout(_)) => Err(error),
            Ok(_) | Err(_) => Err(not_public()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_network_parses() {
        assert_eq!(NETWORKS.not_public.len(), NOT_PUBLIC.len() + NOT_PUBLIC_6.len());
        assert_eq!(NETWORKS.public_6.len(), 1);
    }

    #[test]
    fn accepts_only_public_addresses() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.100.100.200",
            "127.0.0.1",
            "168.63.129.16",
            "169.254.169.254",
            "172.31.255.255",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "100::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fd00:ec2::254",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "8.8.8.8", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700:4700::1111"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    /// A resolver that returns another address each time (DNS rebinding).
    #[derive(Debug)]
    struct Rebinding(Vec<&'static str>, AtomicUsize);

    impl Resolver for Rebinding {
        fn resolve(
            &self,
            _uri: &Uri,
            _config: &Config,
            _timeout: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let nth = self.1.fetch_add(1, Ordering::Relaxed);
            let mut addresses = self.empty();
            if self.0.is_empty() {
                return Err(ureq::Error::HostNotFound);
            }
            for address in self.0[nth.min(self.0.len() - 1)].split(' ') {
                addresses.push(address.parse().unwrap());
            }
            Ok(addresses)
        }
    }

    fn resolve(resolver: &PublicResolver<Rebinding>) -> Result<Vec<String>, String> {
        let timeout = NextTimeout::default();
        let uri = Uri::from_static("https://hook.example.org/");
        let found = resolver.resolve(&uri, &Config::default(), timeout);
        found.map(|found| found.iter().map(ToString::to_string).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn connects_to_the_checked_address() {
        let resolver = PublicResolver(Rebinding(vec!["8.8.8.8:443", "127.0.0.1:443"], AtomicUsize::new(0)));
        // Resolved once; the connection gets the result.
        assert_eq!(resolve(&resolver), Ok(vec!["8.8.8.8:443".to_owned()]));
        assert_eq!(resolver.0.1.load(Ordering::Relaxed), 1);
        let refused = resolve(&resolver).unwrap_err();
        assert!(refused.contains("hook.example.org has no address"), "{refused}");
    }

    #[test]
    fn internal_and_unknown_names_have_the_same_answer() {
        let resolver = |answers| PublicResolver(Rebinding(answers, AtomicUsize::new(0)));
        let unknown = resolve(&resolver(vec![])).unwrap_err();
        for internal in ["10.0.0.1:443", "127.0.0.1:443", "[fd00::1]:443", "8.8.8.8:443 10.0.0.1:443"] {
            assert_eq!(resolve(&resolver(vec![internal])).unwrap_err(), unknown, "{internal}");
        }
    }

    #[test]
    fn rejects_a_name_with_any_private_address() {
        let resolver = PublicResolver(Rebinding(vec!["8.8.8.8:443 10.0.0.1:443"], AtomicUsize::new(0)));
        assert!(resolve(&resolver).is_err());
    }
}

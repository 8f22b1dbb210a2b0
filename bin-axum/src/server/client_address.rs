//! The address of a client behind proxies.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Request, State};
use http::HeaderName;
use ipnet::IpNet;
use svc_core::ClientAddress;

/// The header to which each proxy adds the address that a request came from.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The networks of the proxies in front of the server.
pub(crate) type Proxies = Arc<[IpNet]>;

/// Replaces the address of a proxy by that of its client: the last one in the header that no proxy
/// of ours has, since what stands before that may be invented.
pub(super) async fn behind_proxies(State(proxies): State<Proxies>, mut request: Request) -> Request {
    let ours = |address: IpAddr| proxies.iter().any(|network| network.contains(&address));
    let came = request.extensions().get::<ClientAddress>().map(|address| address.0);
    if came.is_some_and(ours) {
        let said = request.headers().get_all(FORWARDED).iter().filter_map(|value| value.to_str().ok());
        let said: Vec<&str> = said.flat_map(|list| list.split(',')).collect();
        let mut told = said.iter().rev().map_while(|text| IpAddr::from_str(text.trim()).ok());
        if let Some(client) = told.find(|address| !ours(address.to_canonical())) {
            request.extensions_mut().insert(ClientAddress(client.to_canonical()));
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::cli::network;

    #[tokio::test]
    async fn the_last_address_that_is_no_proxy_s_is_the_client_s() {
        let proxies: Proxies = ["10.0.0.0/8", "192.0.2.1"].iter().map(|text| network(text).unwrap()).collect();
        for (came, said, client) in [
            ("203.0.113.9", "198.51.100.7", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "203.0.113.5, 198.51.100.7, 192.0.2.1", "198.51.100.7"),
            ("10.0.0.1", "198.51.100.7, nobody", "10.0.0.1"),
            ("10.0.0.1", "10.0.0.2", "10.0.0.1"),
        ] {
            let mut request = Request::builder().header(FORWARDED, said).body(Body::empty()).unwrap();
            request.extensions_mut().insert(ClientAddress(came.parse().unwrap()));
            let request = behind_proxies(State(proxies.clone()), request).await;
            let found = request.extensions().get::<ClientAddress>().map(|address| address.0.to_string());
            assert_eq!(found.as_deref(), Some(client), "{came} {said}");
        }
        assert!(network("10.0.0.0/33").is_err());
    }
}

//! Who may ask: the one who opened the address that was printed, on this machine, from the page itself.
//!
//! - *Host* must be the address of the server. A page that makes its own name resolve to 127.0.0.1 sends that name, and is
//!   refused.
//! - *Origin*, where the browser sends one, must be the studio's own; and `Sec-Fetch-Site` must not say that another site asks.
//! - *The token* is in the address that is printed. The first request turns it into a cookie that scripts cannot read and other
//!   sites cannot send. Every other request needs that cookie. Cookies are shared by all ports of a host, so its name has the port.

use hyper::header::{self, HeaderMap, HeaderValue};

use crate::failure::Failure;

/// The secret of a studio, and where it listens.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    token: String,
    port: u16,
}

/// The number of random bytes in a token.
const BYTES: usize = 24;

impl Guard {
    pub(crate) fn new(port: u16) -> Result<Guard, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
        let token = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        Ok(Guard { token, port })
    }

    /// The address to open.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Whether host, origin and site are the studio's own.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let mut named = headers.get_all(header::HOST).iter();
        let host = named.next().and_then(|it| it.to_str().ok()).unwrap_or_default();
        if named.next().is_some() || !hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
            return Err(Failure::forbidden("this server answers at its own address only"));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let own = format!("http://{host}");
            if !origin.to_str().is_ok_and(|origin| origin.eq_ignore_ascii_case(&own)) {
                return Err(Failure::forbidden(
                    "another site asks, and only the studio's own page may",
                ));
            }
        }
        let site = headers.get("sec-fetch-site").and_then(|it| it.to_str().ok());
        match site {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => {
                Err(Failure::forbidden("another site asks, and only the studio's own page may"))
            }
        }
    }

    /// Whether the address has the token.
    pub(crate) fn is_invited(&self, query: Option<&str>) -> bool {
        let mut pairs = query.unwrap_or_default().split('&');
        let token = pairs.find_map(|pair| pair.strip_prefix("token="));
        token.is_some_and(|token| same(token.as_bytes(), self.token.as_bytes()))
    }

    /// Whether the request has the cookie.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        let prefix = format!("{}=", self.name());
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let mut values =
            cookies.flat_map(|it| it.split(';')).filter_map(|it| it.trim().strip_prefix(&prefix));
        values.any(|value| same(value.as_bytes(), self.token.as_bytes()))
    }

    /// The cookie for a browser that came with the token.
    pub(crate) fn cookie(&self) -> Option<HeaderValue> {
        let text = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.name(), self.token);
        HeaderValue::from_str(&text).ok()
    }

    fn name(&self) -> String {
        format!("otus_studio_{}", self.port)
    }
}

/// Compares in a time that does not tell where the first difference is.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[(&str, &str)], is_allowed: bool) {
        let guard = Guard::new(4000).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        assert_eq!(guard.check_origin(&map).is_ok(), is_allowed, "{headers:?}");
    }

    #[test]
    fn only_the_own_page_may_ask() {
        check(&[("host", "127.0.0.1:4000")], true);
        check(&[("host", "localhost:4000"), ("origin", "http://localhost:4000")], true);
        check(&[("host", "127.0.0.1:4001")], false);
        check(&[("host", "evil.example:4000")], false);
        check(&[], false);
        check(&[("host", "127.0.0.1:4000"), ("host", "127.0.0.1:4000")], false);
        check(&[("host", "127.0.0.1:4000"), ("origin", "http://evil.example")], false);
        check(&[("host", "127.0.0.1:4000"), ("origin", "null")], false);
        check(&[("host", "127.0.0.1:4000"), ("sec-fetch-site", "cross-site")], false);
        check(&[("host", "127.0.0.1:4000"), ("sec-fetch-site", "same-site")], false);
        check(&[("host", "127.0.0.1:4000"), ("sec-fetch-site", "same-origin")], true);
    }

    #[test]
    fn tokens_are_compared_as_a_whole() {
        let guard = Guard::new(1).unwrap();
        assert_eq!(guard.token.len(), 2 * BYTES);
        let query = |token: &str| guard.is_invited(Some(&format!("a=b&token={token}")));
        assert!(query(&guard.token));
        assert!(!query(&guard.token[1..]));
        assert!(!query(""));
        assert!(!guard.is_invited(None));
        assert_ne!(Guard::new(1).unwrap().token, guard.token);
    }
}

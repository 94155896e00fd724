//! What is compared: the names that the programs of `benches/speed` know.

/// What the connector needs, as a ratio to the peer.
pub struct Ratio {
    /// As in `benches/limits.toml`.
    pub name: String,
    pub value: f64,
}

pub const PEER: &str = "reqwest";
pub const CLIENTS: [&str; 4] = ["hyper", PEER, "progenitor", "connector"];
pub const CASES: [&str; 5] = ["small", "hundred", "bulk", "write", "read"];

//! What is compared: the names that the programs of `benches/speed` know.

pub const PEER: &str = "reqwest";
pub const CLIENTS: [&str; 4] = ["hyper", PEER, "progenitor", "connector"];
pub const CASES: [&str; 5] = ["small", "hundred", "bulk", "write", "read"];

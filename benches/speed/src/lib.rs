//! The connector beside clients that a user could write by hand.
//!
//! Each [`Arm`](arms::Arm) sends the same requests to the same server. `cargo xtask bench` runs the programs in
//! `src/bin/` and compares what they measure.

pub mod arms;
pub mod case;
pub mod run;

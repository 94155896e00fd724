//! The page.

pub(super) const PAGE: &str = include_str!("page.html");

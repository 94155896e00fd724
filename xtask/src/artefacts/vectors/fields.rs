//! Vectors of one field of a body.

use super::body::{Body, Property};

/// The body with null, a value of another type, and an unknown field at a path: whether it is valid, and why it exists.
pub fn of_field(full: &Body, path: &[&str], property: &Property) -> Vec<(bool, String, Body)> {
    let name = path.join(".");
    let wrong = if property.is_text { Body::raw("5") } else { Body::text("5") };
    let mut bodies = vec![
        (property.nullable, format!("`{name}` is null"), full.with(path, Body::raw("null"))),
        (false, format!("`{name}` is of the wrong type"), full.with(path, wrong)),
    ];
    if property.is_object {
        let more = [path, &["x-unknown"]].concat();
        bodies.push((true, format!("an unknown field in `{name}`"), full.with(&more, Body::text("?"))));
    }
    bodies
}

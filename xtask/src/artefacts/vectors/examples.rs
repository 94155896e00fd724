//! Whole bodies as examples: the vectors that show what a request or a callback usually looks like.

use business_data_connector_document::{Document, Operation};

use super::{
    body::{Body, Maker},
    callbacks::{RESPONSE, callback},
    requests,
    vector::{FULL, MINIMAL},
};

/// A valid body with a name that is unique for its operation.
pub struct Example {
    pub name: String,
    /// What it shows.
    pub summary: String,
    pub body: Body,
}

/// `minimal` and `full`: the vectors of the request of an operation with only what is required, and with every field.
pub fn of_request(document: &Document, operation: &Operation) -> Vec<Example> {
    let named = |why: &str| [("minimal", MINIMAL), ("full", FULL)].into_iter().find(|(_, of)| *of == why);
    let vectors = requests::vectors(document, operation).into_iter();
    let examples = vectors.filter_map(|vector| {
        let (name, why) = named(&vector.why)?;
        Some(Example { name: name.to_owned(), summary: sentence(why), body: vector.body })
    });
    examples.collect()
}

/// `full`, and one for each boolean of the known `response`, which is true there: a failure, and an interim callback.
/// Empty for an operation without callbacks.
pub fn of_callback(document: &Document, operation: &Operation) -> Vec<Example> {
    let (Some(envelope), Some(shape)) = (document.callback_envelope(), operation.callback.as_deref()) else {
        return Vec::new();
    };
    let maker = Maker::new(document);
    let response = maker.full(shape);
    let full = callback(&maker, envelope, operation).with(&[RESPONSE], response.clone());
    let mut examples = vec![Example { name: "full".to_owned(), summary: sentence(FULL), body: full.clone() }];
    for path in response.paths().iter().filter(|path| path.len() == 1) {
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        if maker.property(shape, &path).is_boolean {
            let name = path.concat();
            let body = full.with(&[RESPONSE, &name], Body::raw("true"));
            examples.push(Example { summary: format!("`{name}` is true"), name, body });
        }
    }
    examples
}

/// The text with its first letter in upper case.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

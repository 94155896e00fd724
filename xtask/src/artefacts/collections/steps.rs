//! The requests in an order in which each succeeds.

use business_data_connector_document::{Document, Operation, Upload};

use super::{
    super::vectors::{Body, Maker, of_request},
    variables::{UPLOAD, Variables},
};

/// A request.
pub enum Step<'a> {
    /// An operation, with the names of its header and of the variable in it.
    Call { operation: &'a Operation, header: Option<(&'a str, &'a str)>, body: Body, gives: Option<&'a Upload> },
    /// The upload of a file to the address in the variable [`UPLOAD`].
    Put { upload: &'a Upload, body: Body },
}

/// The operations by tag, as `tags` lists them, and by path; but destructive ones last, and one that names an uploaded
/// file after the operation that gives the address.
pub fn of<'a>(document: &'a Document, variables: &'a Variables) -> Vec<Step<'a>> {
    let tags: Vec<_> = document.as_value()["tags"].as_array().into_iter().flatten().map(|tag| &tag["name"]).collect();
    let tag = |operation: &Operation| tags.iter().position(|tag| **tag == operation.tag);
    let mut operations: Vec<_> = document.operations().iter().collect();
    operations.sort_by_key(|operation| (operation.destructive, tag(operation), &operation.path));
    let mut steps = Vec::new();
    for operation in operations.iter().filter(|operation| operation.upload.is_none()) {
        let uses =
            |other: &&&Operation| other.upload.as_ref().is_some_and(|upload| upload.address_from == operation.id);
        let mut users = operations.iter().filter(uses).peekable();
        let gives = users.peek().and_then(|user| user.upload.as_ref());
        steps.push(call(document, variables, operation, gives));
        for user in users {
            if let Some(upload) = &user.upload {
                let body = Body::Array(vec![Maker::new(document).full(&upload.items)]);
                steps.push(Step::Put { upload, body });
                steps.push(call(document, variables, user, None));
            }
        }
    }
    steps
}

/// An operation with every field, and variables in place of values that a user sets.
fn call<'a>(
    document: &Document,
    variables: &'a Variables,
    operation: &'a Operation,
    gives: Option<&'a Upload>,
) -> Step<'a> {
    let full = of_request(document, operation).into_iter().find(|example| example.name == "full");
    let mut body = full.map_or_else(|| Body::raw("{}"), |example| example.body);
    for name in variables.fields.iter().filter(|name| body.get(name).is_some()).collect::<Vec<_>>() {
        body = body.with(&[name], Body::text(&format!("{{{{{name}}}}}")));
    }
    if let Some(upload) = &operation.upload {
        body = body.with(&["data", &upload.address], Body::text(&format!("{{{{{UPLOAD}}}}}")));
    }
    let header = operation.header_key.as_deref();
    let header = header.and_then(|header| Some((header, variables.headers.get(header)?.as_str())));
    Step::Call { operation, header, body, gives }
}

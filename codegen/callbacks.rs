//! What is known of the callbacks of each operation: the trait `Asynchronous`, and a visitor of its implementations.

use std::collections::{BTreeMap, BTreeSet};

use business_data_connector_document::{Document, referred};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The traits, the visiting function, and an implementation for each request that has a `webhook`.
pub(crate) fn items(document: &Document) -> TokenStream {
    let (requests, responses): (Vec<_>, Vec<_>) = document
        .operations()
        .iter()
        .filter_map(|operation| {
            let response = operation.callback.as_ref()?;
            Some((format_ident!("{}", operation.request), format_ident!("{response}")))
        })
        .unzip();
    let records = records(document);
    quote! {
        /// A [`Request`](crate::Request) that can have a `webhook`, to which its outcome is delivered.
        ///
        /// This includes operations that the interface specification does not call asynchronous
        /// ([`Operation::asynchronous`](crate::Operation::asynchronous)) but that take a `webhook` as well.
        pub trait Asynchronous: crate::Request {
            /// The `response` in its callbacks, as far as its shape is known. Which fields it has is assumed, or
            /// observed in deployed services, and not specified: each is optional, and unknown ones are ignored.
            type Response: crate::request::MaybeJsonSchema
                + ::serde::de::DeserializeOwned
                + ::serde::Serialize
                + ::std::clone::Clone
                + ::std::fmt::Debug
                + ::std::cmp::PartialEq
                + ::std::marker::Send
                + ::std::marker::Sync
                + 'static;
        }

        /// A visitor of every request type that can have a `webhook`, for
        /// [`visit_asynchronous_requests`](crate::visit_asynchronous_requests).
        pub trait AsynchronousVisitor {
            /// Called once for each request type.
            fn visit<R: Asynchronous>(&mut self);
        }

        /// Calls `visitor` with each request type that can have a `webhook`, in the order of [`OPERATIONS`].
        pub fn visit_asynchronous_requests(visitor: &mut impl AsynchronousVisitor) {
            #(visitor.visit::<types::#requests>();)*
        }

        #(
            impl Asynchronous for types::#requests {
                type Response = types::#responses;
            }
        )*

        #records
    }
}

/// The trait `DeliveredRecord`, and an implementation for each record that the `response` of a callback lists.
fn records(document: &Document) -> TokenStream {
    let schemas = &document.as_value()["components"]["schemas"];
    let mut records: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for response in document.operations().iter().filter_map(|operation| operation.callback.as_ref()) {
        for (member, property) in schemas[response]["properties"].as_object().into_iter().flatten() {
            if let Some(record) = referred(&property["items"]) {
                records.entry(record.to_owned()).or_default().insert(member);
            }
        }
    }
    let implementations = records.iter().map(|(record, members)| {
        let record = format_ident!("{record}");
        quote! {
            impl DeliveredRecord for types::#record {
                const MEMBERS: &'static [&'static str] = &[#(#members),*];
            }
        }
    });
    quote! {
        /// A record that callbacks deliver in a list.
        pub trait DeliveredRecord: ::serde::de::DeserializeOwned {
            /// The members of `response` that are such lists.
            const MEMBERS: &'static [&'static str];
        }

        #(#implementations)*
    }
}

//! The items that `src/` needs for each operation: its constant, its request, and its method on `Connector`.

use std::error::Error;

use business_data_connector_document::{Document, Effect, Evidence, Operation};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Item, ItemStruct};

use crate::{
    awaiting, callbacks, pushed,
    records::{self, Record, argument, conversion, docs, ident, maybe},
    uploads,
};

/// The items that are added to the generated file.
pub(crate) fn items(file: &mut syn::File, document: &Document) -> Result<Vec<Item>, Box<dyn Error>> {
    let types = records::types(file)?;
    let constants = document.operations().iter().map(constant);
    let (mut calls, mut awaited, mut by_file) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for (index, operation) in document.operations().iter().enumerate() {
        let request = request(types, &operation.request)?;
        let schema = &document.as_value()["components"]["schemas"][&operation.request];
        let record = Record::read(request, schema)?;
        calls.extend(call(operation, index, &record));
        calls.extend(pushed::implementation(operation, &record));
        awaited.extend(awaiting::method(operation, &record));
        by_file.extend(uploads::items(document, operation, &record));
    }
    let requests = document.operations().iter().map(|operation| format_ident!("{}", operation.request));
    let asynchronous = callbacks::items(document);
    let file: syn::File = syn::parse2(quote! {
        /// All operations of the interface, sorted by path.
        pub const OPERATIONS: &[crate::Operation] = &[#(#constants),*];

        /// Calls `visitor` with the request type of each operation, in the order of [`OPERATIONS`].
        ///
        /// Generic code, such as a queue that deserializes stored requests, uses it to find the type that belongs to
        /// the name of an operation.
        pub fn visit_requests(visitor: &mut impl crate::RequestVisitor) {
            #(visitor.visit::<types::#requests>();)*
        }

        #asynchronous

        mod calls {
            use super::types::*;

            #calls
        }

        /// The methods of `Awaiting`.
        #[cfg(feature = "inbox")]
        mod awaited {
            use super::types::*;

            impl crate::inbox::Awaiting<'_> {
                #awaited
            }

            #by_file
        }
    })?;
    Ok(file.items)
}

fn call(operation: &Operation, index: usize, record: &Record<'_>) -> TokenStream {
    let request = format_ident!("{}", operation.request);
    let method = format_ident!("{}", operation.id);
    let document = documentation(operation);
    let arguments = record.required.iter().map(|field| argument(field, &field.ty));
    let values = record.required.iter().map(|field| ident(field));
    let setters = record.optional.iter().map(|(field, inner)| {
        let (docs, ident, argument) = (docs(field), ident(field), argument(field, inner));
        let ((source, _), (maybe, maybe_docs)) = (conversion(inner), maybe(field));
        quote! {
            #(#docs)*
            pub fn #ident(self, #argument) -> Self {
                self.with(|request| request.#ident(#ident))
            }
            #[doc = #maybe_docs]
            pub fn #maybe(self, #ident: ::std::option::Option<impl #source>) -> Self {
                self.with(|request| request.#maybe(#ident))
            }
        }
    });
    quote! {
        impl crate::request::Dispatch for #request {
            async fn dispatch(&self, client: &super::Client) -> crate::request::Dispatched {
                client.#method(self).await
            }
        }

        impl crate::Request for #request {
            const OPERATION: &'static crate::Operation = &super::OPERATIONS[#index];
        }

        impl crate::Connector {
            #(#[doc = #document])*
            pub fn #method(&self, #(#arguments),*) -> crate::Call<#request> {
                self.send(#request::new(#(#values),*))
            }
        }

        impl crate::Call<#request> {
            #(#setters)*
        }
    }
}

fn constant(operation: &Operation) -> TokenStream {
    let Operation { id, path, tag, summary, destructive, asynchronous, sensitive, .. } = operation;
    let optional = |text: &Option<String>| match text {
        Some(text) => quote!(::std::option::Option::Some(#text)),
        None => quote!(::std::option::Option::None),
    };
    let (header_key, callback) = (optional(&operation.header_key), optional(&operation.callback));
    let record = pushed::facts(operation);
    let effect = match operation.effect {
        Effect::Read => quote!(Read),
        Effect::Write => quote!(Write),
    };
    let evidence = match operation.evidence {
        Evidence::Specified => quote!(Specified),
        Evidence::Observed => quote!(Observed),
        Evidence::Assumed => quote!(Assumed),
    };
    quote! {
        crate::Operation {
            id: #id,
            path: #path,
            tag: #tag,
            summary: #summary,
            header_key: #header_key,
            effect: crate::Effect::#effect,
            destructive: #destructive,
            asynchronous: #asynchronous,
            callback: #callback,
            record: #record,
            sensitive: &[#(#sensitive),*],
            evidence: crate::Evidence::#evidence,
        }
    }
}

/// The lines of rustdoc.
fn documentation(operation: &Operation) -> Vec<String> {
    let key = match &operation.header_key {
        Some(name) => format!(" It sends the header `{name}`, so a header key is required."),
        None => String::new(),
    };
    let effect = match operation.effect {
        Effect::Read => "a read (assumed): retried after a transport failure",
        Effect::Write => "a write (assumed): retried only if it was provably never sent",
    };
    let mut lines = vec![format!("{}.", operation.summary), String::new()];
    lines.extend(operation.description.lines().map(str::to_owned));
    lines.extend([
        String::new(),
        format!("`POST {}`, {effect}.{key}", operation.path),
        String::new(),
        "# Errors".to_owned(),
        "The variants of [`Error`](crate::Error) describe every failure.".to_owned(),
    ]);
    lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") }).collect()
}

pub(crate) fn request<'a>(types: &'a [Item], name: &str) -> Result<&'a ItemStruct, String> {
    types
        .iter()
        .find_map(|item| match item {
            Item::Struct(record) if record.ident == name => Some(record),
            _ => None,
        })
        .ok_or_else(|| format!("components.schemas.{name}: the generator did not turn it into a struct."))
}

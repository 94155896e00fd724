//! What the layer in `src/` needs to know of each operation: its constants, its request, its method on `Connector`.

use std::error::Error;

use business_data_connector_document::{Document, Effect, Evidence, Operation};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Item, ItemStruct};

use crate::records::{self, Record, argument, docs, ident, wire_name};

/// The methods that every `Call` has, private ones too; an optional request field of that name could not have its setter.
const OF_EVERY_CALL: [&str; 8] = ["new", "timeout", "no_timeout", "retry_policy", "idempotent", "with", "set", "poll"];

/// The items to add to the generated file.
pub(crate) fn items(file: &mut syn::File, document: &Document) -> Result<Vec<Item>, Box<dyn Error>> {
    let types = records::types(file)?;
    let constants = document.operations().iter().map(constant);
    let mut calls = TokenStream::new();
    for (index, operation) in document.operations().iter().enumerate() {
        let request = request(types, &operation.request)?;
        let schema = &document.as_value()["components"]["schemas"][&operation.request];
        calls.extend(one(operation, index, &Record::read(request, schema)?)?);
    }
    let requests = document.operations().iter().map(|operation| format_ident!("{}", operation.request));
    let file: syn::File = syn::parse2(quote! {
        /// Every operation of the interface, ordered by path.
        pub const OPERATIONS: &[crate::Operation] = &[#(#constants),*];

        /// Calls the visitor with the request type of every operation, in the order of [`OPERATIONS`].
        ///
        /// This is how code that was written for no operation in particular, such as a queue that reads stored requests
        /// back, gets from an operation's name to its type.
        pub fn visit_requests(visitor: &mut impl crate::RequestVisitor) {
            #(visitor.visit::<types::#requests>();)*
        }

        mod calls {
            use super::types::*;

            #calls
        }
    })?;
    Ok(file.items)
}

fn one(operation: &Operation, index: usize, record: &Record<'_>) -> Result<TokenStream, String> {
    if let Some((field, _)) =
        record.optional.iter().find(|(field, _)| OF_EVERY_CALL.iter().any(|name| ident(field) == name))
    {
        return Err(format!(
            "components.schemas.{}.properties.{}: is the name of a method that every call has.",
            operation.request,
            wire_name(field)
        ));
    }
    let request = format_ident!("{}", operation.request);
    let method = format_ident!("{}", operation.id);
    let document = documentation(operation);
    let arguments = record.required.iter().map(|field| argument(field, &field.ty));
    let values = record.required.iter().map(|field| ident(field));
    let setters = record.optional.iter().map(|(field, inner)| {
        let (docs, ident, argument) = (docs(field), ident(field), argument(field, inner));
        quote! {
            #(#docs)*
            pub fn #ident(self, #argument) -> Self {
                self.with(|request| request.#ident(#ident))
            }
        }
    });
    Ok(quote! {
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
    })
}

fn constant(operation: &Operation) -> TokenStream {
    let Operation { id, path, tag, summary, asynchronous, .. } = operation;
    let header_key = match &operation.header_key {
        Some(name) => quote!(::std::option::Option::Some(#name)),
        None => quote!(::std::option::Option::None),
    };
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
            asynchronous: #asynchronous,
            evidence: crate::Evidence::#evidence,
        }
    }
}

/// A line of rustdoc per element.
fn documentation(operation: &Operation) -> Vec<String> {
    let key = match &operation.header_key {
        Some(name) => format!(" It carries `{name}`: without a header key nothing is sent."),
        None => String::new(),
    };
    let effect = match operation.effect {
        Effect::Read => "a read (assumed): repeated after a transport failure",
        Effect::Write => "a write (assumed): repeated only when it provably never left",
    };
    let mut lines = vec![format!("{}.", operation.summary), String::new()];
    lines.extend(operation.description.lines().map(str::to_owned));
    lines.extend([
        String::new(),
        format!("`POST {}`, {effect}.{key}", operation.path),
        String::new(),
        "# Errors".to_owned(),
        "The call fails as [`Error`](crate::Error) tells.".to_owned(),
    ]);
    lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") }).collect()
}

fn request<'a>(types: &'a [Item], name: &str) -> Result<&'a ItemStruct, String> {
    types
        .iter()
        .find_map(|item| match item {
            Item::Struct(record) if record.ident == name => Some(record),
            _ => None,
        })
        .ok_or_else(|| format!("components.schemas.{name}: the generator made no struct of it."))
}

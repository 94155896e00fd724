//! What is known of the record that an operation pushes, and the trait that leads from the record to its request.

use business_data_connector_document::Operation;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    records::{Record, ident, wire_name},
    uploads::without_box,
};

/// The value of `Operation::record`.
pub(crate) fn facts(operation: &Operation) -> TokenStream {
    let Some(record) = &operation.record else { return quote!(::std::option::Option::None) };
    let optional = |text: Option<&String>| match text {
        Some(text) => quote!(::std::option::Option::Some(#text)),
        None => quote!(::std::option::Option::None),
    };
    let id = &record.id;
    let batch = optional(record.batch.as_ref().map(|batch| &batch.operation));
    let batch_member = optional(record.batch.as_ref().map(|batch| &batch.member));
    let pulled_by = optional(record.pulled_by.as_ref());
    quote! {
        ::std::option::Option::Some(crate::RecordFacts {
            id: #id, batch: #batch, batch_member: #batch_member, pulled_by: #pulled_by,
        })
    }
}

/// The implementation of `PushedRecord` for the record of an operation that has an `x-record`.
pub(crate) fn implementation(operation: &Operation, request: &Record<'_>) -> Option<TokenStream> {
    operation.record.as_ref()?;
    let data = request.required.iter().find(|field| wire_name(field) == "data")?;
    let others: Vec<_> = request.required.iter().map(|field| ident(field)).collect();
    let (record, data, name) = (without_box(&data.ty), ident(data), format_ident!("{}", operation.request));
    Some(quote! {
        impl crate::PushedRecord for #record {
            type Request = #name;

            fn into_request(self, uid: &str) -> #name {
                let #data = self;
                #name::new(#(#others),*)
            }
        }
    })
}

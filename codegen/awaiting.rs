//! The methods of `Awaiting`: one for each operation that has callbacks.

use business_data_connector_document::Operation;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::records::{Record, argument, ident, wire_name};

/// The method of an operation, whose `webhook` the inbox fills in. None if it has no callback.
pub(crate) fn method(operation: &Operation, record: &Record<'_>) -> Option<TokenStream> {
    operation.callback.as_ref()?;
    let (request, method) = (format_ident!("{}", operation.request), format_ident!("{}", operation.id));
    let is_webhook = |field: &&&syn::Field| wire_name(field) == "webhook";
    let arguments = record.required.iter().filter(|field| !is_webhook(field)).map(|field| argument(field, &field.ty));
    let values = record.required.iter().map(|field| match is_webhook(&field) {
        true => quote!(""),
        false => {
            let ident = ident(field);
            quote!(#ident)
        }
    });
    let docs = [
        format!(" {}, and await the callback.", operation.summary),
        String::new(),
        format!(" As [`Connector::{0}`](crate::Connector::{0}), whose `webhook` the inbox fills in.", operation.id),
    ];
    Some(quote! {
        #(#[doc = #docs])*
        pub fn #method(&self, #(#arguments),*) -> crate::inbox::AwaitedCall<#request> {
            self.send(#request::new(#(#values),*))
        }
    })
}

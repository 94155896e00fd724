//! The methods of `Awaiting` that upload a file and name it in a request.

use business_data_connector_document::{Document, Operation};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{GenericArgument, PathArguments, Type};

use crate::records::{Record, ident, wire_name};

/// The implementation of `ByFile` for the request of an operation that has an `x-upload`, and its method.
pub(crate) fn items(document: &Document, operation: &Operation, record: &Record<'_>) -> Option<TokenStream> {
    let upload = operation.upload.as_ref()?;
    let source = document.operations().iter().find(|source| source.id == upload.address_from)?;
    let data = record.required.iter().find(|field| wire_name(field) == "data")?;
    let (file, data) = (without_box(&data.ty), ident(data));
    let names = [&operation.request, &source.request, &upload.items, &upload.method, &upload.address];
    let [request, source_request, entry, method, setter] = names.map(|name| format_ident!("{name}"));
    let address = &upload.address;
    let docs = [
        format!(" {}, in one call: `entries` are uploaded as a file, and the outcome is awaited.", operation.summary),
        String::new(),
        format!(" [`Connector::{}`](crate::Connector::{0}) gives the address, the file is PUT there, and", source.id),
        format!(
            " [`Connector::{}`](crate::Connector::{0}) names it. That the address is in the reply or in the",
            operation.id
        ),
        " callback, and that the file is a JSON array, are observed; that the verb is PUT is assumed.".to_owned(),
    ];
    Some(quote! {
        impl crate::inbox::ByFile for #request {
            type AddressRequest = #source_request;
            type Entry = #entry;
            type File = #file;
            const ADDRESS: &'static str = #address;

            fn address_request(uid: &str) -> #source_request {
                #source_request::new(uid)
            }

            fn naming(uid: &str, #data: #file, address: &str) -> Self {
                Self::new(uid, #data.#setter(address))
            }
        }

        impl crate::inbox::Awaiting<'_> {
            #(#[doc = #docs])*
            pub fn #method(
                &self,
                uid: impl ::std::convert::Into<::std::string::String>,
                entries: impl ::std::convert::Into<::std::sync::Arc<[#entry]>>,
            ) -> crate::inbox::FileCall<#request> {
                self.by_file(uid.into(), entries.into(), #file::new())
            }
        }
    })
}

/// The type itself, without a box that the generator may put around it.
pub(crate) fn without_box(ty: &Type) -> &Type {
    let Type::Path(path) = ty else { return ty };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Box") else { return ty };
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => inner,
            _ => ty,
        },
        _ => ty,
    }
}

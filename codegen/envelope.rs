//! The text fields that requests have beside their payload, such as `uid` and `webhook`, for generic code.

use std::{collections::BTreeMap, error::Error};

use business_data_connector_document::Document;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;
use syn::{Ident, Item};

use crate::{
    operations,
    records::{self, Record, ident, wire_name},
};

/// The struct `Envelope` and the trait `RequestEnvelope`, with an implementation for each request.
pub(crate) fn items(file: &mut syn::File, document: &Document) -> Result<Vec<Item>, Box<dyn Error>> {
    let types = records::types(file)?;
    let mut requests = Vec::new();
    let mut names = BTreeMap::new();
    for operation in document.operations() {
        let schema = &document.as_value()["components"]["schemas"][&operation.request];
        let request = operations::request(types, &operation.request)?;
        let Record { required, optional } = Record::read(request, schema)?;
        let fields =
            required.iter().map(|field| (*field, true)).chain(optional.iter().map(|(field, _)| (*field, false)));
        let mut own = BTreeMap::new();
        for (field, required) in fields {
            let property = &schema["properties"][wire_name(field)];
            if property["type"] == "string" {
                names.entry(ident(field).to_string()).or_insert_with(|| Text::of(property));
                own.insert(ident(field).to_string(), required);
            }
        }
        requests.push((format_ident!("{}", operation.request), own));
    }
    let fields: Vec<_> = names.iter().map(|(name, text)| (format_ident!("{name}"), text)).collect();
    let implementations = requests.iter().map(|(request, own)| implementation(request, own));
    let (structure, interface) = (structure(&fields), interface(&fields));
    let file: syn::File = syn::parse2(quote!(#structure #interface #(#implementations)*))?;
    Ok(file.items)
}

/// A text field of the envelope, as the first request that has it describes it.
struct Text {
    description: String,
    sensitivity: Option<String>,
}

impl Text {
    fn of(property: &Value) -> Self {
        let text = |key: &str| property[key].as_str().map(str::to_owned);
        Self { description: text("description").unwrap_or_default(), sensitivity: text("x-sensitive") }
    }
}

fn structure(fields: &[(Ident, &Text)]) -> TokenStream {
    let members = fields.iter().map(|(name, text)| {
        let description = &text.description;
        quote! {
            #[doc = #description]
            pub #name: ::std::option::Option<&'a str>
        }
    });
    let shown = fields.iter().map(|(name, text)| {
        let label = name.to_string();
        match text.sensitivity.as_deref() {
            None => quote!(.field(#label, &self.#name)),
            Some("query") => quote!(.field(#label, &crate::redact::Query(self.#name))),
            Some(_) => quote!(.field(#label, &crate::redact::Hidden(self.#name))),
        }
    });
    quote! {
        /// The text fields that a request has beside its payload; `None` for those that are not set, and for those that
        /// its operation does not have. See [`RequestEnvelope`].
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Envelope<'a> {
            #(#members,)*
        }

        impl ::std::fmt::Debug for Envelope<'_> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct("Envelope") #(#shown)* .finish()
            }
        }
    }
}

fn interface(fields: &[(Ident, &Text)]) -> TokenStream {
    let setters = fields.iter().map(|(name, _)| {
        let (setter, what) = (
            format_ident!("set_{name}"),
            format!("Sets `{name}`. Returns `false` if the operation has no such field."),
        );
        quote! {
            #[doc = #what]
            fn #setter(&mut self, #name: &str) -> bool {
                let _ = #name;
                false
            }
        }
    });
    quote! {
        /// Access to the text fields of any [`Request`](crate::Request), for generic code such as a queue.
        pub trait RequestEnvelope {
            /// The text fields as they are set.
            fn envelope(&self) -> Envelope<'_>;
            #(#setters)*
        }
    }
}

/// `own` has the fields of this request, and whether each is required.
fn implementation(request: &Ident, own: &BTreeMap<String, bool>) -> TokenStream {
    let values = own.iter().map(|(name, required)| {
        let name = format_ident!("{name}");
        match required {
            true => quote!(#name: ::std::option::Option::Some(self.#name.as_str())),
            false => quote!(#name: self.#name.as_deref()),
        }
    });
    let setters = own.iter().map(|(name, required)| {
        let (name, setter) = (format_ident!("{name}"), format_ident!("set_{name}"));
        let value = match required {
            true => quote!(#name.to_owned()),
            false => quote!(::std::option::Option::Some(#name.to_owned())),
        };
        quote! {
            fn #setter(&mut self, #name: &str) -> bool {
                self.#name = #value;
                true
            }
        }
    });
    quote! {
        impl RequestEnvelope for types::#request {
            fn envelope(&self) -> Envelope<'_> {
                Envelope { #(#values,)* ..::std::default::Default::default() }
            }
            #(#setters)*
        }
    }
}

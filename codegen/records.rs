//! Completes the generated structs: room for new fields, a constructor, setters, a `Debug` without secrets, and a
//! `Serialize` that suits every format.

use std::error::Error;

use crate::examples;
use business_data_connector_document::Document;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use serde_json::Value;
use syn::{Attribute, Field, Ident, Item, ItemStruct, Type, parse_quote};

/// Completes every struct of `types` that is a component of the document.
pub(crate) fn complete(file: &mut syn::File, document: &Document) -> Result<(), Box<dyn Error>> {
    let schemas = &document.as_value()["components"]["schemas"];
    let items = types(file)?;
    let mut added = Vec::new();
    for item in items.iter_mut() {
        let Item::Struct(record) = item else { continue };
        let schema = &schemas[record.ident.to_string()];
        if schema.is_null() {
            continue;
        }
        added.extend(completed(record, schema)?);
        let example = examples::lines(&record.ident.to_string(), schemas).into_iter().flatten();
        // After the description, which is the first attribute.
        record.attrs.splice(1..1, example.map(|line| parse_quote!(#[doc = #line])));
    }
    items.extend(added);
    Ok(())
}

/// The fields of a struct, by whether they are required.
pub(crate) struct Record<'a> {
    /// Required fields, in the order of the document.
    pub(crate) required: Vec<&'a Field>,
    /// Optional fields, with the type inside `Option`.
    pub(crate) optional: Vec<(&'a Field, &'a Type)>,
}

impl<'a> Record<'a> {
    pub(crate) fn read(record: &'a ItemStruct, schema: &Value) -> Result<Self, String> {
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        for field in &record.fields {
            match inside_option(&field.ty) {
                Some(inner) => optional.push((field, inner)),
                None => required.push(field),
            }
        }
        let order = |field: &&Field| {
            let name = wire_name(field);
            schema["required"].as_array().into_iter().flatten().position(|required| *required == name)
        };
        if let Some(field) = required.iter().find(|field| order(field).is_none()) {
            return Err(format!(
                "components.schemas.{}.properties.{}: is optional, but the generator did not turn it into an `Option`.",
                record.ident,
                wire_name(field)
            ));
        }
        required.sort_by_key(order);
        Ok(Self { required, optional })
    }
}

fn completed(record: &mut ItemStruct, schema: &Value) -> Result<Vec<Item>, String> {
    record.attrs.retain(|attribute| !is_doc(attribute) && !is_closing(attribute));
    let description = schema["description"].as_str().unwrap_or_default();
    record.attrs.insert(0, parse_quote!(#[doc = #description]));
    record.attrs.push(parse_quote!(#[non_exhaustive]));
    record.attrs.push(parse_quote!(#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]));
    let mut added = vec![setters(record, schema)?];
    if record.fields.iter().any(|field| inside_option(&field.ty).is_some()) {
        record.attrs.iter_mut().for_each(|attribute| without_derive(attribute, "Serialize"));
        added.push(serialize(record));
    }
    if record.fields.iter().any(|field| sensitivity(field, schema).is_some()) {
        record.attrs.iter_mut().for_each(|attribute| without_derive(attribute, "Debug"));
        added.push(debug(record, schema));
    }
    Ok(added)
}

fn setters(record: &ItemStruct, schema: &Value) -> Result<Item, String> {
    let name = &record.ident;
    let Record { required, optional } = Record::read(record, schema)?;
    let (arguments, values): (Vec<_>, Vec<_>) =
        required.iter().map(|field| (argument(field, &field.ty), initializer(field))).unzip();
    let absent = optional.iter().map(|(field, _)| ident(field));
    let summary = match required.is_empty() {
        true => "Creates a value without any field set.",
        false => "Creates a value with the required fields.",
    };
    let methods = optional.iter().map(|(field, inner)| {
        let (docs, ident, argument) = (docs(field), ident(field), argument(field, inner));
        let (source, convert) = conversion(inner);
        let (maybe, maybe_docs) = maybe(field);
        quote! {
            #(#docs)*
            #[must_use]
            pub fn #ident(mut self, #argument) -> Self {
                self.#ident = ::std::option::Option::Some(#convert(#ident));
                self
            }
            #[doc = #maybe_docs]
            #[must_use]
            pub fn #maybe(mut self, #ident: ::std::option::Option<impl #source>) -> Self {
                self.#ident = #ident.map(#convert);
                self
            }
        }
    });
    Ok(parse_quote! {
        impl #name {
            #[doc = #summary]
            #[must_use]
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* #(#absent: ::std::option::Option::None,)* }
            }
            #(#methods)*
        }
    })
}

/// `impl Serialize` that leaves absent values out of JSON, and writes them everywhere else: CSV and most binary formats
/// find a field by its position.
fn serialize(record: &ItemStruct) -> Item {
    let (name, count) = (&record.ident, record.fields.len());
    let text = name.to_string();
    let (idents, labels): (Vec<_>, Vec<_>) = record.fields.iter().map(|field| (ident(field), wire_name(field))).unzip();
    let absent: Vec<_> = record
        .fields
        .iter()
        .map(|field| match (inside_option(&field.ty), ident(field)) {
            (Some(_), ident) => quote!(skip && self.#ident.is_none()),
            (None, _) => quote!(false),
        })
        .collect();
    parse_quote! {
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeStruct;
                let skip = crate::decimal::is_json::<S::Error>();
                let skipped = [#(#absent),*].into_iter().filter(|absent: &bool| *absent).count();
                let mut fields = serializer.serialize_struct(#text, #count - skipped)?;
                #(match #absent {
                    true => fields.skip_field(#labels)?,
                    false => fields.serialize_field(#labels, &self.#idents)?,
                })*
                fields.end()
            }
        }
    }
}

/// `impl Debug` that hides the secret parts of `x-sensitive` fields.
fn debug(record: &ItemStruct, schema: &Value) -> Item {
    let name = &record.ident;
    let text = name.to_string();
    let fields = record.fields.iter().map(|field| {
        let (ident, label) = (ident(field), wire_name(field));
        let text = match inside_option(&field.ty) {
            Some(_) => quote!(self.#ident.as_deref()),
            None => quote!(::std::option::Option::Some(self.#ident.as_str())),
        };
        match sensitivity(field, schema) {
            None => quote!(.field(#label, &self.#ident)),
            Some("query") => quote!(.field(#label, &crate::redact::Query(#text))),
            Some(_) => quote!(.field(#label, &crate::redact::Hidden(#text))),
        }
    });
    parse_quote! {
        impl ::std::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(#text) #(#fields)* .finish()
            }
        }
    }
}

/// The items in the generated `mod types`.
pub(crate) fn types(file: &mut syn::File) -> Result<&mut Vec<Item>, String> {
    file.items
        .iter_mut()
        .find_map(|item| match item {
            Item::Mod(module) if module.ident == "types" => module.content.as_mut().map(|(_, items)| items),
            _ => None,
        })
        .ok_or_else(|| "document: the generator emitted no `mod types`; has its version changed?".to_owned())
}

/// The `#[doc]` attributes of a field.
pub(crate) fn docs(field: &Field) -> impl Iterator<Item = &Attribute> {
    field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"))
}

/// `name: impl Into<Type>`.
pub(crate) fn argument(field: &Field, ty: &Type) -> TokenStream {
    let (ident, (source, _)) = (ident(field), conversion(ty));
    quote!(#ident: impl #source)
}

/// The trait that an argument implements, and its method. A trait of the layer has better errors for floats.
pub(crate) fn conversion(ty: &Type) -> (TokenStream, TokenStream) {
    match ty.to_token_stream().to_string() == "crate :: Decimal" {
        true => (quote!(crate::IntoDecimal), quote!(crate::IntoDecimal::into_decimal)),
        false => (quote!(::std::convert::Into<#ty>), quote!(::std::convert::Into::<#ty>::into)),
    }
}

fn initializer(field: &Field) -> TokenStream {
    let (ident, (_, convert)) = (ident(field), conversion(&field.ty));
    quote!(#ident: #convert(#ident))
}

/// The name and the docs of the setter that accepts an `Option`, named as in the crate `bon`.
pub(crate) fn maybe(field: &Field) -> (Ident, String) {
    let name = ident(field);
    (format_ident!("maybe_{}", name), format!(" Sets [`{name}`](Self::{name}) to a value that may be absent."))
}

pub(crate) fn ident(field: &Field) -> &Ident {
    // Components are objects with properties, so every field has a name.
    field.ident.as_ref().unwrap_or_else(|| unreachable!("{} has no name", field.ty.to_token_stream()))
}

/// The property's name in JSON, from `#[serde(rename = "...")]` or the field itself.
pub(crate) fn wire_name(field: &Field) -> String {
    let mut name = ident(field).to_string();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        // Anything but a rename is ignored.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                name = meta.value()?.parse::<syn::LitStr>()?.value();
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            }
            Ok(())
        });
    }
    name
}

fn sensitivity<'a>(field: &Field, schema: &'a Value) -> Option<&'a str> {
    schema["properties"][wire_name(field)]["x-sensitive"].as_str()
}

fn inside_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            syn::GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// The generator documents a type with its schema: the prepared one, which is not the public interface.
fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

/// A schema without properties was closed only so that it becomes a struct; the struct tolerates unknown fields like
/// others.
fn is_closing(attribute: &Attribute) -> bool {
    attribute.path().is_ident("serde") && attribute.to_token_stream().to_string().contains("deny_unknown_fields")
}

fn without_derive(attribute: &mut Attribute, derived: &str) {
    if !attribute.path().is_ident("derive") {
        return;
    }
    let mut kept = Vec::new();
    let read = attribute.parse_nested_meta(|meta| {
        if meta.path.segments.last().is_none_or(|last| last.ident != derived) {
            kept.push(meta.path);
        }
        Ok(())
    });
    if read.is_ok() {
        *attribute = parse_quote!(#[derive(#(#kept),*)]);
    }
}

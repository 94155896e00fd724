//! Snapshots of the public Rust API for reviewers: what `build.rs` generates and what `src/` declares, without bodies.
//! Accept a change with `cargo insta review`.

mod support;

use std::{collections::BTreeSet, error::Error, fs, path::Path};

use support::sources;
use syn::{Attribute, Block, Fields, ImplItem, Item, TraitItem, Visibility, parse_quote};

#[test]
fn the_generated_api_matches_the_reviewed_snapshot() -> Result<(), Box<dyn Error>> {
    let mut file = syn::parse_file(&fs::read_to_string(concat!(env!("OUT_DIR"), "/generated.rs"))?)?;
    // The generated client itself is private.
    file.items.retain(|item| match item {
        Item::Mod(module) => module.ident != "prelude",
        Item::Const(_) | Item::Fn(_) => true,
        _ => false,
    });
    insta::assert_snapshot!("generated", rendered(file));
    Ok(())
}

#[test]
fn the_api_of_src_matches_the_reviewed_snapshot() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for path in sources(&folder)? {
        let file = syn::parse_file(&fs::read_to_string(&path)?)?;
        files.push((path.strip_prefix(&folder)?.to_owned(), file));
    }
    let names: BTreeSet<_> = files.iter().flat_map(|(_, file)| &file.items).filter_map(public_type).collect();
    let mut text = String::new();
    for (path, mut file) in files {
        // Implementations for private types are not part of the API.
        file.items.retain(|item| !matches!(item, Item::Impl(block) if !of_one_of(&names, block)));
        text += &format!("// {}\n{}\n", path.display().to_string().replace('\\', "/"), rendered(file));
    }
    insta::assert_snapshot!("layer", text);
    Ok(())
}

fn rendered(mut file: syn::File) -> String {
    file.attrs.clear();
    file.items = public(file.items);
    // Without the path prefixes that the generator writes.
    ["::std::option::", "::std::string::", "::std::vec::", "::std::convert::"]
        .iter()
        .fold(prettyplease::unparse(&file), |text, noise| text.replace(noise, ""))
}

fn public_type(item: &Item) -> Option<String> {
    match item {
        Item::Struct(record) if is_public(&record.vis) => Some(record.ident.to_string()),
        Item::Enum(choice) if is_public(&choice.vis) => Some(choice.ident.to_string()),
        _ => None,
    }
}

fn of_one_of(names: &BTreeSet<String>, block: &syn::ItemImpl) -> bool {
    // A conversion has its public type as a parameter of the trait.
    let text = |tokens: &dyn quote::ToTokens| tokens.to_token_stream().to_string();
    let of_trait = block.trait_.as_ref().map(|(path, _)| text(path)).unwrap_or_default();
    let words = format!("{of_trait} {}", text(&*block.self_ty));
    words.split(|c: char| !c.is_alphanumeric()).any(|word| names.contains(word))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Keeps the attributes that affect users.
fn keep_relevant(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        ["derive", "non_exhaustive", "must_use", "cfg"].iter().any(|kept| attribute.path().is_ident(kept))
    });
}

fn public(items: Vec<Item>) -> Vec<Item> {
    items.into_iter().filter_map(one).collect()
}

fn one(mut item: Item) -> Option<Item> {
    let nothing: Block = parse_quote!({});
    match &mut item {
        Item::Struct(record) if is_public(&record.vis) => {
            keep_relevant(&mut record.attrs);
            if let Fields::Named(fields) = &mut record.fields {
                fields.named =
                    std::mem::take(&mut fields.named).into_iter().filter(|field| is_public(&field.vis)).collect();
                fields.named.iter_mut().for_each(|field| field.attrs.clear());
            }
        }
        Item::Enum(choice) if is_public(&choice.vis) => {
            keep_relevant(&mut choice.attrs);
            for variant in &mut choice.variants {
                variant.attrs.clear();
                variant.fields.iter_mut().for_each(|field| field.attrs.clear());
            }
        }
        Item::Fn(function) if is_public(&function.vis) => {
            keep_relevant(&mut function.attrs);
            *function.block = nothing;
        }
        Item::Const(constant) if is_public(&constant.vis) => {
            constant.attrs.clear();
            *constant.expr = parse_quote!(..);
        }
        Item::Trait(interface) if is_public(&interface.vis) => {
            keep_relevant(&mut interface.attrs);
            for item in &mut interface.items {
                match item {
                    TraitItem::Fn(function) => function.attrs.clear(),
                    TraitItem::Const(constant) => constant.attrs.clear(),
                    _ => {}
                }
            }
        }
        Item::Impl(block) => {
            block.attrs.clear();
            let of_trait = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            // It cannot be named outside the crate.
            if of_trait.is_some_and(|last| last.ident == "Dispatch") {
                return None;
            }
            let of_trait = of_trait.is_some();
            block.items.retain_mut(|item| match item {
                ImplItem::Fn(function) if is_public(&function.vis) => {
                    keep_relevant(&mut function.attrs);
                    function.block = nothing.clone();
                    true
                }
                _ => false,
            });
            if block.items.is_empty() && !of_trait {
                return None;
            }
        }
        Item::Mod(module) => {
            let testing = module.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
            module.attrs.clear();
            let (_, items) = module.content.as_mut().filter(|_| !testing)?;
            *items = public(std::mem::take(items));
        }
        Item::Use(import) if is_public(&import.vis) => {}
        _ => return None,
    }
    Some(item)
}

//! The modules of a crate, with what each of them defines and imports, read from the source.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use syn::{Attribute, Expr, ExprLit, Item, ItemMod, ItemUse, Lit, Meta, UseTree, Visibility};

/// The modules of a crate; the first is its root.
pub struct Crate {
    pub modules: Vec<Module>,
}

/// A module, which is a file or is inline.
pub struct Module {
    pub file: PathBuf,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// Names of what is defined here.
    pub definitions: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// The items, without modules and tests.
    pub items: Vec<Item>,
}

/// One name of a `use`.
pub struct Import {
    /// `None` for `*`.
    pub name: Option<String>,
    pub path: Vec<String>,
    pub is_public: bool,
    pub line: usize,
}

impl Crate {
    /// Reads the crate with this root, and its modules. Tests and code of `#[cfg(test)]` are not part of it.
    pub fn read(root: &Path) -> Result<Self> {
        let mut this = Self { modules: Vec::new() };
        this.file(root.to_owned(), None, true)?;
        Ok(this)
    }

    /// Reads a file as a module. Child modules are beside it if it is a root or a `mod.rs`.
    fn file(&mut self, path: PathBuf, parent: Option<usize>, is_root: bool) -> Result<usize> {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let items = syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?.items;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let children = match path.file_stem() {
            Some(stem) if !is_root && stem != "mod" => folder.join(stem),
            _ => folder.clone(),
        };
        self.module(path, parent, items, &folder, &children)
    }

    fn module(
        &mut self,
        file: PathBuf,
        parent: Option<usize>,
        items: Vec<Item>,
        folder: &Path,
        children: &Path,
    ) -> Result<usize> {
        let index = self.modules.len();
        self.modules.push(Module {
            file: file.clone(),
            parent,
            children: BTreeMap::new(),
            definitions: BTreeSet::new(),
            imports: Vec::new(),
            items: Vec::new(),
        });
        for item in items.into_iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let child = self.child(module, index, &file, folder, children)?;
                    self.modules[index].children.insert(name, child);
                }
                item => {
                    if let Item::Use(item) = &item {
                        self.modules[index].imports.extend(imports(item));
                    }
                    self.modules[index].definitions.extend(name(&item));
                    self.modules[index].items.push(item);
                }
            }
        }
        Ok(index)
    }

    fn child(&mut self, module: ItemMod, parent: usize, file: &Path, folder: &Path, children: &Path) -> Result<usize> {
        let name = module.ident.to_string();
        let given = path_attribute(&module.attrs);
        match module.content {
            Some((_, items)) => {
                let inner = children.join(&name);
                self.module(file.to_owned(), Some(parent), items, &inner, &inner)
            }
            // A file that an attribute names has its child modules beside it, as a `mod.rs` has.
            None if given.is_some() => self.file(folder.join(given.unwrap_or_default()), Some(parent), true),
            None => {
                let beside = children.join(format!("{name}.rs"));
                let below = children.join(&name).join("mod.rs");
                self.file(if beside.exists() { beside } else { below }, Some(parent), false)
            }
        }
    }
}

/// The names that a `use` imports.
pub fn imports(item: &ItemUse) -> Vec<Import> {
    let mut imports = Vec::new();
    flatten(&item.tree, Vec::new(), item, &mut imports);
    imports
}

fn flatten(tree: &UseTree, path: Vec<String>, item: &ItemUse, into: &mut Vec<Import>) {
    let with = |name: &syn::Ident| [&path[..], &[name.to_string()]].concat();
    let mut add = |name: Option<String>, path, line| {
        into.push(Import { name, path, is_public: !matches!(item.vis, Visibility::Inherited), line });
    };
    match tree {
        UseTree::Path(tree) => flatten(&tree.tree, with(&tree.ident), item, into),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path.clone(), item, into)),
        UseTree::Name(tree) if tree.ident == "self" => add(path.last().cloned(), path, line(&tree.ident)),
        UseTree::Name(tree) => add(Some(tree.ident.to_string()), with(&tree.ident), line(&tree.ident)),
        UseTree::Rename(tree) => {
            let path = if tree.ident == "self" { path } else { with(&tree.ident) };
            add(Some(tree.rename.to_string()), path, line(&tree.ident));
        }
        UseTree::Glob(tree) => add(None, path, tree.star_token.spans[0].start().line),
    }
}

pub fn line(ident: &syn::Ident) -> usize {
    ident.span().start().line
}

/// The name that an item defines.
fn name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => item.ident.as_ref()?.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an item is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::NameValue(_) => false,
    })
}

/// The value of `#[path = "…"]`.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

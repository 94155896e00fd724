//! An example in the rustdoc of each type, from the examples in the document.

use serde_json::Value;

/// How many optional fields an example sets.
const SHOWN: usize = 3;

/// The rustdoc lines of the example for the component `name`; compiled and run as a test.
pub(crate) fn lines(name: &str, schemas: &Value) -> Option<Vec<String>> {
    let value = structure(name, schemas, 0)?;
    let mut imports = Vec::new();
    mentioned(name, schemas, &mut imports);
    imports.sort();
    let decimal = if value.contains("Decimal::") { "Decimal, " } else { "" };
    let use_line = format!(" use business_data_connector::{{{decimal}types::{{{}}}}};", imports.join(", "));
    let mut lines = vec![String::new(), " ```".to_owned()];
    lines.push(" # fn main() -> Result<(), business_data_connector::DecimalError> {".to_owned());
    lines.push(use_line);
    lines.push(String::new());
    let mut value = value.lines().map(str::to_owned).collect::<Vec<_>>();
    if let Some(first) = value.first_mut() {
        *first = format!("let value = {first}");
    }
    if let Some(last) = value.last_mut() {
        last.push(';');
    }
    lines.extend(value.iter().map(|line| format!(" {line}")));
    lines.extend([" # let _ = value;", " # Ok(())", " # }", " ```"].map(str::to_owned));
    Some(lines)
}

/// `Name::new(required).optional(…)`, with the setters on lines of their own.
fn structure(name: &str, schemas: &Value, depth: usize) -> Option<String> {
    let (required, optional) = members(name, schemas)?;
    let arguments: Option<Vec<_>> = required.iter().map(|(_, property)| expression(property, schemas, depth)).collect();
    let mut text = format!("{name}::new({})", arguments?.join(", "));
    for (member, property) in optional.iter().take(SHOWN) {
        let value = expression(property, schemas, depth + 1)?;
        text += &format!("\n{}.{}({value})", "    ".repeat(depth + 1), identifier(member));
    }
    Some(text)
}

fn expression(property: &Value, schemas: &Value, depth: usize) -> Option<String> {
    if let Some(name) = component(property) {
        return structure(name, schemas, depth);
    }
    match property["type"].as_str()? {
        "array" => Some(format!("[{}]", expression(&property["items"], schemas, depth)?)),
        "string" => Some(format!("{:?}", property["example"].as_str().unwrap_or("text"))),
        "boolean" => Some(property["example"].as_bool().unwrap_or(true).to_string()),
        "number" => Some(match &property["example"] {
            Value::Number(number) => format!("Decimal::try_from(\"{number}\")?"),
            _ => "Decimal::from(5)".to_owned(),
        }),
        _ => None,
    }
}

/// Every component that the example names.
fn mentioned(name: &str, schemas: &Value, into: &mut Vec<String>) {
    if into.iter().any(|known| known == name) {
        return;
    }
    into.push(name.to_owned());
    let Some((required, optional)) = members(name, schemas) else { return };
    for (_, property) in required.iter().chain(optional.iter().take(SHOWN)) {
        if let Some(inner) = component(property).or_else(|| component(&property["items"])) {
            mentioned(inner, schemas, into);
        }
    }
}

type Members<'a> = Vec<(&'a str, &'a Value)>;

/// The required members in the order of `required`, and the optional ones in the order of their names. Without the
/// credentials, which no type holds.
fn members<'a>(name: &str, schemas: &'a Value) -> Option<(Members<'a>, Members<'a>)> {
    let schema = &schemas[name];
    let properties = schema["properties"].as_object()?;
    let held = |name: &str| !business_data_connector_document::BODY_CREDENTIALS.contains(&name);
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let required: Members<'a> = names
        .filter(|name| held(name))
        .filter_map(|name| properties.get_key_value(name))
        .map(|(name, property)| (name.as_str(), property))
        .collect();
    let is_required = |name: &str| required.iter().any(|(required, _)| *required == name);
    let optional = properties.iter().filter(|(name, _)| held(name) && !is_required(name));
    Some((required.clone(), optional.map(|(name, property)| (name.as_str(), property)).collect()))
}

fn component(property: &Value) -> Option<&str> {
    business_data_connector_document::referred(property)
}

/// The name of the setter. The generator appends an underscore to a keyword of Rust.
fn identifier(member: &str) -> String {
    match syn::parse_str::<syn::Ident>(member) {
        Ok(_) => member.to_owned(),
        Err(_) => format!("{member}_"),
    }
}

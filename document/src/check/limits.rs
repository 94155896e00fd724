use serde_json::Value;

use super::list::list_of;
use crate::violation::Collector;

/// Keywords that have an effect on values of some types only, and those types.
const EFFECTIVE: [(&str, &[&str]); 11] = [
    ("pattern", &["string"]),
    ("format", &["string", "number", "integer"]),
    ("minLength", &["string"]),
    ("maxLength", &["string"]),
    ("minimum", &["number", "integer"]),
    ("maximum", &["number", "integer"]),
    ("exclusiveMinimum", &["number", "integer"]),
    ("exclusiveMaximum", &["number", "integer"]),
    ("multipleOf", &["number", "integer"]),
    ("minItems", &["array"]),
    ("items", &["array"]),
];

/// Every limit of a property has an effect: validators ignore one that belongs to another type.
pub(super) fn check(property: &Value, location: &str, violations: &mut Collector) {
    let json_type = property["type"].as_str().unwrap_or_default();
    for (keyword, types) in EFFECTIVE {
        if property.get(keyword).is_some() && !types.contains(&json_type) {
            let problem = format!("has no effect here, only on the types {}; remove it.", list_of(types));
            violations.add(&format!("{location}.{keyword}"), problem);
        }
    }
    for (least, most) in [("minLength", "maxLength"), ("minimum", "maximum")] {
        let (low, high) = (property[least].as_f64(), property[most].as_f64());
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            violations.add(&format!("{location}.{least}"), format!("is more than `{most}`; no value is valid."));
        }
    }
    for (exclusive, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if property.get(exclusive).is_some() && property.get(limit).is_none() {
            let problem = format!("has no effect without `{limit}`; add it.");
            violations.add(&format!("{location}.{exclusive}"), problem);
        }
    }
    if property["multipleOf"].as_f64().is_some_and(|step| step <= 0.0) {
        violations.add(&format!("{location}.multipleOf"), "must be more than 0.");
    }
}

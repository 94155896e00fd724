//! Validates every conformance vector, request or callback, against the generated schemas.

use std::{collections::BTreeSet, error::Error, fs};

use business_data_connector::OPERATIONS;
use serde_json::Value;

fn json(path: &str) -> Result<Value, Box<dyn Error>> {
    Ok(serde_json::from_str(&fs::read_to_string(format!("{}/openapi/{path}", env!("CARGO_MANIFEST_DIR")))?)?)
}

#[test]
fn every_vector_gets_its_verdict_from_the_generated_schema() -> Result<(), Box<dyn Error>> {
    let index = json("schemas/index.json")?;
    for operation in OPERATIONS {
        let entry = &index["operations"][operation.id];
        let schema = json(&format!("schemas/{}", entry["schema"].as_str().ok_or("no schema")?))?;
        jsonschema::meta::validate(&schema).map_err(|e| format!("{}: {e}", operation.id))?;
        let validator = jsonschema::draft202012::new(&schema)?;
        for vector in json(&format!("vectors/{}.json", operation.id))?.as_array().into_iter().flatten() {
            assert_eq!(vector["operation"], operation.id);
            assert_eq!(
                validator.is_valid(&vector["body"]),
                vector["valid"] == true,
                "{}: {}",
                operation.id,
                vector["why"]
            );
        }
    }
    Ok(())
}

#[test]
fn every_callback_gets_its_verdict_from_the_generated_schema_and_has_the_known_shape() -> Result<(), Box<dyn Error>> {
    let index = json("schemas/index.json")?;
    let schema = |file: &Value| json(&format!("schemas/{}", file.as_str().ok_or("no schema")?));
    let envelope = jsonschema::draft202012::new(&schema(&index["callbacks"]["schema"])?)?;
    let vectors = json(&format!("schemas/{}", index["callbacks"]["vectors"].as_str().ok_or("no vectors")?))?;
    let vectors = vectors.as_array().ok_or("no vectors")?;
    for vector in vectors {
        assert_eq!(envelope.is_valid(&vector["body"]), vector["valid"] == true, "{}", vector["why"]);
    }
    for operation in OPERATIONS {
        let own = vectors.iter().filter(|vector| vector["operation"] == operation.id);
        let file = &index["operations"][operation.id]["callback"];
        if operation.callback.is_none() {
            assert_eq!((file, own.count()), (&Value::Null, 0), "{}", operation.id);
            continue;
        }
        let shape = jsonschema::draft202012::new(&schema(file)?)?;
        let every = format!("{}: every field", operation.id);
        let full = own.clone().find(|vector| vector["why"] == *every).ok_or(every)?;
        let fields = schema(file)?["properties"].as_object().ok_or("no properties")?.len();
        assert_eq!(full["body"]["response"].as_object().map(|members| members.len()), Some(fields), "{}", operation.id);
        // Only a response of no known shape, and nothing else, is of another shape.
        for vector in own.filter(|vector| !vector["why"].as_str().is_some_and(|why| why.ends_with("as `response`"))) {
            let response = vector["body"].get("response").filter(|response| response.is_object());
            assert!(response.is_none_or(|response| shape.is_valid(response)), "{}", vector["why"]);
        }
    }
    Ok(())
}

#[test]
fn every_operation_has_valid_and_invalid_vectors_and_one_for_each_missing_required_field() -> Result<(), Box<dyn Error>>
{
    for entry in json("vectors/index.json")?.as_array().ok_or("no index")? {
        let operation = entry["operation"].as_str().unwrap_or("callback");
        let vectors = json(&format!("vectors/{}", entry["file"].as_str().ok_or("no file")?))?;
        let vectors = vectors.as_array().ok_or("no vectors")?;
        let valid = vectors.iter().filter(|vector| vector["valid"] == true).count();
        assert!(vectors.len() >= 6 && valid >= 3 && vectors.len() - valid >= 3, "{operation}");
        assert_eq!(
            (entry["valid"].as_u64(), entry["invalid"].as_u64()),
            (Some(valid as u64), Some((vectors.len() - valid) as u64))
        );
        let file = format!("vectors/{}", entry["schema"].as_str().ok_or("no schema")?);
        let whys: BTreeSet<_> = vectors.iter().filter_map(|vector| vector["why"].as_str()).collect();
        assert_eq!(whys.len(), vectors.len(), "{operation}: two vectors for the same reason");
        for required in json(&file)?["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(whys.contains(format!("`{required}` is missing").as_str()), "{operation}: {required}");
        }
    }
    Ok(())
}

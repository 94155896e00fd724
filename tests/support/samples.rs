use std::pin::Pin;

use business_data_connector::{
    Connector, DOCUMENT, Error, Operation, Reply, Request, RequestVisitor, Stored, visit_requests,
};
use business_data_connector_document::{Document, referred};
use serde_json::{Map, Value, json};

type BoxedCall = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>;

/// A request of one operation with every field set to the example that the document gives.
pub struct Sample {
    pub operation: &'static Operation,
    /// The whole body, with the example credentials of the document.
    pub body: Value,
    /// The `Debug` output of the request.
    pub debug: String,
    pub stored: Stored,
    call: Box<dyn Fn(&Connector) -> BoxedCall>,
}

impl Sample {
    pub fn call(&self, connector: &Connector) -> BoxedCall {
        (self.call)(connector)
    }
}

/// A sample of every operation.
pub fn samples() -> Result<Vec<Sample>, Box<dyn std::error::Error>> {
    let mut collector = Collector { document: Document::parse(DOCUMENT)?, samples: Vec::new() };
    visit_requests(&mut collector);
    collector.samples.into_iter().collect()
}

struct Collector {
    document: Document,
    samples: Vec<Result<Sample, Box<dyn std::error::Error>>>,
}

impl RequestVisitor for Collector {
    fn visit<R: Request>(&mut self) {
        self.samples.push(sample::<R>(&self.document));
    }
}

fn sample<R: Request>(document: &Document) -> Result<Sample, Box<dyn std::error::Error>> {
    let operation = document.operations().iter().find(|operation| operation.id == R::OPERATION.id);
    let body = example(document, operation.map_or("", |operation| &operation.request));
    let mut without_credentials = body.clone();
    if let Some(members) = without_credentials.as_object_mut() {
        members.retain(|name, _| name != "apikey" && name != "appid");
    }
    // Deserialized from text, because a `Value` does not keep the digits of a number.
    let request: R = serde_json::from_str(&without_credentials.to_string())?;
    let debug = format!("{request:?}");
    let stored = Stored::new(&request)?;
    let call = move |connector: &Connector| Box::pin(connector.send(request.clone())) as BoxedCall;
    Ok(Sample { operation: R::OPERATION, body, debug, stored, call: Box::new(call) })
}

/// An object with the example of each property of a component.
fn example(document: &Document, component: &str) -> Value {
    let properties = document.as_value()["components"]["schemas"][component]["properties"].as_object();
    let members =
        properties.into_iter().flatten().map(|(name, schema)| (name.clone(), property_example(document, schema)));
    Value::Object(members.collect::<Map<_, _>>())
}

fn property_example(document: &Document, schema: &Value) -> Value {
    match referred(schema) {
        Some(component) => example(document, component),
        None if schema["type"] == "array" => json!([property_example(document, &schema["items"])]),
        None => schema["example"].clone(),
    }
}

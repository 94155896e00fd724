use std::pin::Pin;

use business_data_connector::{
    Connector, DOCUMENT, Error, Operation, Reply, Request, RequestVisitor, Stored, visit_requests,
};
use business_data_connector_document::{Document, referred};
use serde_json::{Map, Value, json};

type Answer = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>;

/// A request of one operation with every field set, made from the examples in the document.
pub struct Sample {
    pub operation: &'static Operation,
    /// The whole body, the document's example credentials included.
    pub body: Value,
    /// Its `Debug`.
    pub debug: String,
    pub stored: Stored,
    call: Box<dyn Fn(&Connector) -> Answer>,
}

impl Sample {
    pub fn call(&self, connector: &Connector) -> Answer {
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
    let mut own = body.clone();
    if let Some(members) = own.as_object_mut() {
        members.retain(|name, _| name != "apikey" && name != "appid");
    }
    // By way of text: a `Value` cannot give a decimal its digits.
    let request: R = serde_json::from_str(&own.to_string())?;
    let debug = format!("{request:?}");
    let stored = Stored::new(&request)?;
    let call = move |connector: &Connector| Box::pin(connector.send(request.clone())) as Answer;
    Ok(Sample { operation: R::OPERATION, body, debug, stored, call: Box::new(call) })
}

/// The examples of a component, put together.
fn example(document: &Document, component: &str) -> Value {
    let properties = document.as_value()["components"]["schemas"][component]["properties"].as_object();
    let members = properties.into_iter().flatten().map(|(name, schema)| (name.clone(), of_property(document, schema)));
    Value::Object(members.collect::<Map<_, _>>())
}

fn of_property(document: &Document, schema: &Value) -> Value {
    match referred(schema) {
        Some(component) => example(document, component),
        None if schema["type"] == "array" => json!([of_property(document, &schema["items"])]),
        None => schema["example"].clone(),
    }
}

//! The requests as somebody writes them who needs only these two, with `f64` for money.

use serde::{Deserialize, Serialize};

use crate::case::{APIKEY, APPID, UID, cents, texts};

#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    amount: Option<f64>,
    category: Option<String>,
    currency: Option<String>,
    date: Option<String>,
    feeid: Option<String>,
    id: Option<String>,
    name: Option<String>,
    notes: Option<String>,
    productid: Option<String>,
    vat: Option<f64>,
}

impl Record {
    pub fn new(number: usize) -> Self {
        let [category, currency, date, feeid, id, name, notes, productid] = texts(number).map(Some);
        let [amount, vat] = cents(number).map(|cents| Some(f64::from(cents) / 100.0));
        Self { amount, category, currency, date, feeid, id, name, notes, productid, vat }
    }
}

#[derive(Serialize)]
pub struct Body<'a, D> {
    apikey: &'a str,
    appid: &'a str,
    data: D,
    uid: &'a str,
}

impl<D> Body<'_, D> {
    pub fn new(data: D) -> Self {
        Self { apikey: APIKEY, appid: APPID, data, uid: UID }
    }
}

#[derive(Serialize)]
pub struct Many {
    pub income: Vec<Record>,
}

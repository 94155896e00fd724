//! Tests: single edits of what callbacks consist of, and the expected verdict on each.

use business_data_connector_document::contract::Contract;

use super::{
    rules,
    verdict::{
        Change,
        Verdict::{self, Breaking, Minor, Patch},
    },
};

const DOCUMENT: &str = include_str!("../../../openapi/connector.yaml");

/// A replacement, made once, after the first line that begins with the anchor.
struct Edit {
    anchor: &'static str,
    from: &'static str,
    to: &'static str,
    receivers: Verdict,
    rust: Verdict,
    /// The change about callbacks that is reported, if any.
    sentence: &'static str,
}

impl Edit {
    fn changes(&self) -> Vec<Change> {
        let start = DOCUMENT.find(&format!("\n{}", self.anchor)).unwrap_or_else(|| panic!("no {}", self.anchor));
        let (before, after) = DOCUMENT.split_at(start);
        assert!(after.contains(self.from), "nothing to replace: {}", self.from);
        let edited = format!("{before}{}", after.replacen(self.from, self.to, 1));
        rules::changes(&Contract::parse(DOCUMENT).unwrap(), &Contract::parse(&edited).unwrap())
    }
}

const ENVELOPE: &str = "    Callback:";
const FEED: &str = "    BankFeedResponse:";
const UPLOAD: &str = "    UploadUrlResponse:";
const INCOME: &str = "    IncomeResponse:";

#[rustfmt::skip]
const EDITS: [Edit; 19] = [
    Edit { anchor: FEED, from: "        hardrefreshing:", to: "        bank:\n          type: string\n        hardrefreshing:", receivers: Minor, rust: Minor, sentence: "callbacks: `BankFeedResponse.bank` was added" },
    Edit { anchor: ENVELOPE, from: "        status:", to: "        attempt:\n          type: integer\n        status:", receivers: Minor, rust: Patch, sentence: "callbacks: `Callback.attempt` was added" },
    Edit { anchor: FEED, from: "        hardrefreshing:", to: "        refreshing:", receivers: Breaking, rust: Breaking, sentence: "callbacks: `BankFeedResponse.hardrefreshing` was removed" },
    Edit { anchor: ENVELOPE, from: "        status:", to: "        state:", receivers: Breaking, rust: Patch, sentence: "callbacks: `Callback.status` was removed" },
    Edit { anchor: FEED, from: "        hardrefreshing:\n          type: boolean", to: "        hardrefreshing:\n          type: string", receivers: Breaking, rust: Breaking, sentence: "callbacks: `BankFeedResponse.hardrefreshing` went from boolean to string" },
    Edit { anchor: UPLOAD, from: "        url:\n          type: string", to: "        url:\n          type: string\n          nullable: true", receivers: Breaking, rust: Patch, sentence: "callbacks: `UploadUrlResponse.url` went from string to string or null" },
    Edit { anchor: UPLOAD, from: "          nullable: true\n", to: "", receivers: Patch, rust: Patch, sentence: "callbacks: `UploadUrlResponse.error` went from boolean or null to boolean" },
    Edit { anchor: UPLOAD, from: "      properties:", to: "      required: [url]\n      properties:", receivers: Patch, rust: Breaking, sentence: "callbacks: `UploadUrlResponse.url` became required" },
    Edit { anchor: INCOME, from: "'#/components/schemas/IncomeRecord'", to: "'#/components/schemas/SaleItem'", receivers: Breaking, rust: Breaking, sentence: "callbacks: `IncomeResponse.income[]` went from IncomeRecord to SaleItem" },
    Edit { anchor: ENVELOPE, from: "          example: success", to: "          maxLength: 7\n          example: success", receivers: Patch, rust: Patch, sentence: "callbacks: `Callback.status` has maxLength 7" },
    Edit { anchor: ENVELOPE, from: "'#/components/schemas/CallbackReceived'", to: "'#/components/schemas/Settlement'", receivers: Breaking, rust: Patch, sentence: "callbacks: `Callback.received` went from CallbackReceived to Settlement" },
    Edit { anchor: ENVELOPE, from: "        response:", to: "        response:\n          type: string", receivers: Patch, rust: Patch, sentence: "callbacks: `Callback.response` went from anything to string" },
    Edit { anchor: ENVELOPE, from: "What is sent to the `webhook` of a request.", to: "What is sent.", receivers: Patch, rust: Patch, sentence: "" },
    Edit { anchor: ENVELOPE, from: "          x-sensitive: value\n", to: "", receivers: Patch, rust: Patch, sentence: "" },
    // The record is pushed as well: what this means for senders and Rust users is reported for the operations.
    Edit { anchor: "    IncomeRecord:", from: "        feeid:", to: "        fee:", receivers: Breaking, rust: Breaking, sentence: "callbacks: `IncomeRecord.feeid` was removed" },
    Edit { anchor: "  /api/pull/income:", from: "schemas/IncomeResponse'", to: "schemas/ExpensesResponse'", receivers: Breaking, rust: Breaking, sentence: "pull_income: the response of the callback went from IncomeResponse to ExpensesResponse" },
    Edit { anchor: "  /api/push/income:", from: "schemas/OutcomeResponse'", to: "schemas/UploadUrlResponse'", receivers: Minor, rust: Breaking, sentence: "push_income: the response of the callback went from OutcomeResponse to UploadUrlResponse" },
    Edit { anchor: "  /api/push/income:", from: "      callbacks: *callbacks\n", to: "", receivers: Breaking, rust: Breaking, sentence: "push_income: the callback was removed" },
    Edit { anchor: "  /api/push/reset:", from: "      x-evidence: specified\n", to: "      x-callback-response:\n        $ref: '#/components/schemas/OutcomeResponse'\n      callbacks: *callbacks\n", receivers: Minor, rust: Minor, sentence: "push_reset: a callback with OutcomeResponse was added" },
];

#[test]
fn every_edit_has_the_expected_verdict_and_nothing_received_affects_senders() {
    for edit in EDITS {
        let changes = edit.changes();
        let worst = |of: fn(&Change) -> Verdict| changes.iter().map(of).max().unwrap_or(Patch);
        let got = (worst(|change| change.receivers), worst(|change| change.rust));
        assert_eq!(got, (edit.receivers, edit.rust), "{}: {changes:#?}", edit.to);
        let about = |change: &&Change| change.sentence.contains("callback");
        let sentences: Vec<_> = changes.iter().filter(about).map(|change| change.sentence.as_str()).collect();
        assert!(sentences.contains(&edit.sentence) || edit.sentence.is_empty() && changes.is_empty(), "{changes:#?}");
        assert!(changes.iter().filter(about).all(|change| change.senders == Patch), "{changes:#?}");
    }
}

#[test]
fn what_is_added_to_the_shapes_of_tomorrow_breaks_nobody() {
    let added = DOCUMENT.replacen(
        "      x-callback-response:\n        $ref: '#/components/schemas/BankFeedResponse'",
        "      x-callback-response:\n        $ref: '#/components/schemas/FeedResponse'",
        1,
    );
    let start = DOCUMENT.find("    BankFeedResponse:\n").unwrap();
    let end = DOCUMENT.find("    BankTransaction:\n").unwrap();
    let shape = DOCUMENT[start..end].replacen("BankFeedResponse", "FeedResponse", 1);
    let added = added.replacen("    BankTransaction:\n", &format!("{shape}    BankTransaction:\n"), 1);
    let changes = rules::changes(&Contract::parse(DOCUMENT).unwrap(), &Contract::parse(&added).unwrap());
    let shown: Vec<_> = changes
        .iter()
        .map(|change| (change.sentence.as_str(), change.rust, change.senders, change.receivers))
        .collect();
    assert_eq!(
        shown,
        [
            ("FeedResponse: was added to callbacks", Minor, Patch, Minor),
            (
                "pull_bank_feed: the response of the callback went from BankFeedResponse to FeedResponse",
                Breaking,
                Patch,
                Patch
            ),
        ]
    );
}

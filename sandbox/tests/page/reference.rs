//! The reference page of the sandbox sends requests to it.

use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};

use crate::{browser::Driver, support::TestResult};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn an_operation_is_tried_on_the_reference_page_and_its_refusal_explained() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let driver = Driver::open_at(&sandbox, "reference").await?;
    driver.until("return document.querySelector('#push_income') !== null").await?;
    let send = |body: &str| {
        format!(
            "const tried = document.querySelector('#push_income').closest('section').querySelector(':scope > details:last-of-type');
            tried.open = true;
            const body = tried.querySelector('textarea');
            body.value = ({body})(body.value);
            tried.querySelector('button').click()"
        )
    };
    let shows = |text: &str| format!("return document.querySelector('#operations').textContent.includes('{text}')");
    driver.script(&send("(text) => text")).await?;
    driver.until(&shows("200\\nRequest 1")).await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1, "the example of the document is accepted");
    driver.script(&send("(text) => text.replace('demo-business', 'nobody')")).await?;
    driver.until(&shows("400\\nRequest 2\\n/uid: expected the uid of a business that exists")).await?;
    driver.picture("reference").await
}

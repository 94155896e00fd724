//! What the page shows, and that it can be read on any screen. Each picture is kept.

use business_data_connector::types::IncomeRecord;
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};

use crate::{browser::Driver, filled::filled, support::TestResult};

/// Opens everything that can be opened.
const OPEN_ALL: &str = "for (const one of document.querySelectorAll('details')) one.open = true";

/// The page of a filled sandbox, with everything open.
async fn opened(sandbox: &Sandbox) -> TestResult<Driver> {
    let driver = Driver::open(sandbox).await?;
    driver.until("return document.querySelectorAll('.timeline .ok').length > 0 && choices !== null").await?;
    driver.script(OPEN_ALL).await?;
    driver.until("return document.querySelector('.chart') !== null").await?;
    Ok(driver)
}

/// Whether nothing is wider than the screen, so that nobody has to scroll in two directions.
async fn assert_fits(driver: &Driver) -> TestResult {
    // What narrow screens do not show, the headings of columns, takes no room.
    let wide = "const { clientWidth: width, scrollWidth: full } = document.documentElement;
        return [...document.body.querySelectorAll('*')]
            .filter((one) => one.getBoundingClientRect().right > width + 1 && (full > width || !one.closest('thead')))
            .map((one) => one.outerHTML.slice(0, 200))";
    assert_eq!(driver.script(wide).await?, serde_json::json!([]));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn each_mistake_is_marked_at_its_location_in_the_body() -> TestResult {
    let (sandbox, _connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    driver.script("document.querySelector('#search').value = '#10'; showRequests()").await?;
    let text = driver.script("return document.querySelector('#request-10 pre').textContent").await?;
    let text = text.as_str().unwrap_or_default();
    let note = r#""uid" ← expected a value, got nothing; `UID` is an unknown key, perhaps `uid` (required)"#;
    assert!(text.contains(&note.replace(" ← ", "")), "{text}");
    assert!(text.contains(r#""amount": "19.99",expected number, got string (type)"#), "{text}");
    let marks = "return [...document.querySelectorAll('#request-10 mark')].map((mark) => mark.textContent)";
    assert_eq!(driver.script(marks).await?, serde_json::json!([r#""19.99""#, r#""uid""#]));
    // What a body holds is shown as text.
    assert!(text.contains(r#""id": "<b>INV-9</b>""#), "{text}");
    driver.picture("marked").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn requests_are_found_by_number_by_text_and_by_refusal() -> TestResult {
    let (sandbox, _connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    let search = async |text: &str, refused: bool| -> TestResult<String> {
        let script = format!(
            "const search = document.querySelector('#search'), refused = document.querySelector('#refused');
            search.value = '{text}';
            search.dispatchEvent(new Event('input'));
            if (refused.checked !== {refused}) refused.click();
            const rows = [...document.querySelectorAll('#requests tr')].map((row) => row.id.slice(8));
            return rows.join() + ': ' + document.querySelector('#found').textContent"
        );
        Ok(driver.script(&script).await?.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(search("#7", false).await?, "7: 1 of 14 requests");
    assert_eq!(search("INV-3", false).await?, "4: 1 of 14 requests");
    assert_eq!(search("9007199254740993.10", false).await?, "4: 1 of 14 requests");
    assert_eq!(search("", true).await?, "11,10,7: 3 of 14 requests");
    assert_eq!(search("nobody unknown", true).await?, "7: 1 of 14 requests");
    assert_eq!(search("", false).await?, "14,13,12,11,10,9,8,7,6,5,4,3,2,1: ");
    driver.script("location.hash = '#8'").await?;
    driver.until("return document.querySelector('#requests').textContent.includes('504-after')").await?;
    driver.until("return document.querySelectorAll('#requests tr').length === 1").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn a_business_has_its_exact_totals_per_currency_and_what_was_pushed_over_time() -> TestResult {
    let (sandbox, connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    let totals = "return [...document.querySelectorAll('.view table tbody tr')]
        .map((row) => [...row.cells].map((cell) => cell.textContent).join(' '))";
    let expected = serde_json::json!([
        "ExpenseRecord amount ZAR 1 1200",
        "IncomeRecord amount EUR 2 9007199254740993.05",
        "IncomeRecord amount ZAR 3 1.30",
    ]);
    assert_eq!(driver.script(totals).await?, expected);
    let label = driver.script("return document.querySelector('.chart').getAttribute('aria-label')").await?;
    let label = label.as_str().unwrap_or_default();
    assert!(label.starts_with("8 pushed and 2 refused from "), "{label}");
    driver.script("document.querySelector('#businesses-title').scrollIntoView({ behavior: 'instant' })").await?;
    driver.picture("business").await?;
    // A replaced record changes the totals, not their number.
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1").currency("ZAR").amount(5)).await?;
    driver.until("return document.querySelector('.view').textContent.includes('6.20')").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn callbacks_are_shown_with_their_attempts_as_a_time_line() -> TestResult {
    let (sandbox, _connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    let steps = "return [...document.querySelectorAll('#callbacks tr:last-child .timeline li')].map((one) =>
        one.textContent.replace(/^[\\d:]+/, '').replace(/^\\+[\\d.]+ (ms|s)/, '+'))";
    let expected = serde_json::json!(["callback created", "+attempt 1: replied 503", "+attempt 2: replied 200"]);
    assert_eq!(driver.script(steps).await?, expected);
    driver.script("document.querySelector('#callbacks-title').scrollIntoView({ behavior: 'instant' })").await?;
    driver.picture("callbacks").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn a_fault_is_chosen_used_up_and_removed_on_the_page() -> TestResult {
    let (sandbox, connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    let inject = |fault: &str, times: &str| {
        format!(
            "const form = document.querySelector('#fault-form');
            form.elements['fault'].value = '{fault}';
            form.elements['fault'].dispatchEvent(new Event('change'));
            form.elements['fault-operation'].value = 'push_income';
            form.elements['fault-times'].value = '{times}';
            form.querySelector('button').click();"
        )
    };
    driver.script(&inject("502-after", "1")).await?;
    driver.until("return document.querySelectorAll('#rules tr').length === 1").await?;
    let error = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await.err().ok_or("no fault")?;
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
    driver.until("return document.querySelectorAll('#rules tr').length === 0").await?;
    driver.script(&inject("500", "")).await?;
    driver.until("return document.querySelectorAll('#rules tr').length === 1").await?;
    driver.script("document.querySelector('#rules button').click()").await?;
    driver.until("return document.querySelectorAll('#rules tr').length === 0").await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn the_page_fits_narrow_screens_and_a_zoom_of_200_percent() -> TestResult {
    let (sandbox, _connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    for (name, width, scale) in [("narrow", 360, 2), ("zoomed", 640, 2), ("wide", 1280, 1)] {
        driver.resize(width, scale).await?;
        assert_fits(&driver).await?;
        driver.picture(name).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn every_text_has_enough_contrast_in_light_and_in_dark() -> TestResult {
    let (sandbox, _connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    driver.script("document.querySelector('#fault-error').textContent = 'An error.'").await?;
    for scheme in ["light", "dark"] {
        driver.prefer("prefers-color-scheme", scheme).await?;
        let found = driver.script(include_str!("contrast.js")).await?;
        assert!(found["checked"].as_u64() > Some(100), "{found}");
        assert_eq!(found["low"], serde_json::json!([]), "{scheme}");
    }
    driver.picture("dark").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn nothing_moves_for_those_who_prefer_that() -> TestResult {
    let (sandbox, _connector) = filled().await?;
    let driver = opened(&sandbox).await?;
    let motion = "return getComputedStyle(document.querySelector('#requests tr')).animationName + ' ' +
        getComputedStyle(document.documentElement).scrollBehavior";
    assert_eq!(driver.script(motion).await?, "arrive smooth");
    driver.prefer("prefers-reduced-motion", "reduce").await?;
    assert_eq!(driver.script(motion).await?, "none auto");
    Ok(())
}

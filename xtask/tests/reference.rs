//! The reference page in a browser without network access: it shows everything, and loads nothing from a server.
//! `cargo xtask ci reference` generates the page, runs this test, and keeps the screenshot.

mod support;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use business_data_connector_document::Document;
use serde_json::{Value, json};
use support::TestResult;

/// Records, before anything else runs, what the page tries to load. Its policy blocks everything outside of the file.
const WATCH: &str = "<script>
    window.outside = [];
    addEventListener('securitypolicyviolation', event => event.blockedURI.includes(':') && outside.push(event.blockedURI));
    // Without it, the page renders everything, not only what is near the viewport.
    delete window.IntersectionObserver;
</script>";

/// Visits each operation, and replaces the page with the texts that are missing.
const WALK: &str = "<script type=module>
    const plain = text => text.replaceAll('`', '').replace(/\\s+/g, ' ');
    const missing = [];
    for (const { location: id, texts } of EXPECTED) {
        const section = () => document.querySelector(`[data-section-id='${id}']`)?.innerText ?? '';
        const absent = () => texts.filter(text => !plain(section()).includes(plain(text)));
        const shown = async () => {
            for (let turn = 0; turn < 30 && absent().length; turn++) await new Promise(done => setTimeout(done, 100));
            return !absent().length;
        };
        // Leave and return, since a section may not be rendered on a busy machine.
        for (let time = 0; time < 5; time++) {
            location.hash = id;
            if (await shown()) break;
            location.hash = '/';
            await new Promise(done => setTimeout(done, 100));
        }
        missing.push(...absent().map(text => `${id}: ${text}`));
    }
    const loaded = performance.getEntriesByType('resource').map(entry => entry.name);
    outside.push(...loaded.filter(name => !name.startsWith('data:')));
    document.documentElement.innerHTML = '<pre></pre>';
    document.querySelector('pre').textContent = JSON.stringify({ missing, outside });
</script>";

/// Opens one operation and hides those before it, since screenshots of a scrolled page are blank.
const SHOW: &str = "<script type=module>
    location.hash = 'SECTION';
    while (!document.querySelector(`[data-section-id='SECTION']`)) await new Promise(done => setTimeout(done, 100));
    for (const section of document.querySelectorAll('[data-section-id]')) {
        if (section.dataset.sectionId === 'SECTION') break;
        section.style.display = 'none';
    }
    scrollTo(0, 0);
</script>";

fn browse(url: &str, profile: &Path, arguments: &[&str]) -> std::io::Result<Output> {
    Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=400000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(arguments)
        .arg(url)
        .output()
}

/// The operations, with the texts that their sections must contain.
fn expected(document: &Document) -> Vec<Value> {
    let mut sections = Vec::new();
    for operation in document.operations() {
        let mut texts = vec![operation.path.clone(), operation.summary.clone(), operation.description.clone()];
        texts.extend(["effect:", "asynchronous:", "evidence:", "200", "400", "401"].map(str::to_owned));
        if operation.header_key.is_some() {
            texts.push("Security".to_owned());
        }
        fields(&document.json_schema(&operation.request).unwrap_or_default(), &mut texts);
        sections.push(json!({
            "location": format!("/{}/{}", operation.tag, operation.id),
            "texts": texts,
        }));
    }
    sections
}

/// The name and description of every field at any depth, and `evidence: assumed` for what is assumed.
fn fields(schema: &Value, texts: &mut Vec<String>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        texts.push(name.clone());
        texts.extend(field["description"].as_str().map(str::to_owned));
        if field["$comment"].as_str().is_some_and(|comment| comment.contains("x-evidence: assumed")) {
            texts.push("evidence: assumed".to_owned());
        }
    }
    for (_, record) in schema["$defs"].as_object().into_iter().flatten() {
        fields(record, texts);
    }
}

#[test]
#[ignore = "requires Chromium, and the page that `cargo xtask regen --reference` generates"]
fn it_shows_every_operation_with_every_field_and_loads_nothing_from_a_server() -> TestResult {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let file = root.join("target/reference.html");
    let page = fs::read_to_string(&file)?;
    assert!(page.contains("\"disableTelemetry\":true"));
    let document = Document::parse(&fs::read_to_string(root.join("openapi/connector.yaml"))?)?;

    let sections = expected(&document);
    let folder = tempfile::tempdir()?;
    let walk = WALK.replace("EXPECTED", &serde_json::to_string(&sections)?);
    let walked =
        page.replacen("<title>", &format!("{WATCH}<title>"), 1).replace("</body>\n", &format!("{walk}</body>\n"));
    let copy = folder.path().join("reference.html");
    fs::write(&copy, walked)?;
    let dom = browse(&format!("file://{}", copy.display()), &folder.path().join("profile"), &["--dump-dom"])?;
    let dom = String::from_utf8(dom.stdout)?;
    assert!(dom.contains(r#"<pre>{"missing":[],"outside":[]}</pre>"#), "{dom}");

    if let Some(picture) = std::env::var_os("BDC_PAGE_PICTURE") {
        let copy = folder.path().join("picture.html");
        let most =
            sections.iter().max_by_key(|section| section["texts"].as_array().map(Vec::len)).ok_or("no operations")?;
        let show = SHOW.replace("SECTION", most["location"].as_str().unwrap_or_default());
        fs::write(&copy, page.replace("</body>\n", &format!("{show}</body>\n")))?;
        let argument = format!("--screenshot={}", Path::new(&picture).display());
        let arguments = ["--window-size=1400,2400", "--hide-scrollbars", &argument];
        browse(&format!("file://{}", copy.display()), &folder.path().join("picture"), &arguments)?;
        assert!(fs::metadata(&picture)?.len() > 50_000, "the picture is empty");
    }
    Ok(())
}

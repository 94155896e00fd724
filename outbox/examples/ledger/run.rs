//! Enqueues the ledger, sends it, and waits for what becomes of it.

use std::{error::Error, path::Path, time::Duration};

use business_data_connector::{
    Connector, Decimal,
    callback::CallbackKey,
    inbox::{Inbox, SqliteStore},
};
use business_data_connector_outbox::{Outbox, State};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, FaultRule, Sandbox};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    input, money,
    options::Options,
    report::{Report, Totals},
};

pub struct Done {
    pub report: Report,
    /// What the own sandbox holds.
    #[cfg_attr(not(test), allow(dead_code, reason = "compared by the tests"))]
    pub held: Option<Totals>,
}

/// How many of the first requests get the fault.
const FAULTS: u32 = 3;

pub async fn run(options: Options) -> Result<Done, Box<dyn Error>> {
    // Nothing is stored before the whole ledger is known to be right.
    let records = input::read(&options.ledger, options.kind, &options.uid)?;
    let temporary = tempfile::tempdir()?;
    let folder = options.data.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(folder)?;
    let outbox = Outbox::sqlite(folder.join("outbox.db")).await?;
    let (mut new, mut there) = (0, 0);
    for record in records {
        match outbox.enqueue_staged(record).await? {
            business_data_connector_outbox::Enqueued::New(_) => new += 1,
            _ => there += 1,
        }
    }
    println!("{}: {new} requests added, {there} were there already", options.ledger.display());

    let (connector, sandbox) = connector(&options).await?;
    let inbox = inbox(&options, folder, sandbox.is_some()).await?;
    let quiet = if sandbox.is_some() { Duration::from_millis(200) } else { Duration::from_secs(options.quiet) };
    let worker = outbox.worker(connector, inbox).checks(quiet, quiet).run().await?;
    let interrupted = tokio::select! {
        result = progress(&outbox) => result.map(|()| false)?,
        _ = tokio::signal::ctrl_c() => true,
    };
    worker.stop().await;
    if interrupted {
        println!("interrupted; start it again with the same --data to go on");
    }
    for pause in outbox.pauses().await? {
        println!("paused: {}", pause.reason);
    }
    let held = sandbox.map(|sandbox| held(&sandbox, &options.uid)).transpose()?;
    Ok(Done { report: Report::read(&outbox).await?, held })
}

async fn connector(options: &Options) -> Result<(Connector, Option<Sandbox>), Box<dyn Error>> {
    if std::env::var_os("BDC_BASE_URL").is_some() {
        return Ok((Connector::from_env()?, None));
    }
    let mut builder = Sandbox::builder();
    if let Some(fault) = options.fault {
        builder = builder.fault(FaultRule::new(fault).times(FAULTS));
    }
    let sandbox = builder.start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    Ok((connector.header_key(DEMO_HEADER_KEY).build()?, Some(sandbox)))
}

async fn inbox(options: &Options, folder: &Path, own_sandbox: bool) -> Result<Inbox, Box<dyn Error>> {
    let store = SqliteStore::open(folder.join("callbacks.db"))?;
    let listener = tokio::net::TcpListener::bind(&options.listen).await?;
    let address = listener.local_addr()?;
    drop(listener);
    let key = match std::env::var("BDC_CALLBACK_KEY") {
        Ok(key) => CallbackKey::new(1, key.as_bytes())?,
        Err(_) if own_sandbox || options.public_url.is_none() => {
            CallbackKey::new(1, b"for a service on this machine only")?
        }
        Err(_) => return Err("set BDC_CALLBACK_KEY to 32 bytes or more that stay the same, and secret".into()),
    };
    let url = options.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    Ok(Inbox::builder(&url, key).store(store).bind(address).await?)
}

/// Shows a bar until nothing more happens by itself.
async fn progress(outbox: &Outbox) -> Result<(), Box<dyn Error>> {
    let style = "{bar:40} {pos}/{len}, {per_sec:.0}, {eta} left{msg}";
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template(style)?);
    let mut tick = tokio::time::interval(Duration::from_millis(100));
    loop {
        tick.tick().await;
        let counts = outbox.counts().await?;
        let get = |state| counts.get(state);
        bar.set_length(counts.total());
        bar.set_position(counts.total() - get(State::Queued) - get(State::Sending));
        let open = get(State::Unknown) + get(State::Unconfirmed);
        bar.set_message(format!("; {} refused, {open} not known", get(State::Refused) + get(State::Parked)));
        let stopped = outbox.pauses().await?.iter().any(|pause| pause.until.is_none());
        if stopped
            || (counts.under_way() == 0 && (open == 0 || !Report::read(outbox).await?.open().any(|(_, n)| n > 0)))
        {
            bar.finish();
            return Ok(());
        }
    }
}

/// The totals of what a sandbox holds.
fn held(sandbox: &Sandbox, uid: &str) -> Result<Totals, Box<dyn Error>> {
    let mut totals = Totals::new();
    for record in sandbox.records(uid)? {
        let operation = match record.record_type() {
            "IncomeRecord" => "push_income",
            "ExpenseRecord" => "push_expense",
            "SaleRecord" => "push_sale",
            _ => continue,
        };
        let request = format!(r#"{{"uid":"","data":{}}}"#, record.as_str());
        if let Some((currency, amount)) = money::of_request(operation, &request)? {
            let total: &mut Decimal = totals.entry((operation.to_owned(), currency)).or_default();
            *total = total.checked_add(amount).ok_or("a total has too many digits")?;
        }
    }
    Ok(totals)
}

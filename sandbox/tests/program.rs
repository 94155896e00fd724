//! The program `bdc-sandbox`.

use std::{
    error::Error,
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Command, Stdio},
};

use business_data_connector::Connector;
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID};

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bdc-sandbox"));
    for variable in ["BDC_APIKEY", "BDC_APPID", "BDC_HEADER_KEY", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command
}

#[tokio::test]
async fn it_tells_its_address_on_stdout_once_it_answers() -> Result<(), Box<dyn Error>> {
    let mut child = program().args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no stdout")?).read_line(&mut line)?;
    let url = line.strip_prefix("listening on ").and_then(|line| line.split(' ').next()).ok_or("no address")?;
    let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let answered = connector.verify_apikey().await;
    child.kill()?;
    child.wait()?;
    answered?;
    Ok(())
}

#[test]
fn an_address_in_use_is_said_in_a_sentence() -> Result<(), Box<dyn Error>> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let address = taken.local_addr()?.to_string();
    let output = program().args(["--listen", &address]).output()?;
    let said = String::from_utf8(output.stderr)?;
    assert!(!output.status.success());
    assert!(said.starts_with(&format!("bdc-sandbox: cannot start on {address}: ")), "{said}");
    Ok(())
}

/// Told to stop by what service managers send, it finishes what was taken, and ends well.
#[cfg(unix)]
#[tokio::test]
async fn it_stops_when_it_is_told_to_terminate() -> Result<(), Box<dyn Error>> {
    let mut child = program().args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no stdout")?).read_line(&mut line)?;
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
    assert!(killed.success());
    assert!(child.wait()?.success());
    Ok(())
}

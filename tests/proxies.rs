//! The system's proxy is used, except for this machine.

mod support;

use std::{net::SocketAddr, process::Command};

use support::{MockServer, TestResult, builder};

/// The proxy of the system is set by `HTTP_PROXY`, so this runs in a process of its own.
#[tokio::test]
async fn requests_to_this_machine_do_not_go_through_the_proxy() -> TestResult {
    let (proxy, service) = (MockServer::accepting().await?, MockServer::accepting().await?);
    let mut child = Command::new(std::env::current_exe()?);
    child.args(["--exact", "in_a_process_with_a_proxy", "--ignored"]);
    child.env("HTTP_PROXY", &proxy.url).env("http_proxy", &proxy.url).env("BDC_TEST_URL", &service.url);
    for name in ["NO_PROXY", "no_proxy", "REQUEST_METHOD"] {
        child.env_remove(name);
    }
    let output = tokio::task::spawn_blocking(move || child.output()).await??;
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    let hosts: Vec<_> = proxy.seen().iter().map(|seen| seen.headers.get("host").cloned()).collect();
    assert_eq!(hosts, [Some("service.example".parse()?)]);
    assert_eq!(service.seen().len(), 5);
    Ok(())
}

#[tokio::test]
#[ignore = "run by the test before it"]
async fn in_a_process_with_a_proxy() -> TestResult {
    let service: SocketAddr = std::env::var("BDC_TEST_URL")?.trim_start_matches("http://").parse()?;
    for host in ["localhost", "localhost.", "app.localhost", "App.LocalHost.", "127.0.0.1"] {
        // Not every resolver knows the names below `localhost`.
        let resolved = host.to_ascii_lowercase();
        builder(&format!("http://{host}:{}", service.port()))
            .configure_client(move |client| client.resolve(&resolved, service))
            .build()?
            .push_reset("u")
            .await?;
    }
    builder("http://service.example").build()?.push_reset("u").await?;
    Ok(())
}

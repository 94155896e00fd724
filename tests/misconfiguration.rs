//! A setup with which no call can succeed is not reported as worth a retry, and the message says what to check.

mod support;

use business_data_connector::{Error, Retry, reqwest::dns};
use support::{MockServer, TestResult, builder};

/// A resolver that knows no host, with the message that the system's resolver has for it.
struct NoHost(&'static str);

impl dns::Resolve for NoHost {
    fn resolve(&self, _: dns::Name) -> dns::Resolving {
        let error = std::io::Error::other(format!("failed to lookup address information: {}", self.0));
        Box::pin(async { Err(error.into()) })
    }
}

async fn without_host(message: &'static str) -> Result<Error, Box<dyn std::error::Error>> {
    let builder = builder("http://service.example")
        .configure_client(move |client| client.no_proxy().dns_resolver(NoHost(message)));
    Ok(builder.build()?.push_reset("u").await.err().ok_or("it succeeded")?)
}

#[tokio::test]
async fn a_host_that_does_not_exist_is_not_worth_a_retry() -> TestResult {
    let error = without_host("Name or service not known").await?;
    assert!(error.is_never_sent());
    assert_eq!(error.retry(), Retry::Never);
    let text = error.to_string();
    assert!(text.starts_with("push_reset was never sent: "), "{text}");
    assert!(text.contains("Name or service not known"), "{text}");
    assert!(text.ends_with("; check the host of the base URL"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_resolver_that_is_out_of_order_for_a_while_is_worth_a_retry() -> TestResult {
    let error = without_host("Temporary failure in name resolution").await?;
    assert!(error.is_never_sent());
    assert_eq!(error.retry(), Retry::Now);
    Ok(())
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn https_on_a_port_that_speaks_http_is_not_worth_a_retry() -> TestResult {
    let server = MockServer::accepting().await?;
    let url = server.url.replace("http://", "https://");
    let error = builder(&url).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_never_sent(), "{error:?}");
    assert_eq!(error.retry(), Retry::Never);
    assert!(error.to_string().contains("check that the port of the base URL speaks TLS"), "{error}");
    assert_eq!(server.seen().len(), 0);
    Ok(())
}

#[tokio::test]
async fn a_path_that_is_not_there_says_to_check_the_base_url() -> TestResult {
    for (status, advice) in
        [(404, "; check the base URL"), (405, "; check the base URL"), (301, ": check the base URL")]
    {
        let server = MockServer::answering(status, &[("location", "/elsewhere")], "").await?;
        let error = builder(&server.url).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
        assert_eq!(error.retry(), Retry::Never);
        assert!(error.to_string().ends_with(advice), "{error}");
    }
    Ok(())
}

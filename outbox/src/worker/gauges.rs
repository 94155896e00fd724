//! Gauges through the `metrics` facade.

use std::time::SystemTime;

use super::core::Core;

pub(super) async fn set(core: &Core) {
    let Ok(counts) = core.store.counts().await else { return };
    let now = SystemTime::now();
    for count in counts.iter() {
        let state = count.state.as_str();
        let age = count.oldest.and_then(|oldest| now.duration_since(oldest).ok()).unwrap_or_default();
        // A gauge is a floating-point number.
        #[allow(clippy::cast_precision_loss)]
        metrics::gauge!("bdc_outbox_requests", "state" => state).set(count.count as f64);
        metrics::gauge!("bdc_outbox_oldest_seconds", "state" => state).set(age.as_secs_f64());
    }
}

//! What follows from an answer. This is the policy of the outbox, without I/O.

use std::time::Duration;

use crate::{
    State,
    options::Options,
    store::{Batch, NewPause, Verdict},
    time::{Millis, millis},
    worker::answer::Answer,
};

/// Decides about a batch. `random` is from 0 to 1 and spreads retries over time.
pub(crate) fn verdict(batch: &Batch, answer: Answer, options: &Options, now: Millis, random: f64) -> Verdict {
    let several = batch.rows.len() > 1;
    let go_to = |state, reason: Option<String>| Verdict {
        state,
        reason,
        check_at: None,
        alone: false,
        attempts: None,
        not_before: None,
        pause: None,
    };
    let check_at = Some(now.saturating_add(millis(options.check_after)));
    let later = || Some(now.saturating_add(millis(backoff(options, batch.failures, random))));
    let stop = |reason: &str| Some(NewPause { until: None, reason: reason.to_owned() });
    match answer {
        // Without callbacks, the reply is all the evidence that there will be.
        Answer::Taken if batch.operation.callback.is_none() => go_to(State::Confirmed, None),
        Answer::Taken => go_to(State::Taken, None),
        Answer::Refused(reason) if !several => go_to(State::Refused, Some(reason)),
        // Whether a refused batch was refused as a whole is not specified.
        Answer::Refused(reason) if options.atomic_refusals => {
            Verdict { alone: true, ..go_to(State::Queued, Some(reason)) }
        }
        Answer::Refused(reason) => Verdict { check_at, alone: true, ..go_to(State::Unknown, Some(reason)) },
        Answer::Invalid(reason) if several => Verdict { alone: true, ..go_to(State::Queued, Some(reason)) },
        Answer::Invalid(reason) => go_to(State::Parked, Some(reason)),
        Answer::Unauthorized(reason) | Answer::Misconfigured(reason) => {
            Verdict { pause: stop(&reason), ..go_to(State::Queued, Some(reason)) }
        }
        Answer::Wait(delay, reason) => {
            let wait = delay.max(backoff(options, batch.failures, random));
            let until = Some(now.saturating_add(millis(wait)));
            let pause = Some(NewPause { until, reason: reason.clone() });
            Verdict { pause, not_before: until, ..go_to(State::Queued, Some(reason)) }
        }
        Answer::NeverSent(reason) => {
            let attempts = Some(options.attempts);
            Verdict { attempts, not_before: later(), ..go_to(State::Queued, Some(reason)) }
        }
        Answer::NotTheService(reason) => {
            Verdict { check_at, pause: stop(&reason), ..go_to(State::Unknown, Some(reason)) }
        }
        Answer::Unknown(reason) => Verdict { check_at, not_before: later(), ..go_to(State::Unknown, Some(reason)) },
    }
}

/// A delay with full jitter: anything up to twice the last one's limit.
fn backoff(options: &Options, failures: u32, random: f64) -> Duration {
    let factor = 2_u32.saturating_pow(failures.min(20));
    options.first_delay.saturating_mul(factor).min(options.longest_delay).mul_f64(random.clamp(0.0, 1.0))
}

//! Waits between connections: ever longer, for a random time, ended early by the user or when the machine wakes up.

use std::time::{Duration, Instant, SystemTime};

use crate::api::call::{Failure, Followed, Reply};
use crate::client::progress::ProgressSender;
use crate::client::random;
use crate::settings::limits;

/// How often a wait compares the clocks.
const CLOCK_CHECK: Duration = Duration::from_secs(1);

/// Waits that grow with the number of connections lost in a row.
#[derive(Default)]
pub(super) struct Pauses(u32);

impl Pauses {
    /// Reports the loss and the time of the next attempt, and waits until then.
    pub(super) async fn wait(&mut self, why: Failure, sender: &ProgressSender) {
        let asked = why.retry_after.unwrap_or_default().min(limits::FOLLOW_ASKED);
        let wait = longest_wait(self.0).mul_f64(random::fraction()).max(asked);
        self.0 += 1;
        // Subscribed before the wait is announced, so that no request to end it is missed.
        let retry_now = sender.retry_now.notified();
        let at = Instant::now() + wait;
        sender.reply(Reply::Followed(Followed::Lost { why, at }), 0).await;
        tokio::select! {
            () = sleep(wait) => {}
            () = retry_now => {}
        }
    }
}

/// Waits between two polls, without reporting it.
pub(super) async fn wait_for_poll(wait: Duration, sender: &ProgressSender) {
    let retry_now = sender.retry_now.notified();
    tokio::select! {
        () = sleep(wait) => {}
        () = retry_now => {}
    }
}

/// Returns the longest wait after so many losses.
fn longest_wait(losses: u32) -> Duration {
    limits::FOLLOW_FIRST.saturating_mul(1 << losses.min(10)).min(limits::FOLLOW_MOST)
}

/// Sleeps until the time has passed on either clock: the monotonic one stands still while the machine is suspended.
async fn sleep(wait: Duration) {
    let (begun, wall) = (Instant::now(), SystemTime::now());
    loop {
        let ours = begun.elapsed();
        if ours >= wait || was_suspended(ours, wall.elapsed().unwrap_or_default()) {
            return;
        }
        tokio::time::sleep(wait.saturating_sub(ours).min(CLOCK_CHECK)).await;
    }
}

/// Returns whether much more time has passed on the system clock than on the monotonic one, which stands still while
/// the machine is suspended.
pub(super) fn was_suspended(ours: Duration, wall: Duration) -> bool {
    wall > ours + CLOCK_TOLERANCE
}

/// The system clock may be adjusted by less than this.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit() {
        let seconds: Vec<u64> = [0, 1, 2, 3, 4, 5, 6, 31, u32::MAX].map(|losses| longest_wait(losses).as_secs()).into();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30, 30, 30]);
        for _ in 0..1000 {
            let chance = random::fraction();
            assert!(chance > 0.0 && chance <= 1.0);
        }
    }

    #[test]
    fn a_sleep_shows_on_the_wall() {
        let seconds = Duration::from_secs;
        assert!(
            !was_suspended(seconds(5), seconds(5))
                && !was_suspended(seconds(5), seconds(0))
                && !was_suspended(seconds(5), seconds(15))
        );
        assert!(was_suspended(seconds(5), seconds(600)));
    }
}

//! Runs the program of a tool call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::course::Course;
use crate::process::{self, Failure, Limits, Output};
use crate::record::work::Done;
use crate::record::{ToolCommand, ToolOutput};

/// Most bytes of output that are taken as a result.
pub(super) const MOST: u64 = 256 << 10;

/// What of the environment a program gets: no keys.
const ENVIRONMENT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "SYSTEMROOT",
    "USERPROFILE",
];

/// Programs that are running.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Waits until no program runs any more, so long at most.
pub(super) fn await_none(limit: Duration) {
    let until = Instant::now() + limit;
    while RUNNING.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs it until it ends, its time is over or nobody waits any more.
pub(super) fn run(tool: &ToolCommand, course: &Course) -> Done {
    let Some((program, arguments)) = tool.words.split_first() else {
        return Done::Failed("the command has no word".into());
    };
    let mut command = process::command(program);
    command.args(arguments).env_clear();
    command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let limits = Limits { time: tool.limit, bytes: MOST };
    RUNNING.fetch_add(1, Ordering::SeqCst);
    let ended = process::run(command, tool.input.clone().into_bytes(), limits, || course.is_stopped());
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    match ended {
        Ok(output) => output_of(&output),
        Err(Failure::NotStarted(why)) => Done::Failed(format!("{program} could not be started: {why}").into()),
        Err(Failure::TookTooLong) => {
            Done::Failed(format!("{program} took longer than {} s and was stopped", tool.limit.as_secs()).into())
        }
        Err(Failure::Unreadable(why)) => Done::Failed(format!("the output of {program} was not read: {why}").into()),
        Err(Failure::Cancelled) => Done::Failed(format!("{program} was stopped").into()),
    }
}

fn output_of(output: &Output) -> Done {
    if output.text.len() as u64 > MOST {
        return Done::Failed(format!("the command printed more than {} KiB, so nothing was taken", MOST >> 10).into());
    }
    let mut text = String::from_utf8_lossy(&output.text).into_owned();
    let failure = (!output.status.success()).then(|| format!("the command failed ({})", output.status));
    if failure.is_some() {
        text.push_str(&String::from_utf8_lossy(&output.errors));
    }
    let text = text.trim_end_matches(['\n', '\r']).into();
    Done::ToolOutput(ToolOutput { text, failure })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::api::call::Ticket;
    use std::sync::Arc;

    fn course() -> Course {
        Course::new(Ticket(0), Arc::new(|_, _| ()))
    }

    fn done(words: &[&str], input: &str, limit: Duration) -> Done {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        run(&ToolCommand { words, input: input.to_owned(), limit }, &course())
    }

    fn output(words: &[&str], input: &str) -> (String, Option<String>) {
        match done(words, input, Duration::from_mins(1)) {
            Done::ToolOutput(output) => (output.text.raw().to_owned(), output.failure),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_program_gets_the_arguments_as_its_input_and_no_shell_reads_its_words() {
        assert_eq!(output(&["cat"], "{\"a\": 1}"), ("{\"a\": 1}".to_owned(), None));
        assert_eq!(output(&["echo", "$HOME; echo two", "`id`"], ""), ("$HOME; echo two `id`".to_owned(), None));
    }

    #[test]
    fn a_program_gets_no_variables_that_may_hold_keys() {
        let (text, _) = output(&["env"], "");
        let names: Vec<_> = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        assert!(
            names.contains(&"PATH")
                && names
                    .iter()
                    .all(|name| ENVIRONMENT.contains(name) || name.starts_with("GIT_") || name.starts_with("SSH_")),
            "{names:?}"
        );
    }

    #[test]
    fn a_failure_is_told_with_what_was_printed() {
        let (text, failure) = output(&["sh", "-c", "echo half; echo why >&2; exit 3"], "");
        assert_eq!(text, "half\nwhy");
        assert!(failure.is_some_and(|why| why.contains("exit status: 3")));
        let missing = done(&["/no/such/program"], "", Duration::from_mins(1));
        assert!(
            matches!(&missing, Done::Failed(why) if why.line().starts_with("/no/such/program could not be started"))
        );
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped_with_what_it_started() {
        let started = Instant::now();
        let ended = done(&["sh", "-c", "sleep 600 & sleep 600"], "", Duration::from_millis(50));
        assert!(matches!(&ended, Done::Failed(why) if why.line().contains("was stopped")), "{ended:?}");
        assert!(started.elapsed() < Duration::from_mins(5));
        let held = done(&["sh", "-c", "sleep 600 & echo done"], "", Duration::from_millis(50));
        assert!(matches!(&held, Done::Failed(why) if why.line().contains("was stopped")), "{held:?}");
    }

    #[test]
    fn more_output_than_a_result_may_have_is_not_taken() {
        let much = done(&["sh", "-c", "yes | head -c 300000"], "", Duration::from_mins(1));
        assert!(matches!(&much, Done::Failed(why) if why.line().contains("256 KiB")), "{much:?}");
    }
}

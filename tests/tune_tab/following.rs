//! Streams: what they bring, that they are lost and come back, that jobs end while something else is in front.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Followed, Progress, Reply};
use benchtop::api::job::{Dialect, JobStatus};
use benchtop::app::Effect;
use benchtop::record::{Query, Stored};
use crossterm::event::KeyCode;

use crate::desk::{Desk, Disk, Tune, Writes, running};
use crate::kit::{Setup, Tab};
use crate::replies::{NOON, job, jobs};

const FIRST: &str = "ft-8QkAbCdEf";

#[test]
fn six_are_followed_at_most_and_the_others_asked_for_now_and_then() {
    let mut desk = Desk::new();
    let many = (0..9).map(|n| job(&format!("ft-{n}xxxx"), "run", JobStatus::Running, -n)).collect();
    desk.list(Dialect::FineTunes, many);
    let follows = |desk: &mut Desk| desk.calls().iter().filter(|(_, call)| matches!(call, Call::Follow(_))).count();
    assert_eq!(follows(&mut desk), 6);
    desk.wait(Duration::from_secs(25));
    assert!(desk.calls().is_empty());
    desk.wait(Duration::from_secs(10));
    assert_eq!(desk.calls().into_iter().map(|(_, call)| call).collect::<Vec<_>>(), [Call::Jobs]);
    // One ends: its stream is free for another.
    let stream = desk.stream("ft-0xxxx");
    desk.tell("ft-0xxxx", Followed::Job(Box::new(job("ft-0xxxx", "run", JobStatus::Succeeded, 0))));
    desk.progress(stream, Progress::Closed(Ok(())));
    assert_eq!(follows(&mut desk), 1);
}

#[test]
fn where_all_are_followed_only_the_list_is_asked_for_and_nothing_moves_elsewhere() {
    let mut desk = running();
    desk.calls();
    desk.wait(Duration::from_mins(5));
    // Other programs make jobs, too.
    let calls = desk.calls();
    assert!(!calls.is_empty() && calls.iter().all(|(_, call)| *call == Call::Jobs));
    desk.press("1");
    desk.settle();
    desk.screen();
    let due = desk.app.due();
    assert!(due.is_none_or(|due| due > desk.now + Duration::from_secs(20)), "another tab is in front: {due:?}");
}

#[test]
fn a_lost_stream_is_said_and_what_was_replayed() {
    let mut desk = running();
    let at = desk.now + Duration::from_secs(3);
    let why = Failure::new(FailureKind::CutOff, "the connection was lost");
    desk.tell(FIRST, Followed::Lost { why, at });
    desk.shows("⚠ stream dropped; retry in 3 s");
    desk.shows("✕ lost");
    desk.news();
    desk.press("R");
    assert!(desk.news().contains(&Effect::RetryNow(desk.stream(FIRST))));
    desk.tell(FIRST, Followed::Live { replayed: 3, polling: false });
    desk.shows("reconnected, 3 events replayed");
    desk.shows("● live");
    desk.events(FIRST, 6, &[(-1, "Completed epoch 3/4")]);
    desk.shows(" 75%");
}

#[test]
fn a_server_without_streams_is_polled_by_the_client() {
    let mut desk = running();
    desk.tell(FIRST, Followed::Live { replayed: 0, polling: true });
    desk.shows("● polling");
}

#[test]
fn a_stream_that_fails_is_followed_again_when_asked() {
    let mut desk = running();
    let stream = desk.stream(FIRST);
    desk.fail(stream, Failure::new(FailureKind::Auth, "the key was refused"));
    desk.shows("✕ lost · R to retry");
    desk.calls();
    desk.press("R");
    assert_eq!(desk.calls()[0].1, Call::Follow(FIRST.into()));
    desk.hides("✕ lost");
}

#[test]
fn a_job_that_ends_is_told_of_in_any_tab_and_its_stream_closed() {
    let mut desk = running();
    desk.press("1");
    let mut done = jobs().remove(0);
    done.status = JobStatus::Succeeded;
    done.fine_tuned_model = Some("curie:ft-acme:support-v3-2023-11-15-12-00-00".into());
    desk.events(FIRST, 6, &[(0, "Fine-tune succeeded")]);
    let stream = desk.stream(FIRST);
    let lists =
        |desk: &Desk| desk.effects.iter().filter(|effect| matches!(effect, Effect::Call(_, _, Call::Models))).count();
    let before = lists(&desk);
    desk.tell(FIRST, Followed::Job(Box::new(done)));
    desk.progress(stream, Progress::Closed(Ok(())));
    desk.shows("support-v3 (ft-8QkAb) succeeded");
    desk.shows("6 Tune ●1");
    assert_eq!(lists(&desk), before + 1, "its model is in the lists from now on");
}

#[test]
fn jobs_that_end_while_another_window_has_the_focus_are_told_with_how_they_ended() {
    let mut desk = running();
    let told = desk.told_outside(|desk| {
        let mut later = jobs();
        let ended = [JobStatus::Succeeded, JobStatus::Failed, JobStatus::Cancelled];
        let running = later.iter_mut().filter(|job| !job.status.is_finished());
        let all: Vec<_> = running.zip(ended).map(|(job, status)| job.status = status).collect();
        assert_eq!(all.len(), 3);
        desk.wait(Duration::from_mins(5));
        desk.list(Dialect::FineTunes, later);
    });
    assert_eq!(told, ["1 job ended, 1 job failed"]);
}

#[test]
fn a_job_that_two_profiles_show_is_counted_and_told_outside_once() {
    let mut desk = running();
    let of_work = desk.stream(FIRST);
    desk.press("^pprofile: home\n");
    desk.wait(Duration::from_secs(1));
    // The same server.
    desk.list(Dialect::FineTunes, jobs());
    let of_home = desk.stream(FIRST);
    assert_ne!(of_work, of_home);
    desk.wait(Duration::from_secs(2));
    assert_eq!(desk.app.title(), "benchtop: 3 jobs");
    let told = desk.told_outside(|desk| {
        let mut done = jobs().remove(0);
        done.status = JobStatus::Succeeded;
        for stream in [of_home, of_work] {
            let ended = Followed::Job(Box::new(done.clone()));
            desk.progress(stream, Progress::Reply(Reply::Followed(ended)));
            desk.wait(Duration::from_secs(5));
        }
    });
    assert_eq!(told, ["1 job ended"]);
    assert_eq!(desk.app.title(), "benchtop: 2 jobs");
}

#[test]
fn what_ended_while_nobody_looked_is_told_at_the_next_start() {
    let disk = Disk::new();
    let mut desk = Desk::on(&disk);
    desk.list(Dialect::FineTunes, jobs());
    desk.settle();
    let known = disk.setting("tune.known").unwrap();
    assert!(known.contains(FIRST) && !known.contains("ft-7Rt"), "{known}");
    let mut desk = desk.again();
    let mut later = jobs();
    later[0].status = JobStatus::Failed;
    later[0].error = Some("out of luck".into());
    desk.list(Dialect::FineTunes, later);
    desk.shows("support-v3 (ft-8QkAb) failed meanwhile: out of luck");
    desk.hides("tone-v1 (ft-2LmAb)");
    desk.settle();
    assert!(!disk.setting("tune.known").unwrap().contains(FIRST));
}

#[test]
fn following_is_turned_off_and_on() {
    let mut desk = running();
    let stream = desk.stream(FIRST);
    desk.news();
    desk.press("f");
    assert!(desk.news().contains(&Effect::Cancel(stream)));
    desk.shows("not followed · f to follow");
    desk.wait(Duration::from_mins(1));
    assert!(desk.calls().iter().any(|(_, call)| *call == Call::Jobs), "its state is asked for now and then");
    desk.press("f");
    assert!(desk.calls().iter().any(|(_, call)| *call == Call::Follow(FIRST.into())));
    // The history is told anew, and shown once.
    desk.events(FIRST, 0, &[(-1_500, "Created fine-tune: ft-8QkAbCdEf")]);
    assert_eq!(desk.screen().matches("Created fine-tune: ft-8QkAbCdEf").count(), 1);
}

#[test]
fn the_events_of_a_job_that_ended_are_asked_for_once_when_it_is_opened() {
    let mut desk = running();
    desk.press("jjj");
    desk.wait(Duration::from_secs(1));
    assert!(!desk.calls().iter().any(|(_, call)| *call == Call::Follow("ft-7RtAbCdEf".into())));
    desk.press("\n");
    assert!(desk.calls().iter().any(|(_, call)| *call == Call::Follow("ft-7RtAbCdEf".into())));
    desk.events("ft-7RtAbCdEf", 0, &[(-9_000, "Created fine-tune: ft-7RtAbCdEf"), (-8_000, "Fine-tune succeeded")]);
    let stream = desk.stream("ft-7RtAbCdEf");
    desk.progress(stream, Progress::Closed(Ok(())));
    desk.press("\u{1b}");
    desk.shows("Fine-tune succeeded");
    desk.press("\n");
    assert!(!desk.calls().iter().any(|(_, call)| matches!(call, Call::Follow(_))));
}

#[test]
fn events_of_all_jobs_stand_together_newest_first_and_are_found() {
    let mut desk = running();
    desk.press("e");
    desk.shows("Events · all jobs");
    let screen = desk.screen();
    let place = |words: &str| screen.find(words).unwrap_or_else(|| panic!("{words}: {screen}"));
    assert!(place("step 11 ") < place("epoch 2 of 4 ended"));
    assert!(place("epoch 2 of 4 ended") < place("step  6 "));
    desk.press_until("\t", "▸ Events");
    desk.press("/queue\n");
    desk.shows("Events · all jobs “queue” · ");
    desk.press("n");
    desk.press("\u{1b}");
    desk.hides("“queue”");
}

#[test]
fn words_are_found_in_the_events_while_they_are_typed_and_counted() {
    let mut desk = running();
    desk.press("e");
    desk.press_until("\t", "▸ Events");
    desk.press("/epoch 9");
    desk.shows("no match");
    desk.press("^uepoch");
    desk.shows(" found");
    desk.hides("“epoch”");
    desk.press("\n");
    desk.shows("Events · all jobs “epoch” · 1 of ");
    desk.press("n");
    desk.shows("“epoch” · 2 of ");
    desk.press("N");
    desk.shows("“epoch” · 1 of ");
    desk.press("/");
    desk.hides("“epoch”");
    desk.press("\u{1b}");
    desk.hides("· 1 of ");
}

#[test]
fn text_from_the_server_cannot_act_on_the_terminal() {
    let mut desk = running();
    desk.events(FIRST, 6, &[(-1, "evil \u{1b}[2J\u{202e}\u{7} words\nand more")]);
    let screen = desk.screen();
    assert!(screen.contains("evil ␛[2J") && !screen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{screen}");
    let mut odd = jobs();
    odd[0].suffix = Some("na\u{1b}[31mme".into());
    odd[0].model = "cu\u{7}rie".into();
    desk.press("^r");
    desk.list(Dialect::FineTunes, odd);
    desk.press("\n");
    let screen = desk.screen();
    assert!(screen.contains("na␛[31mme") && !screen.contains(['\u{1b}', '\u{7}']), "{screen}");
}

#[test]
fn a_long_history_is_bounded_and_stays_quick() {
    let mut desk = running();
    for chunk in 0..25_u64 {
        let events: Vec<(i64, &str)> = (0..1_000).map(|_| (-100, "Step 5: training loss 0.5")).collect();
        desk.events(FIRST, 6 + chunk * 1_000, &events);
    }
    let began = std::time::Instant::now();
    desk.press("e");
    desk.press("e");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    desk.press("\n");
    let shown = desk.line("events ");
    assert!(shown.contains("25,006 received") && shown.contains("not kept"), "{shown}");
}

#[test]
fn the_list_that_fails_keeps_what_was_known() {
    let mut desk = running();
    desk.press("^r");
    let (ticket, _) = desk.last(|call| *call == Call::Jobs);
    desk.fail(ticket, Failure::new(FailureKind::Server, "the server failed (500)"));
    desk.shows("support-v3");
    desk.shows("✕ the server failed");
    desk.press("^r");
    let (ticket, _) = desk.last(|call| *call == Call::Jobs);
    desk.reply(ticket, Reply::Jobs(Dialect::FineTunes, jobs()));
    desk.hides("✕ the server failed");
    assert_eq!(NOON % 60, 0);
}

#[test]
fn events_that_are_missing_are_said() {
    let mut desk = running();
    desk.events(FIRST, 9, &[(-1, "Completed epoch 3/4")]);
    desk.shows("⚠ 3 events are missing: the server did not send them");
    desk.shows("epoch 3 of 4 ended");
}

#[test]
fn jobs_that_ran_are_asked_about_at_the_start_and_only_then() {
    let disk = Disk::new();
    let desk = Desk::start(&disk, Setup { digit: None, ..Tune::setup() });
    assert!(!desk.effects.iter().any(|effect| matches!(effect, Effect::Call(_, _, Call::Jobs))), "nothing ran");
    drop(desk);
    let mut desk = Desk::on(&disk);
    desk.list(Dialect::FineTunes, jobs());
    desk.settle();
    let mut desk = Desk::start(&disk, Setup { digit: None, ..Tune::setup() });
    let mut later = jobs();
    later[0].status = JobStatus::Succeeded;
    desk.list(Dialect::FineTunes, later);
    desk.shows("support-v3 (ft-8QkAb) succeeded meanwhile");
    desk.shows("6 Tune ●1");
    desk.stream("ft-2LmAbCdEf");
}

#[test]
fn what_cannot_be_read_is_not_written_over() {
    let disk = Disk::new();
    let mut desk = Desk::on(&disk);
    desk.list(Dialect::FineTunes, jobs());
    desk.press("C\ntrain-v3\n\u{1b}S");
    desk.settle();
    let kept = ["tune.known", "tune.drafts", "tune.sort"].map(|name| disk.setting(name));
    assert!(kept.iter().all(Option::is_some), "{kept:?}");
    let answers =
        |query: &Query| matches!(query, Query::Setting(_)).then(|| Stored::Failed("the disk is broken".into()));
    let mut desk = Desk::start(&disk, Setup { answers: Box::new(answers), ..Tune::setup() });
    desk.shows("will not be saved");
    desk.list(Dialect::FineTunes, Vec::new());
    desk.press("SC");
    desk.settle();
    let effects = desk.app.before_quit(desk.now, desk.unix_ms);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Save(..))), "{effects:?}");
    assert_eq!(["tune.known", "tune.drafts", "tune.sort"].map(|name| disk.setting(name)), kept);
}

#[test]
fn the_order_of_jobs_is_kept() {
    let mut desk = running();
    desk.press("S");
    desk.shows("jobs: newest first");
    desk.settle();
    let mut desk = desk.again();
    desk.list(Dialect::FineTunes, jobs());
    desk.press("S");
    desk.shows("jobs: by name");
}

#[test]
fn a_deleted_model_stays_deleted_over_a_restart() {
    let mut desk = Desk::new();
    desk.list(Dialect::FineTunes, vec![jobs().remove(3)]);
    desk.press("Xsupport-v2");
    desk.wait(Duration::from_secs(1));
    desk.press("\n");
    let (ticket, _) = desk.last(|call| matches!(call, Call::DeleteModel(_)));
    desk.reply(ticket, Reply::Deleted("curie:ft-acme:support-v2-2023-11-15-09-30-00".into()));
    desk.settle();
    let mut desk = desk.again();
    desk.list(Dialect::FineTunes, vec![jobs().remove(3)]);
    desk.shows("model deleted");
    desk.hides("t try it");
}

#[test]
fn words_that_are_looked_for_cannot_act_on_the_terminal() {
    let mut desk = running();
    desk.press_until("\t", "▸ Events");
    desk.press("/");
    desk.paste("a\u{202e}b");
    desk.press("\n");
    let screen = desk.screen();
    assert!(screen.contains("Events “a") && !screen.contains('\u{202e}'), "{screen}");
}

#[test]
fn ctrl_c_stops_asking_and_nothing_else() {
    let mut desk = Desk::new();
    let (ticket, _) = desk.last(|call| *call == Call::Jobs);
    desk.news();
    desk.press("^c");
    assert!(desk.news().contains(&Effect::Cancel(ticket)));
    desk.shows("loading the jobs was stopped");
    desk.press("R");
    desk.list(Dialect::FineTunes, jobs());
    desk.shows("support-v3");
}

#[test]
fn what_the_disk_takes_later_is_said_and_kept_then_and_not_ordered_again() {
    let disk = Disk::new();
    let mut desk = Desk::on(&disk);
    desk.writes = Writes::Full;
    desk.list(Dialect::FineTunes, jobs());
    let ordered = |desk: &Desk| desk.effects.iter().filter(|effect| matches!(effect, Effect::Save(..))).count();
    desk.wait(Duration::from_secs(5));
    desk.shows("✕ not saved: the disk is full; free some space");
    desk.press("\u{1b}");
    desk.hides("the disk is full");
    let header = desk.line(" benchtop ");
    assert!(header.contains("✕ not saved"), "{header}");
    desk.press("^q");
    desk.shows("Changes in Tune could not be saved: the disk is full");
    desk.press("\u{1b}");
    let before = ordered(&desk);
    desk.wait(Duration::from_mins(2));
    assert!(before > 0 && ordered(&desk) == before, "the store has it");
    assert_eq!(disk.setting("tune.known"), None);
    desk.release();
    assert!(disk.setting("tune.known").unwrap().contains(FIRST));
    desk.shows("saving works again");
    desk.hides("not saved");
}

#[test]
fn jobs_of_other_programs_appear_while_the_tab_shows_and_nothing_is_asked_elsewhere() {
    let mut desk = Desk::new();
    desk.list(Dialect::FineTunes, Vec::new());
    desk.calls();
    desk.screen();
    desk.wait(Duration::from_secs(31));
    assert!(desk.calls().iter().any(|(_, call)| *call == Call::Jobs));
    desk.list(Dialect::FineTunes, vec![job("ft-other", "colleague", JobStatus::Succeeded, 0)]);
    desk.shows("colleague");
    // A list that tells nothing new is not written to the disk.
    desk.settle();
    desk.screen();
    desk.news();
    desk.wait(Duration::from_secs(31));
    desk.list(Dialect::FineTunes, vec![job("ft-other", "colleague", JobStatus::Succeeded, 0)]);
    desk.wait(Duration::from_secs(1));
    let written = desk.news().iter().filter(|effect| matches!(effect, Effect::Save(..))).count();
    assert_eq!(written, 0);
    desk.key(crossterm::event::KeyCode::Char('1'), crossterm::event::KeyModifiers::ALT);
    desk.wait(Duration::from_secs(31));
    desk.calls();
    desk.wait(Duration::from_mins(10));
    assert!(desk.calls().is_empty());
}

#[test]
fn progress_counts_steps_of_all_steps() {
    let mut desk = running();
    desk.shows("12%");
    desk.press("j");
    desk.settle();
    desk.shows("11 of 91");
    desk.events("ft-2LmAbCdEf", 4, &[(-200, "Step 1200/120000: training loss=2.00")]);
    desk.shows("1,200 of 120,000");
}

#[test]
fn the_cursor_of_the_curves_moves_as_far_without_a_frame_as_with_one() {
    for size in [(120, 36), (80, 24)] {
        let after = |frames: bool| {
            let mut desk = running();
            desk.size = size;
            let steps: Vec<String> = (12..90).map(|step| format!("Step {step}/91: training loss=2.{step}")).collect();
            let said: Vec<(i64, &str)> = steps.iter().map(|words| (-200, words.as_str())).collect();
            desk.events("ft-2LmAbCdEf", 4, &said);
            desk.press("j");
            desk.settle();
            for key in ["\t", "end", "←", "←", "←"] {
                if frames {
                    desk.lines();
                }
                if key == "end" { drop(desk.code(KeyCode::End)) } else { drop(desk.press(key)) }
            }
            desk.screen()
        };
        let (without, with) = (after(false), after(true));
        assert!(with.contains('@'), "a cursor shows its step:\n{with}");
        assert_eq!(without, with);
    }
}

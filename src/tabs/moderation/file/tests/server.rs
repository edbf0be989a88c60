//! Servers and disks that fail: nothing is lost or mixed up.

use super::*;

#[test]
fn a_server_that_takes_one_text_each_is_noticed_and_remembered() {
    let mut desk = Desk::new();
    desk.many(50);
    desk.keys("p");
    let (ticket, texts) = desk.calls.remove(0);
    assert_eq!(texts.len(), 16);
    let one = Moderation { results: vec![result("text 1")], ..Moderation::default() };
    desk.tell(ticket, Progress::Reply(Reply::Moderation(one)));
    desk.tell(ticket, Progress::Closed(Ok(())));
    while let Some((ticket, _)) = desk.calls.iter().find(|(_, texts)| texts.len() > 1).cloned() {
        desk.calls.retain(|(other, _)| *other != ticket);
        let one = Moderation { results: vec![result("text 1")], ..Moderation::default() };
        desk.tell(ticket, Progress::Reply(Reply::Moderation(one)));
    }
    desk.finish();
    assert_eq!((desk.open().tally().done, desk.open().tally().failed), (50, 0));
    assert!(!desk.page.shared.takes_many("work"));
    desk.many(60);
    desk.keys("p");
    assert!(desk.calls.iter().all(|(_, texts)| texts.len() == 1));
}

#[test]
fn a_server_that_refuses_lists_is_told_from_one_that_refuses_a_text() {
    // The list it is.
    let mut desk = Desk::new();
    desk.many(40);
    desk.keys("p");
    while desk.open().tally().left() > 0 {
        if desk.calls[0].1.len() > 1 { desk.fail(FailureKind::Refused) } else { desk.answer() }
    }
    assert_eq!((desk.open().tally().done, desk.page.shared.takes_many("work")), (40, false));
    // A text it is.
    let mut desk = Desk::new();
    desk.many(200);
    desk.keys("p");
    while desk.open().tally().left() > 0 {
        let bad = desk.calls[0].1.iter().any(|text| text == "text 7");
        if bad { desk.fail(FailureKind::Refused) } else { desk.answer() }
    }
    assert_eq!((desk.open().tally().done, desk.open().tally().failed), (199, 1));
    assert!(desk.page.shared.takes_many("work"));
    assert!(matches!(desk.press(KeyCode::Char('x')), Handled::Consumed));
    assert!(matches!(desk.page.sub, FileView::Failures(_)));
    desk.keys("r");
    desk.finish();
    assert_eq!(desk.open().tally().done, 200);
}

#[test]
fn a_text_that_fails_for_another_reason_ends_the_doubt_about_lists() {
    let mut desk = Desk::new();
    desk.many(400);
    desk.keys("p");
    for _ in 0..8 {
        desk.fail(FailureKind::Refused);
    }
    let mut lists = 0;
    while let Some((_, texts)) = desk.calls.first().cloned() {
        lists += usize::from(texts.len() == 16);
        if texts.iter().any(|text| text == "text 7") { desk.fail(FailureKind::Malformed) } else { desk.answer() }
    }
    assert_eq!((desk.open().tally().done, desk.open().tally().failed), (399, 1));
    assert!(lists >= 16, "{lists} lists of the 272 texts that were in no refused list");
    assert!(desk.page.shared.takes_many("work"));
}

#[test]
fn a_list_of_two_that_is_answered_with_one_result_tells_nothing_about_the_server() {
    let mut desk = Desk::new();
    desk.many(2);
    desk.keys("p");
    desk.reply(vec![result("text 0")]);
    desk.finish();
    assert_eq!((desk.open().tally().done, desk.page.shared.takes_many("work")), (2, true));
}

#[test]
fn a_run_needs_the_profile_it_sends_to() {
    let mut desk = Desk::new();
    desk.many(40);
    desk.keys("p");
    let FilePhase::Open(open) = &mut desk.page.phase else { panic!("no file") };
    open.settings.profile = "home".into();
    let needs = |desk: &Desk, profile: &str| desk.page.needs_profile(&ProfileId(profile.into()));
    assert_eq!((needs(&desk, "work"), needs(&desk, "home")), (true, false));
    desk.finish();
    assert!(!needs(&desk, "work"));
}

#[test]
fn a_full_disk_holds_the_run_and_loses_nothing() {
    let mut desk = Desk::new();
    desk.many(400);
    desk.keys("p");
    desk.full = true;
    while !desk.calls.is_empty() {
        desk.answer();
    }
    assert_eq!(desk.open().tally().done, 0);
    assert!(desk.page.saved().unwrap().contains("not saved: disk full"));
    assert!(desk.page.quit_warning().unwrap().contains("144 results"));
    desk.full = false;
    desk.wait(Duration::from_secs(6));
    desk.finish();
    desk.wait(Duration::from_secs(1));
    assert_eq!((desk.open().tally().done, desk.checks.len(), desk.sent.len()), (400, 400, 400));
    assert_eq!(desk.page.quit_warning(), None);
    assert!(desk.page.saved().unwrap().contains("saved ✓"));
    // How the table stands holds up quitting as well.
    desk.full = true;
    desk.keys("s");
    desk.wait(Duration::from_secs(1));
    assert!(desk.page.quit_warning().unwrap().starts_with("file.csv could not be saved: disk full"));
}

#[test]
fn a_wrong_key_waits_for_somebody_and_a_limit_for_a_while() {
    let mut desk = Desk::new();
    desk.many(400);
    desk.keys("p");
    desk.fail(FailureKind::Auth);
    assert_eq!(desk.page.badge(), Some(Badge::Failed));
    while !desk.calls.is_empty() {
        desk.answer();
    }
    desk.wait(Duration::from_hours(1));
    assert!(desk.calls.is_empty());
    desk.keys("p");
    assert_eq!(desk.calls.len(), 1, "one goes ahead");
    desk.fail(FailureKind::RateLimit);
    assert!(matches!(desk.open().state(), Some(BatchState::Held { until: Some(_), .. })));
    desk.wait(Duration::from_secs(5));
    assert_eq!(desk.calls.len(), 1);
    desk.finish();
    assert_eq!(desk.open().tally().done, 400);
}

impl Desk {
    /// Answers the oldest request with these results.
    fn reply(&mut self, results: Vec<ModerationResult>) {
        let (ticket, _) = self.calls.remove(0);
        let answer = Moderation { results, ..Moderation::default() };
        self.tell(ticket, Progress::Reply(Reply::Moderation(answer)));
        self.tell(ticket, Progress::Closed(Ok(())));
    }
}

#[test]
fn a_wrong_number_of_results_gives_no_text_anothers_score() {
    for more in [false, true] {
        let mut desk = Desk::new();
        desk.many(100);
        desk.keys("p");
        let mut answers = 0;
        while let Some((_, texts)) = desk.calls.first().cloned() {
            let mut results: Vec<_> = texts.iter().map(|text| result(text)).collect();
            // One too few or too many, in the middle, wherever a text is among several.
            if texts.len() > 1
                && let Some(at) = texts.iter().position(|text| text == "text 37")
            {
                if more { results.insert(at, result("text 0")) } else { _ = results.remove(at) }
            }
            answers += 1;
            desk.reply(results);
        }
        assert_eq!((desk.open().tally().done, desk.open().tally().failed), (100, 0));
        for n in 0..100 {
            let score = desk.open().dataset.check(n).unwrap().scores[0].unwrap();
            assert!((score - n as f64 / 100.0).abs() < 1e-9, "row {n} has {score}");
        }
        assert_eq!(desk.bills, answers, "each answer has its line");
        assert!(desk.page.shared.takes_many("work"), "the others still share a request");
    }
}

#[test]
fn an_answer_without_a_result_is_in_the_ledger() {
    let mut desk = Desk::new();
    desk.many(2);
    desk.keys("p");
    desk.reply(vec![ModerationResult::default(), ModerationResult::default()]);
    assert_eq!((desk.open().tally().failed, desk.bills), (2, 1));
}

#[test]
fn a_doubt_that_ends_leaves_several_texts_a_request() {
    let mut desk = Desk::new();
    desk.many(400);
    desk.keys("p");
    // The first list is refused, the second is answered meanwhile.
    desk.fail(FailureKind::Refused);
    desk.answer();
    let mut sizes = Vec::new();
    while let Some((_, texts)) = desk.calls.first().cloned() {
        sizes.push(texts.len());
        if texts.iter().any(|text| text == "text 7") { desk.fail(FailureKind::Refused) } else { desk.answer() }
    }
    assert_eq!((desk.open().tally().done, desk.open().tally().failed), (399, 1));
    assert!(sizes.len() < 50, "{sizes:?}");
}

#[test]
fn what_came_while_the_disk_was_slow_is_kept_whatever_becomes_of_the_run() {
    type Deed = fn(&mut Desk);
    let deeds: [Deed; 4] = [
        |desk| desk.many(3),
        |desk| desk.with(FilePage::before_quit),
        |desk| {
            let id = desk.open().dataset.list.id;
            let gone = page::FileAnswer::List(crate::tabs::texts::ListEvent::Deleted(id));
            desk.with(|page, cx| page.answer(gone, cx));
        },
        |desk| desk.keys("Ry"),
    ];
    for (at, deed) in deeds.into_iter().enumerate() {
        for failed in [false, true] {
            let mut desk = Desk::new();
            desk.many(200);
            desk.keys("p");
            desk.slow = true;
            for _ in 0..4 {
                desk.answer();
            }
            assert_eq!(desk.checks.len(), 0);
            deed(&mut desk);
            desk.settle(failed);
            if failed {
                assert!(desk.page.quit_warning().is_some_and(|words| words.contains("64 results")), "{at}");
                desk.wait(Duration::from_secs(6));
            }
            assert_eq!(desk.checks.len(), 64, "deed {at}");
            assert!(desk.bills >= 4);
            assert_eq!(desk.page.quit_warning(), None);
        }
    }
}

#[test]
fn nothing_is_due_while_the_disk_thinks() {
    let mut desk = Desk::new();
    desk.many(40);
    desk.keys("p");
    desk.full = true;
    while !desk.calls.is_empty() {
        desk.answer();
    }
    (desk.full, desk.slow) = (false, true);
    desk.wait(Duration::from_secs(6));
    assert!(desk.page.due().is_none_or(|at| at > desk.now), "it would be asked without end");
    desk.settle(false);
    assert_eq!(desk.open().tally().done, 40);
}

#[test]
fn failures_sent_once_more_go_on_also_where_all_waited() {
    let mut desk = Desk::new();
    desk.many(1_000);
    desk.page.shared.use_single_requests("work");
    desk.keys("p");
    while !desk.calls.is_empty() {
        desk.fail(FailureKind::Refused);
    }
    assert!(matches!(desk.open().state(), Some(BatchState::Held { until: None, .. })));
    desk.keys("xr");
    assert!(!desk.calls.is_empty());
    desk.finish();
    assert_eq!(desk.open().tally().done, 1_000);
}

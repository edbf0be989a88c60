//! Downloads a stored file as a whole, part by part; an incomplete file is never taken for the whole. After a lost
//! connection it continues where it was.

use crate::api::call::{Call, Content, Failure, FailureKind, Progress, Reply, Span, Ticket, without_kept};
use crate::component::Cx;
use crate::settings::{ProfileId, limits};
use crate::text::Untrusted;
use crate::ui::meter::bytes as size;

/// A file on its way.
#[derive(Clone, Debug)]
pub struct RangeDownload {
    profile: ProfileId,
    id: String,
    /// The call that brings the next part.
    pub ticket: Ticket,
    bytes: Vec<u8>,
    /// Bytes that came before these and were taken away.
    taken: u64,
    /// Bytes that are read at most.
    most: u64,
    /// Bytes of the whole file, where told.
    total: Option<u64>,
    /// Bytes of the part that were asked for, and that came.
    part: (u64, u64),
    /// Bytes of the part that moved so far.
    moved: u64,
    /// How often it continued after a lost connection.
    resumes: usize,
    /// Why it cannot be had.
    fault: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub enum DownloadStep {
    /// The file is being loaded.
    Coming,
    /// All of it is here: what was not taken away before.
    All(Vec<u8>),
    /// The file cannot be loaded.
    Failed(Untrusted),
}

impl RangeDownload {
    /// Asks for a file of at most so many bytes.
    pub fn ask(profile: ProfileId, id: String, most: u64, cx: &mut Cx) -> Self {
        let part = most.min(limits::CONTENT);
        let ticket = Self::call(&profile, &id, 0, part, cx);
        Self {
            profile,
            id,
            ticket,
            bytes: Vec::new(),
            taken: 0,
            most,
            total: None,
            part: (part, 0),
            moved: 0,
            resumes: 0,
            fault: None,
        }
    }

    fn call(profile: &ProfileId, id: &str, from: u64, most: u64, cx: &mut Cx) -> Ticket {
        let span = Span { id: id.to_owned(), from, most };
        cx.call_to(profile.clone(), Call::Content(Box::new(span)))
    }

    /// Returns how many bytes have arrived, and of how many, where told.
    pub fn moved(&self) -> (u64, Option<u64>) {
        (self.here() + self.moved, self.total)
    }

    /// Takes away the bytes that are here, so that they need no memory.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        self.taken = self.here();
        std::mem::take(&mut self.bytes)
    }

    /// Returns how many bytes have arrived in whole parts.
    fn here(&self) -> u64 {
        self.taken + self.bytes.len() as u64
    }

    /// Takes a part of its call.
    pub fn observe(&mut self, progress: &Progress, cx: &mut Cx) -> DownloadStep {
        match progress {
            Progress::Moved { done, .. } => self.moved = *done,
            Progress::Reply(Reply::Content(content) | Reply::LostContent(content)) => {
                self.take(content);
                if let Some(why) = self.fault.take() {
                    cx.cancel(self.ticket);
                    return DownloadStep::Failed(why.into());
                }
            }
            Progress::Closed(Err(failure)) if self.may_resume(failure) => {
                self.resumes += 1;
                self.ask_next(cx);
            }
            Progress::Closed(Err(failure)) => {
                let why = without_kept(&failure.sentence);
                return DownloadStep::Failed(match self.here() {
                    0 => why,
                    _ => format!("{} ({} received)", why.line(), self.so_far()).into(),
                });
            }
            Progress::Closed(Ok(())) => return self.next(cx),
            _ => {}
        }
        DownloadStep::Coming
    }

    fn take(&mut self, content: &Content) {
        self.moved = 0;
        let before = self.total;
        self.total = content.total.or(before);
        if before.is_some() && self.total != before {
            self.fault = Some(format!("it changed while it was loaded ({} received); try again", self.so_far()));
        } else if content.from != self.here() {
            self.fault = Some("the server sent a different part than requested".into());
        } else if self.total.is_some_and(|total| total > self.most) {
            self.fault = Some(self.large());
        } else {
            self.part.1 = content.bytes.len() as u64;
            self.bytes.extend_from_slice(&content.bytes);
        }
    }

    /// Continues after a part: the file is whole, or the next part is asked for.
    fn next(&mut self, cx: &mut Cx) -> DownloadStep {
        let here = self.here();
        let (asked, came) = self.part;
        let whole = match self.total {
            Some(total) => here >= total,
            None => came < asked,
        };
        if whole {
            return DownloadStep::All(std::mem::take(&mut self.bytes));
        }
        if came == 0 {
            return DownloadStep::Failed(format!("the download was cut off after {}", self.so_far()).into());
        }
        if here >= self.most {
            return DownloadStep::Failed(self.large().into());
        }
        self.ask_next(cx);
        DownloadStep::Coming
    }

    /// Returns whether a part that failed is continued: the connection was lost, and something had come. A download
    /// that progresses with every attempt ends at some point.
    fn may_resume(&self, failure: &Failure) -> bool {
        let is_lost = matches!(failure.kind, FailureKind::CutOff | FailureKind::Timeout);
        is_lost && self.part.1 > 0 && self.here() < self.most && self.resumes < limits::RESUMES
    }

    /// Asks for what follows the bytes that are here.
    fn ask_next(&mut self, cx: &mut Cx) {
        let here = self.here();
        let part = (self.most - here).min(limits::CONTENT);
        self.part = (part, 0);
        self.ticket = Self::call(&self.profile, &self.id, here, part, cx);
    }

    /// Returns `17 MB of 40 MB`.
    fn so_far(&self) -> String {
        let here = size(self.here());
        self.total.map_or_else(|| here.clone(), |total| format!("{here} of {}", size(total)))
    }

    fn large(&self) -> String {
        let whole = self.total.map_or_else(|| format!("more than {}", size(self.most)), size);
        format!("it has {whole}, but at most {} can be read here; download it first", size(self.most))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::api::call::cut_off_sentence;
    use crate::component::{Effect, Session};

    const PART: usize = limits::CONTENT as usize;

    /// Reads a file of so many bytes from a server that says, or does not say, how many there are.
    fn read(bytes: usize, most: u64, tells: bool) -> (Vec<(u64, u64)>, Result<usize, String>) {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut download = RangeDownload::ask(ProfileId("work".into()), "file-1".into(), most, &mut cx);
        let mut end = None;
        let mut from = 0;
        for _ in 0..20 {
            let came = (bytes - from).min(PART).min((most as usize).saturating_sub(from));
            let content = Content {
                from: from as u64,
                bytes: vec![b'x'; came],
                total: tells.then_some(bytes as u64),
                ranges: true,
            };
            from += came;
            for progress in [Progress::Reply(Reply::Content(content)), Progress::Closed(Ok(()))] {
                match download.observe(&progress, &mut cx) {
                    DownloadStep::Coming => {}
                    DownloadStep::All(bytes) => end = Some(Ok(bytes.len())),
                    DownloadStep::Failed(why) => end = Some(Err(why.line().into_owned())),
                }
                if end.is_some() {
                    break;
                }
            }
            if end.is_some() {
                break;
            }
        }
        let spans = effects.iter().filter_map(|effect| match effect {
            Effect::Call(_, _, Call::Content(span)) => Some((span.from, span.most)),
            _ => None,
        });
        (spans.collect(), end.expect("it ends"))
    }

    #[test]
    fn parts_are_asked_for_until_the_file_is_whole() {
        let (part, most) = (limits::CONTENT, 64 << 20);
        for tells in [true, false] {
            let (spans, end) = read(PART * 2 + 5, most, tells);
            assert_eq!(spans, [(0, part), (part, part), (part * 2, part)]);
            assert_eq!(end, Ok(PART * 2 + 5));
            assert_eq!(read(5, most, tells), (vec![(0, part)], Ok(5)));
        }
        assert_eq!(read(0, most, true).1, Ok(0));
    }

    #[test]
    fn what_is_larger_than_the_page_reads_is_said_and_never_a_part_taken() {
        let most = limits::CONTENT + 10;
        let (spans, end) = read(PART * 3, most, true);
        assert_eq!(spans.len(), 1, "nothing more is asked for");
        assert!(end.unwrap_err().contains("can be read here"));
        let (spans, end) = read(PART * 3, most, false);
        assert_eq!(spans.len(), 2);
        assert!(end.unwrap_err().contains("it has more than"));
    }

    #[test]
    fn parts_that_are_taken_away_are_not_asked_for_again() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut download = RangeDownload::ask(ProfileId("work".into()), "file-1".into(), u64::MAX, &mut cx);
        let mut taken = 0;
        for from in [0, PART] {
            let content =
                Content { from: from as u64, bytes: vec![b'x'; PART], total: Some(PART as u64 * 2), ranges: true };
            download.observe(&Progress::Reply(Reply::Content(content)), &mut cx);
            taken += download.take_bytes().len();
            match download.observe(&Progress::Closed(Ok(())), &mut cx) {
                DownloadStep::Coming => assert_eq!(from, 0),
                DownloadStep::All(rest) => assert_eq!((from, rest.len(), taken), (PART, 0, PART * 2)),
                DownloadStep::Failed(why) => panic!("{}", why.line()),
            }
        }
    }

    #[test]
    fn a_lost_connection_is_continued_as_long_as_something_comes() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut download = RangeDownload::ask(ProfileId("work".into()), "file-1".into(), 1 << 20, &mut cx);
        let lost = || Progress::Closed(Err(Failure::new(FailureKind::CutOff, cut_off_sentence("it was lost"))));
        let content = Content { from: 0, bytes: vec![b'x'; 1_000], total: Some(2_000), ranges: true };
        download.observe(&Progress::Reply(Reply::LostContent(content)), &mut cx);
        assert!(matches!(download.observe(&lost(), &mut cx), DownloadStep::Coming));
        assert_eq!(download.take_bytes().len(), 1_000);
        let DownloadStep::Failed(why) = download.observe(&lost(), &mut cx) else { panic!() };
        assert_eq!(why.line(), "the answer was cut off (it was lost) (1 kB of 2 kB received)");
        let spans = effects.iter().filter_map(|effect| match effect {
            Effect::Call(_, _, Call::Content(span)) => Some(span.from),
            _ => None,
        });
        assert_eq!(spans.collect::<Vec<_>>(), [0, 1_000]);
    }

    #[test]
    fn a_file_that_breaks_off_is_no_whole_one() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut download = RangeDownload::ask(ProfileId("work".into()), "file-1".into(), 1 << 20, &mut cx);
        let part = |from, bytes: &[u8]| {
            let content = Content { from, bytes: bytes.to_vec(), total: Some(2_000), ranges: true };
            Progress::Reply(Reply::Content(content))
        };
        download.observe(&part(0, &[b'x'; 1_000]), &mut cx);
        assert!(matches!(download.observe(&Progress::Closed(Ok(())), &mut cx), DownloadStep::Coming));
        download.observe(&part(1_000, &[]), &mut cx);
        let DownloadStep::Failed(why) = download.observe(&Progress::Closed(Ok(())), &mut cx) else { panic!() };
        assert!(why.line().contains("1 kB of 2 kB"), "{}", why.line());
    }
}

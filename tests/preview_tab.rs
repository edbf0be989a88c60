//! The Files tab's preview over real files, with the real work threads.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::Ticket;
use benchtop::component::{Component, Cx, Effect, RenderContext, Response, Session};
use benchtop::record::work::Done;
use benchtop::record::{Rows, Stored};
use benchtop::tabs::Tab;
use benchtop::tabs::files::Files;
use benchtop::ui::theme::{Depth, Kind, Theme};
use benchtop::work::Workers;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

const GB: u64 = 1 << 30;
/// For what must come; on a slow machine too.
const LIMIT: Duration = Duration::from_mins(1);

/// The tab in a folder.
struct Desk {
    tab: Files,
    session: Session,
    workers: Workers,
    answers: Receiver<(Ticket, Done)>,
    tickets: u64,
    copied: Vec<String>,
    now: Instant,
}

impl Desk {
    fn on(folder: &Path) -> Self {
        let (send, answers) = channel();
        let workers = Workers::spawn(move |ticket, done| send.send((ticket, done)).unwrap_or_default());
        let session = Session { area: (100, 26), ..Session::default() };
        let tab = Files::default();
        let mut desk = Self { tab, session, workers, answers, tickets: 0, copied: Vec::new(), now: Instant::now() };
        let kept = serde_json::json!({ "folder": folder.to_str().unwrap() }).to_string();
        desk.act(Tab::enter, &kept);
        desk
    }

    fn act<R>(&mut self, act: impl FnOnce(&mut Files, &mut Cx) -> R, kept: &str) {
        let mut effects = Vec::new();
        act(&mut self.tab, &mut Cx::new(&self.session, self.now, 0, &mut self.tickets, &mut effects));
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Work(ticket, work) => self.workers.send(ticket, work),
                Effect::Cancel(ticket) => self.workers.cancel(ticket),
                Effect::Copy(text) => self.copied.push(text.raw().to_owned()),
                Effect::Load(ticket, _) => {
                    let stored = Stored::Rows(Rows::Setting("files.view".into(), Some(kept.into())));
                    let mut more = Vec::new();
                    let mut cx = Cx::new(&self.session, self.now, 0, &mut self.tickets, &mut more);
                    let _ = self.tab.reply(ticket, &mut Response::Store(stored), &mut cx);
                    effects.extend(more);
                }
                _ => {}
            }
        }
    }

    fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(100, 26)).unwrap();
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let (tab, session, now) = (&mut self.tab, &self.session, self.now);
        tab.arrange(Rect::new(0, 0, 100, 26), session, now);
        terminal.draw(|frame| tab.render(frame, frame.area(), RenderContext { session, theme: &theme, now })).unwrap();
        terminal.backend().to_string()
    }

    /// Answers come until the screen shows a text.
    fn shows(&mut self, text: &str) {
        let until = Instant::now() + LIMIT;
        while !self.screen().contains(text) {
            if self.tab.due().is_some_and(|due| due <= self.now) {
                self.act(Component::tick, "{}");
            }
            self.now += Duration::from_millis(50);
            if let Ok((ticket, done)) = self.answers.recv_timeout(Duration::from_millis(50)) {
                self.act(|tab, cx| tab.reply(ticket, &mut Response::Work(done), cx), "{}");
            }
            assert!(Instant::now() < until, "no “{text}” in\n{}", self.screen());
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.screen();
            let code = match key {
                '\n' => KeyCode::Enter,
                '\u{1b}' => KeyCode::Esc,
                key => KeyCode::Char(key),
            };
            self.act(|tab, cx| tab.key(KeyEvent::from(code), cx), "{}");
        }
    }
}

#[test]
fn a_sparse_file_of_5_gb_opens_at_once_and_shows_its_end() {
    let home = tempfile::tempdir().unwrap();
    let mut file = File::create(home.path().join("big.txt")).unwrap();
    file.write_all(&b"a line of the beginning\n".repeat(10_000)).unwrap();
    file.set_len(5 * GB).unwrap();
    file.seek(SeekFrom::Start(5 * GB - 30)).unwrap();
    file.write_all(b"\nthe last but one\nthe very end").unwrap();
    let mut desk = Desk::on(home.path());
    desk.shows("big.txt");
    desk.press("\n");
    let opened = Instant::now();
    desk.shows("a line of the beginning");
    assert!(opened.elapsed() < Duration::from_secs(20), "{:?}", opened.elapsed());
    desk.press("G");
    desk.shows("the very end");
    desk.shows("no newline after the last line");
    // Whatever the file's size, the way back begins at once.
    desk.press("g1\n");
    desk.shows("▌     1 a line of the beginning");
    desk.press("g9,999\n");
    desk.shows("9999 a line of the beginning");
    desk.press("/nowhere at all\n");
    desk.shows("searching below");
    desk.press("\u{1b}");
    desk.shows("search stopped");
}

#[test]
fn one_line_of_50_mb_odd_ends_and_bytes_that_are_no_text() {
    let home = tempfile::tempdir().unwrap();
    let mut line = vec![b'x'; 50 << 20];
    line.extend(b" the tail");
    std::fs::write(home.path().join("line.txt"), line).unwrap();
    let mut desk = Desk::on(home.path());
    desk.shows("line.txt");
    desk.press("\n");
    desk.shows("xxxxxxxx");
    desk.press("/TAIL\n");
    desk.shows("the tail");
    desk.press("w");
    desk.shows("the tail");
    desk.press("g1\n");
    desk.shows("1 xxxx");

    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("odd.txt"), b"one\r\ntwo \xff\xc3\r\n\r\nlast").unwrap();
    let mut desk = Desk::on(home.path());
    desk.shows("odd.txt");
    desk.press("\n");
    desk.shows("two ⟨FF⟩⟨C3⟩");
    desk.press("y");
    assert_eq!(desk.copied, ["one"], "without its line's end");
    desk.press("G");
    desk.shows("line 4 of 4");
    std::fs::write(home.path().join("odd.txt"), b"another\n").unwrap();
    desk.now += Duration::from_secs(3);
    desk.press("k");
    desk.shows("has changed since");
    desk.press("r");
    desk.shows("1 another");
}

/// Returns a workbook whose first sheet has these rows.
fn workbook(rows: &[Vec<String>]) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let cell = |text: &String| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let row = |row: &Vec<String>| format!("<row>{}</row>", row.iter().map(cell).collect::<String>());
    let relation = |kind: &str, to: &str| {
        format!(
            "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"r1\" Type=\"{OFFICE}/{kind}\" \
             Target=\"{to}\"/></Relationships>"
        )
    };
    let book = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
    );
    let sheet = rows.iter().map(row).collect::<String>();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [
        ("[Content_Types].xml", format!("<Types xmlns=\"{PACKAGE}/content-types\"/>")),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{sheet}</sheetData></worksheet>")),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_workbook_is_shown_as_a_table() {
    let home = tempfile::tempdir().unwrap();
    let names = ["Subject", "Queue"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(names)
        .chain((1..=5_000).map(|n| vec![format!("Letter {n}, late"), ["Billing", "Sales"][n % 2].to_owned()]))
        .collect();
    std::fs::write(home.path().join("desk.xlsx"), workbook(&rows)).unwrap();
    let mut desk = Desk::on(home.path());
    desk.shows("desk.xlsx");
    desk.press("\n");
    desk.shows("Letter 1, late");
    desk.shows("Subject");
    desk.press("G");
    desk.shows("Letter 5000, late");
    desk.press("g1\n");
    desk.shows("Letter 1, late");
    desk.press("/letter 3333\n");
    desk.shows("Letter 3333, late");
    desk.press("\u{1b}\u{1b}");

    std::fs::write(home.path().join("desk.xlsx"), "no workbook").unwrap();
    desk.press("\n");
    desk.shows("cannot be read as a workbook");
}

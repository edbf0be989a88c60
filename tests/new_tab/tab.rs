//! A seventh tab: the server's files as a list, the details of one, a form, and a question before one is deleted.
//!
//! It shows what a new tab costs: list, details, calls, form, footer, help, palette and a setting that is kept.

use std::time::Instant;

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::file::File;
use benchtop::component::{
    Bindings, Command, Component, ConfirmDialog, Cx, Handled, Hint, Modals, Notice, Pending, RenderContext, Response,
    Session, bind,
};
use benchtop::record::{Query, Record, Rows, Stored};
use benchtop::tabs::Tab;
use benchtop::text::Untrusted;
use benchtop::ui::form::{Event, Field, Form, Kind};
use benchtop::ui::list::Cursor;
use benchtop::ui::overlay::Confirm;
use benchtop::ui::rule::Rule;
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

/// The setting that is kept: the least size of a file that shows, in bytes.
const LEAST: &str = "stock.least";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Refresh,
    Delete,
    Settings,
    Up,
    Down,
}

#[derive(Debug)]
enum Request {
    List,
    Delete(String),
    Setting,
}

#[derive(Debug)]
struct State {
    files: Vec<File>,
    cursor: Cursor,
    form: Form,
    /// Whether keys go to the form.
    in_form: bool,
    pending: Pending<Request>,
    modals: Modals<String>,
}

/// The tab.
pub struct Stock {
    state: State,
    keys: Bindings<Action, State>,
}

fn no_file(state: &State) -> Option<&'static str> {
    state.selected_file().is_none().then_some("there is no file")
}

impl State {
    fn least(&self) -> u64 {
        self.form.fields[0].value.parse().unwrap_or(0)
    }

    fn shown(&self) -> Vec<&File> {
        self.files.iter().filter(|file| file.bytes >= self.least()).collect()
    }

    fn selected_file(&self) -> Option<&File> {
        self.shown().get(self.cursor.selected).copied()
    }

    fn call(&mut self, call: Call, request: Request, cx: &mut Cx) {
        let ticket = cx.call(call);
        self.pending.insert(ticket, request);
    }

    fn act(&mut self, action: Action, cx: &mut Cx) {
        match action {
            Action::Refresh => self.call(Call::Files, Request::List, cx),
            Action::Settings => self.in_form = true,
            Action::Up => self.cursor.move_by(-1, self.shown().len()),
            Action::Down => self.cursor.move_by(1, self.shown().len()),
            Action::Delete => {
                let Some(File { id, filename, .. }) = self.selected_file().cloned() else { return };
                let question = Confirm::new("Delete this file?", vec![filename.into()], "Delete");
                self.modals.open(ConfirmDialog::new(question, id));
            }
        }
    }
}

impl Stock {
    pub fn new() -> Self {
        let kind = Kind::Number { min: 0.0, max: 1e9, step: 1000.0, whole: true };
        let (name, label, help) = ("least", "Least size", "Smaller files are not shown.");
        let field = Field { name, label, kind, value: String::new(), default: "0", help, optional: true };
        let state = State {
            files: Vec::new(),
            cursor: Cursor::default(),
            form: Form::new(vec![field]),
            in_form: false,
            pending: Pending::default(),
            modals: Modals::default(),
        };
        let list = vec![
            bind("ctrl-r", Action::Refresh, "refresh", "ask for the files again").in_palette("refresh", "reload"),
            bind("x", Action::Delete, "delete", "delete the file")
                .in_palette("delete", "remove")
                .disabled_when(no_file),
            bind("s", Action::Settings, "settings", "change the settings").in_palette("settings", "least"),
            bind("k up", Action::Up, "up", "up"),
            bind("j down", Action::Down, "down", "down"),
        ];
        Self { state, keys: Bindings::new("new-tab", list) }
    }
}

impl Component for Stock {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        let state = &mut self.state;
        match state.modals.key(key, cx) {
            Handled::Emit(id) => state.call(Call::DeleteFile(id.clone()), Request::Delete(id), cx),
            Handled::Consumed => {}
            Handled::Ignored if state.in_form => match state.form.key(key) {
                Event::Change(name, value) => {
                    state.form.set(name, value.clone());
                    cx.save(Record::Setting(LEAST.into(), value.into()));
                }
                Event::Close => state.in_form = false,
                _ => {}
            },
            Handled::Ignored => {
                if let Some(action) = self.keys.find(&key) {
                    state.act(action, cx);
                }
            }
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        let state = &mut self.state;
        match response {
            Response::Call(Progress::Reply(Reply::Files(files))) => state.files = std::mem::take(files),
            Response::Call(Progress::Closed(ended)) => match (state.pending.take(ticket), ended) {
                (Some(Request::Delete(id)), Ok(())) => state.files.retain(|file| file.id != id),
                (Some(_), Err(why)) => cx.notify(Notice::error(why.sentence.clone())),
                _ => {}
            },
            Response::Store(Stored::Rows(Rows::Setting(_, Some(least)))) if state.pending.take(ticket).is_some() => {
                state.form.set("least", least.line().into_owned());
            }
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.modals.arrange(area, session, now);
        self.state.cursor.window(usize::from(area.height.saturating_sub(1)), self.state.shown().len());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (theme, state) = (context.theme, &self.state);
        let [left, right] = Layout::horizontal([Constraint::Percentage(40), Constraint::Fill(1)]).areas(area);
        let rule = |title, focus| Rule { title, right: "", right_style: theme.muted, focus };
        rule("Files", !state.in_form).render(left, frame.buffer_mut(), theme);
        rule("Details", state.in_form).render(right, frame.buffer_mut(), theme);
        let (top, rows) = (state.cursor.top, left.y + 1..left.bottom());
        for ((at, file), y) in state.shown().into_iter().enumerate().skip(top).zip(rows) {
            let style = if at == state.cursor.selected { theme.text.patch(theme.select) } else { theme.text };
            let name = Untrusted::from(file.filename.as_str());
            frame.buffer_mut().set_stringn(left.x + 1, y, name.line(), usize::from(left.width) - 1, style);
        }
        let about = |file: &File| format!("{}, {} bytes", Untrusted::from(file.id.as_str()).line(), file.bytes);
        let details = state.selected_file().map_or_else(|| "No file yet.".to_owned(), about);
        frame.buffer_mut().set_stringn(right.x + 1, right.y + 1, details, usize::from(right.width) - 1, theme.muted);
        let form = Rect { y: right.y + 3, height: right.height.saturating_sub(3), ..right };
        state.form.render(frame, form, theme, state.in_form);
        state.modals.render(frame, area, context);
    }

    fn hints(&self) -> Vec<Hint> {
        if self.state.modals.is_open() {
            return self.state.modals.hints();
        }
        let actions = [Action::Refresh, Action::Delete, Action::Settings];
        if self.state.in_form { vec![Hint::new("h l", "change")] } else { self.keys.footer(&actions, &self.state) }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Stock", self.keys.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        self.state.modals.escape().or(self.state.in_form.then_some("list"))
    }

    fn typing(&self) -> bool {
        self.state.modals.is_open() || self.state.form.typing()
    }
}

impl Tab for Stock {
    fn title(&self) -> &'static str {
        "Stock"
    }

    fn enter(&mut self, cx: &mut Cx) {
        let ticket = cx.load(Query::Setting(LEAST.into()));
        self.state.pending.insert(ticket, Request::Setting);
        self.state.act(Action::Refresh, cx);
    }

    fn commands(&self) -> Vec<Command> {
        self.keys.palette(self.title(), &self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        if let Some(action) = self.keys.command(id, &self.state) {
            self.state.act(action, cx);
        }
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open()
    }
}

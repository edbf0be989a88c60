//! The strip's picture.

use std::borrow::Borrow;
use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{Shown, Strip, drawn, look, looks};
use crate::record::Token;
use crate::tabs::generation::score::{share, signed, summary};
use crate::text::Untrusted;
use crate::ui::pane::{Pane, Spacing, Surface, highlight};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{bar, meter, wrap};

/// Columns of a bar at most, and from how many columns of the strip on it has more.
const BAR: usize = 40;
const LONG_BAR: (usize, usize) = (72, 120);
/// Columns of a token's name at least and at most.
const NAME: (usize, usize) = (10, 24);
/// Columns of a probability.
const FIGURE: usize = 7;

/// Returns a token's bytes made visible, on one line and safe to show: line ends as `␊`, tabs as `⇥`, what is no whole
/// character as `⟨e6 97⟩`. Blanks stay as they are: it wants quotes around it.
pub fn name(bytes: &[u8]) -> String {
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name.push_str(&Untrusted::from(chunk.valid().replace('\t', "⇥")).line());
        if !chunk.invalid().is_empty() {
            let hex: Vec<String> = chunk.invalid().iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = write!(name, "⟨{}⟩", hex.join(" "));
        }
    }
    name
}

/// Returns what the looks of a text coloured by probability mean, on one line.
pub fn legend(theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::styled("p", theme.muted)];
    for (words, look) in looks(theme) {
        spans.push(Span::raw(" "));
        spans.push(Span::styled(words, look));
    }
    Line::from(spans)
}

/// Returns a token's name in quotation marks.
fn quoted(bytes: &[u8]) -> String {
    format!("“{}”", name(bytes))
}

/// Returns a token's name as a row has it: in quotation marks where its end would not be seen otherwise.
fn row_name(bytes: &[u8]) -> String {
    let name = name(bytes);
    if name.is_empty() || name.ends_with(' ') { format!("“{name}”") } else { name }
}

/// A row: name, probability, whether it was drawn.
struct Row<'a> {
    bytes: &'a [u8],
    probability: Option<f64>,
    drawn: bool,
}

impl Strip {
    /// Draws the strip into `area`, whatever its height: with less of it there are fewer alternatives. Where its cursor
    /// stands; `None`: nowhere.
    pub fn render<T: Borrow<Token>>(
        &self,
        area: Rect,
        buf: &mut Buffer,
        shown: &Shown<T>,
        theme: &Theme,
    ) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let Some(token) = self.token(shown.tokens) else {
            empty(shown, area, buf, theme);
            return None;
        };
        let rows = rows(token);
        let body = body(area, shown.spacing);
        let sums = summary(&shown.completion, usize::from(area.width).saturating_sub(3));
        let below = Below::of(body.height, rows.len(), shown.spacing, !sums.is_empty());
        self.pane(token, shown, (area, below == Below::None), buf, theme);
        let room = usize::from(body.height - below.rows());
        // The row under the cursor is always there.
        let choice = self.choice.min(rows.len() - 1);
        let first = (choice + 1).saturating_sub(room);
        let columns = RowColumns::of(&rows, usize::from(area.width), shown.spacing);
        for (nth, y) in (first..rows.len()).take(room).zip(body.y..) {
            row(&rows[nth], Rect { y, height: 1, ..body }, columns, nth == choice && shown.focus, buf, theme);
        }
        let line = |above: u16| Rect { y: body.bottom() - above, height: 1, ..body };
        if let Some(above) = below.other() {
            match share_covered(token) {
                Some(covered) => other(1.0 - covered, rows.len() > room, line(above), columns, buf, theme),
                None => put(line(above), columns.indent, unknown(token, self.at), theme.muted, buf),
            }
        }
        if below == Below::Sums {
            put(line(1), columns.indent, &sums, theme.muted, buf);
        }
        if below == Below::Keys {
            let keys: Vec<String> =
                shown.keys.named().iter().map(|hint| format!("{} {}", hint.key, hint.does)).collect();
            put(line(1), columns.indent, &keys.join("   "), theme.faint, buf);
        }
        // A title alone has no row for it.
        let row = choice.checked_sub(first)? as u16;
        (row < body.height).then(|| Position::new(body.x, body.y + row))
    }

    /// Draws the strip's background and title: which token, and at the right its figures; with `alone` also what all other
    /// tokens have, as no row says it.
    fn pane<T>(&self, token: &Token, shown: &Shown<T>, (area, alone): (Rect, bool), buf: &mut Buffer, theme: &Theme) {
        let (title, right) = self.title(token, shown, usize::from(area.width), alone);
        let surfaces = shown.spacing.has_surfaces();
        let (title, note) = match title.split_once(" · ").filter(|_| shown.spacing == Spacing::Roomy) {
            Some((title, note)) => (title, note),
            None => (title.as_str(), ""),
        };
        let right = if surfaces { right.replace(" · ", "   ") } else { right };
        let right_style = if surfaces { theme.faint } else { theme.text };
        let pane = Pane { title, note, right: &right, right_style, focus: shown.focus, surface: Surface::Panel };
        pane.render(area, buf, theme, shown.spacing);
    }

    /// Draws the tokens around the cursor in one row, coloured by probability, the one under the cursor between `▐` and `▌`;
    /// at the right what the looks mean, where there is room.
    pub fn passage(&self, area: Rect, buf: &mut Buffer, tokens: &[Token], theme: &Theme) {
        let at = self.at.min(tokens.len().saturating_sub(1));
        let Some(token) = tokens.get(at) else { return };
        let legend = legend(theme);
        let mut room = usize::from(area.width);
        if room > legend.width() + 60 {
            room -= legend.width() + 3;
            let x = area.right() - legend.width() as u16;
            buf.set_line(x, area.y, &legend, area.right() - x);
        }
        let look = |token: &Token| token.probability().and_then(|p| look(p, theme)).unwrap_or(theme.text);
        let mut spans = std::collections::VecDeque::from([Span::styled(
            cut(&format!("▐{}▌", name(&token.bytes)), room),
            theme.accent,
        )]);
        let (mut left, mut right, mut sides) = (at, at + 1, [0, 0]);
        room = room.saturating_sub(spans[0].width());
        // From both sides as evenly as there are tokens, as many as fit whole.
        loop {
            let before = left.checked_sub(1).filter(|_| sides[0] <= sides[1] || right == tokens.len());
            let next = before.unwrap_or(right);
            let Some(token) = tokens.get(next) else { break };
            let span = Span::styled(name(&token.bytes), look(token));
            let Some(left_over) = room.checked_sub(span.width()) else { break };
            room = left_over;
            sides[usize::from(before.is_none())] += span.width();
            if before.is_some() {
                left = next;
                spans.push_front(span);
            } else {
                right += 1;
                spans.push_back(span);
            }
        }
        buf.set_line(area.x, area.y, &Line::from(Vec::from(spans)), area.width);
    }

    /// Returns the words of the title, and those at its right.
    fn title<T>(&self, token: &Token, shown: &Shown<T>, width: usize, alone: bool) -> (String, String) {
        let (at, all) = (self.at.min(shown.tokens.len() - 1) + 1, shown.tokens.len());
        let (at, all) = (meter::count(at as u64), meter::count(all as u64));
        let narrow = width < 82;
        let place = if narrow { format!("{at}/{all}") } else { format!("{at} of {all}") };
        let name = quoted(&token.bytes);
        let title = format!("Token {place} · {name}");
        let right = match (token.probability(), token.logprob) {
            (Some(p), Some(logprob)) if !p.is_nan() && !narrow => {
                format!("p {} · logprob {}", share(p), signed(logprob, 2))
            }
            (Some(p), _) if !p.is_nan() => format!("p {}", share(p)),
            _ => "no figure".to_owned(),
        };
        if let Some(covered) = share_covered(token).filter(|_| alone) {
            let other = format!("other {:.2}", 1.0 - covered);
            let (short, tight) = (format!("{place} · {name}"), format!("{place} {name}"));
            let forms = [(&title, " · "), (&short, " · "), (&tight, ", ")];
            let mut forms = forms.map(|(title, dot)| (title.clone(), format!("{right}{dot}{other}"))).into_iter();
            // The rule's own signs, the blanks, and a line between the two.
            let signs = if shown.focus { 12 } else { 10 };
            let fits = |(title, right): &(String, String)| wrap::width(title) + wrap::width(right) + signs <= width;
            if let Some(form) = forms.find(fits) {
                return form;
            }
        }
        (title, right)
    }
}

/// Returns how much of the probability the alternatives have, with the token where it is none of them; `None`: nothing
/// is known.
fn share_covered(token: &Token) -> Option<f64> {
    let own = token.probability().filter(|probability| !probability.is_nan())?;
    let listed: f64 = token.top.iter().map(crate::record::Alternative::probability).filter(|p| !p.is_nan()).sum();
    let outside = if drawn(token).is_none() { own } else { 0.0 };
    (!token.top.is_empty()).then(|| (listed + outside).clamp(0.0, 1.0))
}

/// Returns the alternatives, and behind them the token itself, where it is none of them.
fn rows(token: &Token) -> Vec<Row<'_>> {
    let drawn = drawn(token);
    let mut rows: Vec<Row> = (0..)
        .zip(&token.top)
        .map(|(at, other)| Row {
            bytes: &other.bytes,
            probability: Some(other.probability()),
            drawn: drawn == Some(at),
        })
        .collect();
    if drawn.is_none() {
        rows.push(Row { bytes: &token.bytes, probability: token.probability(), drawn: true });
    }
    rows
}

/// Where the parts of a row stand, the same for all rows of a token.
#[derive(Clone, Copy)]
struct RowColumns {
    indent: usize,
    names: usize,
    bar: usize,
}

impl RowColumns {
    fn of(rows: &[Row], width: usize, spacing: Spacing) -> Self {
        let indent = if spacing == Spacing::Roomy { 4 } else { 2 };
        let longest = rows.iter().map(|row| wrap::width(&row_name(row.bytes))).max().unwrap_or(0);
        let names = longest.clamp(NAME.0, NAME.1).min(width.saturating_sub(indent + FIGURE));
        // Blanks, the figure, and the word for what was chosen with a blank at each side.
        let most = if width < LONG_BAR.1 { BAR } else { LONG_BAR.0 };
        let bar = width.saturating_sub(indent + names + 4 + FIGURE + 8).min(most);
        Self { indent, names, bar: if bar < 6 { 0 } else { bar } }
    }
}

/// What stands below the alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    None,
    /// All other tokens.
    Other,
    /// All other tokens, and the sums.
    Sums,
    /// All other tokens between blank rows, and the keys.
    Keys,
}

impl Below {
    /// What there is room for; it goes before the last alternatives do.
    fn of(height: u16, rows: usize, spacing: Spacing, sums: bool) -> Self {
        let spare = usize::from(height).saturating_sub(rows.clamp(1, 5));
        match (height, spare, spacing) {
            (..4, ..) | (_, 0, _) => Self::None,
            (_, 4.., Spacing::Roomy) => Self::Keys,
            (_, 1, _) => Self::Other,
            _ if !sums => Self::Other,
            _ => Self::Sums,
        }
    }

    fn rows(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Other => 1,
            Self::Sums => 2,
            Self::Keys => 4,
        }
    }

    /// How far above the end the row of all other tokens is.
    fn other(self) -> Option<u16> {
        match self {
            Self::None => None,
            Self::Other => Some(1),
            Self::Sums => Some(2),
            Self::Keys => Some(3),
        }
    }
}

/// Returns the rows below the title, as wide as the strip.
fn body(area: Rect, spacing: Spacing) -> Rect {
    let head = spacing.head(area.height).min(area.height);
    let end = u16::from(spacing == Spacing::Roomy && area.height > head + 4);
    Rect { y: area.y + head, height: area.height - head - end, ..area }
}

/// Draws the strip where there are no tokens: why.
fn empty<T>(shown: &Shown<T>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let pane = Pane {
        title: "Tokens",
        note: "",
        right: "",
        right_style: theme.muted,
        focus: shown.focus,
        surface: Surface::Panel,
    };
    pane.render(area, buf, theme, shown.spacing);
    let (body, indent) = (body(area, shown.spacing), usize::from(shown.spacing.side()).max(2));
    let width = usize::from(area.width).saturating_sub(2 * indent).max(1);
    for (line, y) in wrap::lines(shown.empty, width).into_iter().zip(body.y..body.bottom()) {
        put(Rect { y, height: 1, ..body }, indent, line, theme.muted, buf);
    }
}

fn row(row: &Row, line: Rect, columns: RowColumns, cursor: bool, buf: &mut Buffer, theme: &Theme) {
    if cursor {
        highlight(buf, line, theme, true);
    }
    let on = |style: Style| if cursor { theme.select.patch(style) } else { style };
    let (style, filled) = match (row.drawn, cursor) {
        (true, _) => (on(theme.text).add_modifier(Modifier::BOLD), on(theme.model)),
        (false, true) => (on(theme.text), on(theme.text)),
        (false, false) => (theme.muted, theme.muted),
    };
    let RowColumns { indent, names, bar } = columns;
    put(line, indent, &cut(&row_name(row.bytes), names), style, buf);
    let mut column = indent + names + 2;
    let Some(probability) = row.probability.filter(|probability| !probability.is_nan()) else {
        return put(line, column, "no probability", style, buf);
    };
    if bar > 0 {
        bar_at(line, column, bar, (probability, filled), buf, theme);
        column += bar + 2;
    }
    put(line, column - 1, &figure(probability), style, buf);
    if row.drawn {
        put(line, column + FIGURE + 1, "chosen", on(theme.faint), buf);
    }
}

/// Draws the row of all that is none of the rows: `share` of the probability; `more`: some rows have no room.
fn other(share: f64, more: bool, line: Rect, columns: RowColumns, buf: &mut Buffer, theme: &Theme) {
    let RowColumns { indent, names, bar } = columns;
    put(line, indent, &cut(if more { "other · ↑↓ more" } else { "other" }, names), theme.faint, buf);
    let mut column = indent + names + 2;
    if bar > 0 {
        bar_at(line, column, bar, (share, theme.faint), buf, theme);
        column += bar + 2;
    }
    put(line, column - 1, &figure(share), theme.faint, buf);
}

/// Returns a probability beside its bar, right-aligned: `0.41`, `<0.01`.
fn figure(probability: f64) -> String {
    let words = if (f64::MIN_POSITIVE..0.005).contains(&probability) {
        "<0.01".to_owned()
    } else {
        format!("{probability:.2}")
    };
    format!("{words:>5}")
}

/// Draws a bar of a share in a style into so many columns of a line.
fn bar_at(line: Rect, column: usize, columns: usize, (share, style): (f64, Style), buf: &mut Buffer, theme: &Theme) {
    let place = Rect { x: line.x + column as u16, width: columns as u16, ..line };
    bar::thin(share, place, buf, style, theme);
}

/// Writes words into a line from a column on.
fn put(line: Rect, column: usize, words: &str, style: Style, buf: &mut Buffer) {
    let width = usize::from(line.width);
    if column < width {
        buf.set_stringn(line.x + column as u16, line.y, words, width - column, style);
    }
}

/// Returns why nothing is known of what else might have stood there.
fn unknown(token: &Token, at: usize) -> &'static str {
    match token.probability().is_none_or(f64::is_nan) {
        true if at == 0 => "the first token has no probability: nothing comes before it",
        true => "the server sent no probability for this token",
        false => "the server sent only the token's own probability, and no alternatives",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Alternative;
    use crate::tabs::generation::score::Score;
    use crate::tabs::generation::strip::{StripKeys, UNSENT, WAITING};
    use crate::ui::theme::{Depth, Kind};

    fn drawn(strip: Strip, tokens: &[Token], empty: &str, (width, height): (u16, u16)) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        let completion = Score::of(tokens);
        let shown = Shown { tokens, empty, completion, focus: false, keys: StripKeys::All, spacing: Spacing::Lines };
        strip.render(area, &mut buf, &shown, &Theme::of(Kind::Mono, Depth::Indexed));
        let row = |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
        buf.content().chunks(usize::from(width)).map(|cells| row(cells).trim_end().to_owned()).collect()
    }

    fn music(bytes: &str, probability: f64) -> Vec<Token> {
        let top = [(" music", 0.41_f64), (" focus", 0.22), (" calm", 0.13), (" podcast", 0.08), (" silence", 0.05)];
        let top = top.map(|(text, p)| Alternative { bytes: text.into(), logprob: p.ln() }).to_vec();
        vec![Token { bytes: bytes.into(), logprob: Some(probability.ln()), top }]
    }

    #[test]
    fn a_token_with_its_alternatives_as_designed() {
        let tokens = music(" music", 0.41);
        let rows = drawn(Strip::new(0, &tokens), &tokens, "", (86, 8));
        assert_eq!(
            rows,
            [
                "── Token 1 of 1 · “ music” ───────────────────────────────── p 0.41 · logprob −0.89 ──",
                "   music      ━━━━━━━━━━━━━━━━────────────────────────  0.41    chosen",
                "   focus      ━━━━━━━━╾───────────────────────────────  0.22",
                "   calm       ━━━━━───────────────────────────────────  0.13",
                "   podcast    ━━━─────────────────────────────────────  0.08",
                "   silence    ━━──────────────────────────────────────  0.05",
                "  other       ━━━━────────────────────────────────────  0.11",
                "  completion 1 tok · Σ −0.9 · mean −0.89 · perplexity 2.44",
            ]
        );
        let medium = drawn(Strip::new(0, &tokens), &tokens, "", (80, 4));
        assert!(
            medium[0].starts_with("── Token 1/1 · “ music”") && medium[0].ends_with("p 0.41 · other 0.11 ──"),
            "{medium:?}"
        );
        assert!(medium[3].contains("   calm "), "{medium:?}");
        let narrow = drawn(Strip::new(0, &tokens), &tokens, "", (40, 2));
        assert!(narrow[1].contains("   music ") && narrow[1].contains("0.41"), "{narrow:?}");
        assert!(narrow[0].starts_with("── 1/1 “ music”") && narrow[0].ends_with("p 0.41, other 0.11 ──"), "{narrow:?}");
        for width in 1..60 {
            for height in 1..10 {
                drawn(Strip::new(0, &tokens), &tokens, "", (width, height));
            }
        }
    }

    #[test]
    fn what_was_drawn_against_the_odds_has_a_row_and_counts_as_covered() {
        let tokens = music(" noise", 0.01);
        let rows = drawn(Strip::new(0, &tokens), &tokens, "", (86, 9));
        assert!(rows[6].starts_with("   noise ") && rows[6].ends_with("0.01    chosen"), "{rows:?}");
        assert!(rows[7].starts_with("  other ") && rows[7].ends_with("0.10"), "{rows:?}");
        // With the cursor on it, it is there however little room there is.
        let rows = drawn(Strip::new(0, &tokens), &tokens, "", (86, 2));
        assert!(rows[1].starts_with("   noise "), "{rows:?}");
    }

    #[test]
    fn where_something_is_missing_it_says_so() {
        let none = drawn(Strip::default(), &[], UNSENT, (60, 4));
        assert_eq!(none[1], "  This server sent no probabilities.");
        assert_eq!(drawn(Strip::default(), &[], WAITING, (60, 4))[1], "  No token has come yet.");
        let bare = [
            Token { bytes: b"Once".to_vec(), ..Token::default() },
            Token { bytes: b" upon".to_vec(), logprob: Some(-0.5), top: Vec::new() },
        ];
        let first = drawn(Strip::new(0, &bare), &bare, "", (86, 8)).join("\n");
        assert!(first.contains("no figure") && first.contains("the first token has no probability"), "{first}");
        let own = drawn(Strip::new(1, &bare), &bare, "", (86, 8)).join("\n");
        assert!(own.contains("   upon ") && own.contains("0.61    chosen") && own.contains("no alternatives"), "{own}");
    }

    #[test]
    fn a_name_shows_where_it_ends() {
        assert_eq!([row_name(b" a"), row_name(b"a "), row_name(b""), row_name(b"  ")], [" a", "“a ”", "“”", "“  ”"]);
        let brace = vec![Token { bytes: b"\"}".to_vec(), logprob: Some(-0.1), top: Vec::new() }];
        let rows = drawn(Strip::new(0, &brace), &brace, "", (86, 8));
        assert!(rows[0].starts_with("── Token 1 of 1 · “\"}” ──"), "{rows:?}");
    }

    #[test]
    fn bytes_are_made_visible_and_safe() {
        assert_eq!(name(b" a\n"), " a␊");
        assert_eq!(name(b"\tx"), "⇥x");
        assert_eq!(name(&"日".as_bytes()[..2]), "⟨e6 97⟩");
        assert_eq!(name(b"\x1b[2J"), "␛[2J");
        assert_eq!(name("\u{202e}".as_bytes()), "⟨U+202E⟩");
    }
}

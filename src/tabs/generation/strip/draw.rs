//! Draws the strip.

use std::borrow::Borrow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::rows::{RowColumns, draw_more, draw_other, draw_row, put, rows, share_covered};
use super::token_name::{name, quoted};
use super::{Shown, Strip, look, looks};
use crate::record::Token;
use crate::tabs::generation::score::{share, signed, summary};
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{meter, wrap};

/// Returns the legend of a text coloured by probability, on one line.
pub fn legend(theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::styled("p", theme.muted)];
    for (words, look) in looks(theme) {
        spans.push(Span::raw(" "));
        spans.push(Span::styled(words, look));
    }
    Line::from(spans)
}

impl Strip {
    /// Draws the strip into an area of any height; a lower one has fewer alternatives. Returns the position of its
    /// cursor, if that is shown.
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
        // The row under the cursor is always shown.
        let choice = self.choice.min(rows.len() - 1);
        let first = (choice + 1).saturating_sub(room);
        let columns = RowColumns::of(&rows, usize::from(area.width), shown.spacing);
        for (nth, y) in (first..rows.len()).take(room).zip(body.y..) {
            draw_row(&rows[nth], Rect { y, height: 1, ..body }, columns, nth == choice && shown.focus, buf, theme);
        }
        let line = |above: u16| Rect { y: body.bottom() - above, height: 1, ..body };
        if below == Below::None && room > 0 {
            draw_more(rows.len().saturating_sub(first + room), line(1), columns, buf, theme);
        }
        if let Some(above) = below.rest_row_offset() {
            match share_covered(token) {
                Some(covered) => draw_other(1.0 - covered, rows.len() > room, line(above), columns, buf, theme),
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
        // Where only the title has room, no row has the cursor.
        let row = choice.checked_sub(first)? as u16;
        (row < body.height).then(|| Position::new(body.x, body.y + row))
    }

    /// Draws the strip's background and title: which token, and at the right its probability; with `alone` also that of
    /// all other tokens, as there is no row for it.
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

    /// Draws the tokens around the cursor in one row, coloured by probability, the one under the cursor between `▐` and
    /// `▌`; at the right a legend of the colours, where there is room.
    pub fn draw_context(&self, area: Rect, buf: &mut Buffer, tokens: &[Token], theme: &Theme) {
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
        // Tokens of both sides are added as evenly as possible, as many as fit whole.
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
            _ => "no value".to_owned(),
        };
        if let Some(covered) = share_covered(token).filter(|_| alone) {
            let other = format!("other {:.2}", 1.0 - covered);
            let (short, tight) = (format!("{place} · {name}"), format!("{place} {name}"));
            let forms = [(&title, " · "), (&short, " · "), (&tight, ", ")];
            let mut forms = forms.map(|(title, dot)| (title.clone(), format!("{right}{dot}{other}"))).into_iter();
            // The rule's own signs, the blanks, and some of the rule between the two.
            let signs = if shown.focus { 12 } else { 10 };
            let fits = |(title, right): &(String, String)| wrap::width(title) + wrap::width(right) + signs <= width;
            if let Some(form) = forms.find(fits) {
                return form;
            }
        }
        (title, right)
    }
}

/// What is shown below the alternatives.
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
    /// Returns the parts that there is room for; these are dropped before the last alternatives are.
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

    /// Returns how far above the end the row of all other tokens is.
    fn rest_row_offset(self) -> Option<u16> {
        match self {
            Self::None => None,
            Self::Other => Some(1),
            Self::Sums => Some(2),
            Self::Keys => Some(3),
        }
    }
}

/// Returns the area below the title, as wide as the strip.
fn body(area: Rect, spacing: Spacing) -> Rect {
    let head = spacing.head(area.height).min(area.height);
    let end = u16::from(spacing == Spacing::Roomy && area.height > head + 4);
    Rect { y: area.y + head, height: area.height - head - end, ..area }
}

/// Draws the strip where there are no tokens: it says why.
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

/// Returns why nothing is known of alternatives to a token.
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
        assert!(medium[3].contains("   calm ") && medium[3].ends_with("0.13           ↓ 2 more"), "{medium:?}");
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
        assert!(first.contains("no value") && first.contains("the first token has no probability"), "{first}");
        let own = drawn(Strip::new(1, &bare), &bare, "", (86, 8)).join("\n");
        assert!(own.contains("   upon ") && own.contains("0.61    chosen") && own.contains("no alternatives"), "{own}");
    }

    #[test]
    fn a_name_is_quoted_in_the_title() {
        let brace = vec![Token { bytes: b"\"}".to_vec(), logprob: Some(-0.1), top: Vec::new() }];
        let rows = drawn(Strip::new(0, &brace), &brace, "", (86, 8));
        assert!(rows[0].starts_with("── Token 1 of 1 · “\"}” ──"), "{rows:?}");
    }
}

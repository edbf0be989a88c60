//! A text that grows equals the complete text; and what is shown of it.

use proptest::prelude::*;

use super::*;

#[test]
fn a_listing_keeps_the_ends_of_its_lines() {
    let source = "x\r\n\r\n```rs\r\na\r\n\r\nb \r\n```\r\n\r\n> ```\r\n> c\r\n> d\n> ```\r\n\r\n```\ne\n\nf\n```\n";
    for mut doc in [Doc::whole(source), in_pieces(source)] {
        doc.refresh();
        let codes: Vec<_> = doc.codes().map(|(_, code)| code.text.raw().to_owned()).collect();
        assert_eq!(codes, ["a\r\n\r\nb \r\n", "c\r\nd\n", "e\n\nf\n"]);
    }
}

fn in_pieces(source: &str) -> Doc {
    let mut doc = Doc::default();
    for at in 0..source.len() {
        doc.push(&source[at..=at]);
        doc.refresh();
    }
    doc
}

const CORPUS: &str = "# Title\n\nA *para* with **bold**, `code` and [a link](https://example.com/x).\nSoft.  \nHard.\n\n\
    - one\n- two\n  - inner\n\n  loose\n- a\n*b* lazy\n\n1. first\n2. second\n\n   | x | y |\n   |---|---|\n   | 1 | 2 |\n\n   ```\n   in\n   ```\n\n> quoted\n> more\n>\n\
    > | q |\n> |---|\n> | r |\n\n```rust\nfn main() {\n\n\
    }\n```\nAfter.\n\n| a | 日本 |\n|---|---|\n| 1 | 2 |\n\n---\n\nSo \\(a\\_b^2\\) and $x$:\n\\[\n  a \\\\\n  - b\n\\]\n\n$$\nc\n$$\nat $5 and $6.\n\n~~~\ntilde\n```\n~~~\n\n<b>html</b>\n\n    indented\n\nend 👩‍👩‍👧‍👦";

fn same(left: &Doc, right: &Doc) -> Result<(), TestCaseError> {
    prop_assert_eq!(left.blocks().len(), right.blocks().len());
    for (left, right) in left.blocks().iter().zip(right.blocks()) {
        prop_assert!(left.same(right), "{:#?}\n{:#?}", left, right);
    }
    Ok(())
}

/// Pieces of Markdown and of formulas, and characters of one to four bytes.
const MARKS: [&str; 47] = [
    "\\",
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "    ",
    "\t",
    "|",
    "|-|-|\n",
    "| a | b |\n  |-|-|\n  ",
    "- ",
    "1. ",
    "> ",
    "# ",
    "---\n",
    "*",
    "**",
    "_",
    "~~",
    "[",
    "](",
    ")",
    "![",
    "<think>",
    "</think>",
    "<b>",
    "&amp;",
    "é",
    "漢",
    "\u{202e}",
    "🕴",
    "e\u{301}",
    "x",
    "5",
    "[^1]",
    "https://a.example/",
    "[x] ",
];

proptest! {
    #[test]
    fn in_pieces_it_is_the_same_as_at_once(cuts in proptest::collection::vec(0..CORPUS.len(), 0..60)) {
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| CORPUS.is_char_boundary(*at)).collect();
        cuts.sort_unstable();
        let (mut doc, mut from) = (Doc::default(), 0);
        for at in cuts.into_iter().chain([CORPUS.len()]) {
            doc.push(&CORPUS[from..at]);
            doc.refresh();
            from = at;
        }
        let mut whole = Doc::whole(CORPUS);
        whole.refresh();
        let lines = |doc: &mut Doc| {
            (0..doc.blocks().len()).for_each(|at| doc.wrap_block(at, 40));
            doc.blocks().iter().flat_map(|block| block.lines.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(lines(&mut doc), lines(&mut whole));
        doc.finish();
        doc.refresh();
        same(&doc, &whole)?;
    }

    #[test]
    fn any_text_in_any_pieces_is_the_same_as_at_once(
        pieces in proptest::collection::vec(proptest::sample::select(&MARKS[..]), 0..60),
        ends in proptest::collection::vec(any::<bool>(), 60),
        width in 1_usize..60,
    ) {
        let mut doc = Doc::default();
        for (piece, end) in pieces.iter().zip(ends) {
            doc.push(*piece);
            if end {
                doc.refresh();
                (0..doc.blocks().len()).for_each(|at| doc.wrap_block(at, width));
            }
        }
        doc.finish();
        doc.refresh();
        let mut whole = Doc::whole(pieces.concat());
        whole.refresh();
        same(&doc, &whole)?;
    }
}

#[test]
fn a_text_that_is_complete_keeps_no_room_for_more() {
    let mut doc = Doc::default();
    for _ in 0..70_000 {
        doc.push("a ");
    }
    doc.finish();
    assert_eq!(doc.source().capacity(), 140_000);
}

#[test]
fn code_is_copied_exactly() {
    let mut doc = Doc::new("- x\n  ```sh\n  a\tb\u{1b}[0m\n\n    c\n  ```\n\n```\nplain\n```\n");
    doc.refresh();
    assert_eq!(doc.code_block(0).map(Untrusted::raw), Some("a\tb\u{1b}[0m\n\n  c\n"));
    assert_eq!(doc.code_block(1).map(Untrusted::raw), Some("plain\n"));
    assert!(doc.blocks().iter().all(|block| block.lines.iter().all(|line| !line.text.contains('\u{1b}'))));
}

#[test]
fn a_long_tail_is_not_parsed_from_its_start() {
    let mut doc = Doc::default();
    for _ in 0..20_000 {
        doc.push("word and ");
        doc.refresh();
    }
    assert!(doc.source.len() - doc.settled_at <= LONGEST);
    let cut = doc.settled;
    doc.finish();
    assert!(cut > 1 && doc.blocks().len() == 1);
}

fn shown(source: &str) -> Vec<String> {
    let mut doc = Doc::whole(source);
    doc.refresh();
    doc.blocks().iter().flat_map(|block| &block.lines).map(|line| line.first.clone() + &line.text).collect()
}

#[test]
fn latex_is_shown_as_it_came_and_other_escapes_are_escapes() {
    let text = r"As \(a^2\_b\) and $x_1*y*z$ \*are\* \\(no\\).";
    assert_eq!(shown(text), [r"As \(a^2\_b\) and $x_1*y*z$ *are* \(no\)."]);
    assert_eq!(shown(r"It costs $5 and $6, *not* \$7."), ["It costs $5 and $6, not $7."]);
    let block = "So:\n\\[\n  x &= 1 \\\\\n  - y\n\\]\nand\nthen";
    assert_eq!(shown(block), ["So:", "\\[", "  x &= 1 \\\\", "  - y", "\\]", "and then"]);
    let nested = "- $$\n  a\n  $$\n\n> \\[\n> b | c\n> \\]";
    assert_eq!(shown(nested), ["• $$", "  a", "  $$", "▏ \\[", "▏ b | c", "▏ \\]"]);
    assert_eq!(shown("`\\(a\\)` and\n```\n\\(b\\)\n```"), ["`\\(a\\)` and", "", "│ \\(b\\)"]);
}

#[test]
fn a_dollar_ends_a_formula_only_on_its_own_line_and_in_its_own_cell() {
    assert_eq!(shown("It costs $5 only\nand $x_i *a* y_i$."), ["It costs $5 only and $x_i *a* y_i$."]);
    assert_eq!(shown("It costs $5\n$6 *or* so"), ["It costs $5 $6 or so"]);
    let long = format!("The $PATH *is* {} and $HOME", "long ".repeat(80));
    assert_eq!(shown(&long), [long.replace('*', "")]);
    let mut doc = Doc::whole("|$HOME|$PATH|\n|--|--|\n|$a *b* c$|$\\|x\\|$|\n");
    doc.refresh();
    doc.wrap_block(0, 80);
    let lines: Vec<&str> = doc.blocks()[0].lines.iter().map(|line| line.text.trim_end()).collect();
    assert_eq!(lines, ["$HOME     │ $PATH", "──────────┼────────", "$a *b* c$ │ $\\|x\\|$"]);
}

#[test]
fn latex_does_not_change_its_form_while_it_comes() {
    let source = "The sum \\(a\\_1 + b\\) is\n\\[\n  c \\\\\n  d\n\\]\n";
    let wanted = "The sum \\(a\\_1 + b\\) is\n\\[\n  c \\\\\n  d\n\\]";
    let mut doc = Doc::default();
    for at in 0..source.len() {
        doc.push(&source[at..=at]);
        doc.refresh();
        let lines = doc.blocks().iter().flat_map(|block| &block.lines);
        let now = lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        // A backslash at the end may still become a delimiter; then a line end before it counts.
        let now = now.trim_end_matches('\\').trim_end();
        assert!(wanted.starts_with(now), "{now:?}");
    }
}

#[test]
fn a_long_text_is_shown_as_it_came_after_its_first_part_and_keeps_no_lines() {
    let paragraph = "Some **bold** words.\n\n";
    let source = paragraph.repeat(2 * MARKDOWN / paragraph.len());
    let mut grown = Doc::default();
    for part in source.as_bytes().chunks(99_991) {
        grown.push(str::from_utf8(part).unwrap());
        grown.refresh();
    }
    grown.finish();
    for mut doc in [grown, Doc::whole(source.as_str())] {
        doc.refresh();
        let first = doc.blocks().iter().position(|block| block.piece).unwrap();
        assert_eq!(doc.blocks()[first - 1].lines[0].text, "Some bold words.");
        let mut at = doc.blocks()[first].source.start;
        assert!(at > MARKDOWN - 200 && at <= MARKDOWN, "{at}");
        for block in first..doc.blocks().len() {
            assert!(doc.blocks()[block].lines.is_empty() && doc.blocks()[block].source.start == at);
            doc.wrap_block(block, 80);
            at = doc.blocks()[block].source.end;
            assert_eq!(doc.blocks()[block].lines[0].text, "Some **bold** words.");
            doc.drop_block_rows(block);
        }
        assert_eq!(at, source.len());
    }
}

#[test]
fn tasks_have_boxes_instead_of_bullets() {
    assert_eq!(shown("- [x] done\n- [ ] open\n- plain"), ["[x] done", "[ ] open", "• plain"]);
    assert_eq!(shown("1. [x] first\n\n   more"), ["1. [x] first", "   ", "   more"]);
    assert_eq!(shown("- [x] one\n  - [ ] two\n    lazy"), ["[x] one", "    [ ] two lazy"]);
}

#[test]
fn footnotes_stand_behind_their_label() {
    let source = "A claim[^1] and another[^note].\n\n[^1]: The *proof*.\n\n    More of it.\n\n[^note]: A remark.";
    assert_eq!(
        shown(source),
        ["A claim[1] and another[note].", "[1] The proof.", "    ", "    More of it.", "[note] A remark."]
    );
    assert_eq!(shown("Match [^a-z] and[^2]."), ["Match [^a-z] and[^2]."], "there is no such footnote");
}

#[test]
fn text_struck_through_has_two_tildes_at_its_ends() {
    let mut doc = Doc::whole("~~old *text*~~ new, 3~5 days and 10~20 days, ~one~");
    doc.refresh();
    let line = &doc.blocks()[0].lines[0];
    assert_eq!(line.text, "old text new, 3~5 days and 10~20 days, ~one~");
    let struck = line.roles.iter().filter(|(_, role)| role.struck).map(|(range, _)| &line.text[range.clone()]);
    assert_eq!(struck.collect::<String>(), "old text");
}

#[test]
fn lines_of_a_diff_are_what_they_do_also_while_it_comes() {
    let source = "```diff\n@@ -1 +1 @@\n-old\n+new\n same\n```\n";
    for mut doc in [Doc::whole(source), in_pieces(source)] {
        doc.refresh();
        let kind = |line: &Line| line.roles.first().map(|(_, role)| role.kind);
        let kinds: Vec<_> = doc.blocks()[0].lines[1..].iter().map(kind).collect();
        assert_eq!(kinds, [Kind::Hunk, Kind::Removed, Kind::Added, Kind::Code].map(Some));
        doc.finish();
        doc.refresh();
        assert!(doc.uncoloured(0).is_none(), "no other colours come over these");
    }
    let mut other = Doc::whole("```\n+ no diff\n```");
    other.refresh();
    assert_eq!(other.blocks()[0].lines[1].roles[0].1, Role::of(Kind::Code));
}

#[test]
fn colours_land_on_their_lines() {
    let mut doc = Doc::whole("```rust\nlet a;\n// b\n```");
    doc.refresh();
    assert!(doc.uncoloured(0).is_some() && doc.uncoloured(1).is_none());
    doc.set_tints(0, &[(0..3, Tint::Keyword), (7..11, Tint::Comment)]);
    assert_eq!(doc.blocks()[0].lines[2].roles, [(0..4, Role::of(Kind::Tint(Tint::Comment)))]);
    assert!(doc.uncoloured(0).is_none());
}

//! As much of Rust as is needed to see which modules a file names.

/// A piece of source; strings, numbers, comments and lifetimes are none.
#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    Ident(String),
    Punct(char),
}

impl Token {
    pub fn ident(&self) -> Option<&str> {
        match self {
            Self::Ident(name) => Some(name),
            Self::Punct(_) => None,
        }
    }
}

/// Tokens with their lines.
pub type Tokens = Vec<(usize, Token)>;

pub fn tokens(text: &str) -> Tokens {
    let mut tokens = Tokens::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            length
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if !c.is_numeric() {
                tokens.push((line, Token::Ident(rest[..end].to_owned())));
            }
            end
        } else {
            if !c.is_whitespace() {
                tokens.push((line, Token::Punct(c)));
            }
            c.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            match rest.chars().next() {
                Some(c) => at += c.len_utf8(),
                None => return at,
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

/// Returns the length of the string, character or lifetime at the start of the text.
fn string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            rest.starts_with(['"', '\'']) || (prefix.ends_with('r') && rest.trim_start_matches('#').starts_with('"'))
        })
    })?;
    let rest = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        let body = rest.get(hashes + 1..)?;
        return Some(prefix.len() + hashes + 1 + body.find(&end).map_or(body.len(), |at| at + end.len()));
    }
    let quote = rest.chars().next()?;
    let mut chars = rest.char_indices().skip(1).peekable();
    if quote == '\'' {
        let (_, first) = *chars.peek()?;
        let second = rest.chars().nth(2);
        if first != '\\' && second != Some('\'') {
            // A lifetime: up to the end of its name.
            let name = rest[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len() - 1);
            return Some(prefix.len() + 1 + name);
        }
    }
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return Some(prefix.len() + at + 1);
        }
    }
    Some(text.len())
}

fn is(tokens: &[(usize, Token)], at: usize, c: char) -> bool {
    tokens.get(at).is_some_and(|(_, token)| *token == Token::Punct(c))
}

/// Returns the first names after the `::` at `at`: one of a path, several of a group.
pub fn children(tokens: &[(usize, Token)], at: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if !(is(tokens, at, ':') && is(tokens, at + 1, ':')) {
        return found;
    }
    let at = at + 2;
    if !is(tokens, at, '{') {
        found.extend(name(tokens, at));
        return found;
    }
    let mut depth = 0;
    for here in at..tokens.len() {
        match &tokens[here].1 {
            Token::Punct('{') => depth += 1,
            Token::Punct('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && (here == at || is(tokens, here, ',')) && !is(tokens, here + 1, '}') {
            found.extend(name(tokens, here + 1));
        }
    }
    found
}

fn name(tokens: &[(usize, Token)], at: usize) -> Option<(usize, String)> {
    match tokens.get(at)? {
        (line, Token::Ident(name)) => Some((*line, name.clone())),
        (line, Token::Punct(c)) => Some((*line, c.to_string())),
    }
}

/// Returns the top-level modules that a file of module `module` names by `crate::…` or `super::…`, with their lines. A
/// path that cannot be followed (`crate::*`, `crate as x`) is returned unchanged.
pub fn reaches(tokens: &[(usize, Token)], module: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // Depths at which modules inside the file were opened.
    let mut inner: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        match &tokens[start].1 {
            Token::Punct('{') => {
                depth += 1;
                let opens =
                    start >= 2 && tokens[start - 2].1.ident() == Some("mod") && tokens[start - 1].1.ident().is_some();
                if opens {
                    inner.push(depth);
                }
            }
            Token::Punct('}') => {
                if inner.last() == Some(&depth) {
                    inner.pop();
                }
                depth = depth.saturating_sub(1);
            }
            Token::Ident(word) if word == "crate" => {
                if tokens.get(at).and_then(|(_, token)| token.ident()) == Some("as") {
                    found.push((tokens[start].0, "crate as".to_owned()));
                }
                found.extend(children(tokens, at));
            }
            Token::Ident(word) if word == "super" => {
                let mut ups = 1;
                while is(tokens, at, ':')
                    && is(tokens, at + 1, ':')
                    && tokens.get(at + 2).and_then(|(_, token)| token.ident()) == Some("super")
                {
                    ups += 1;
                    at += 3;
                }
                if ups >= module.len() + inner.len() {
                    found.extend(children(tokens, at));
                }
            }
            _ => {}
        }
    }
    found
}

//! An answer as a JSON object, where one was asked for: `{"answer": "…"}`. The small models write text, not JSON.

use tokio::sync::mpsc;

use super::generate::Piece;
use super::limits::AHEAD;

const BEFORE: &str = "{\"answer\": \"";
const AFTER: &str = "\"}";

/// Wraps the parts of so many choices: their texts become the value of an object.
pub(super) fn wrap(choices: u32, mut pieces: mpsc::Receiver<Piece>) -> mpsc::Receiver<Piece> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let mut begun = vec![false; choices as usize];
        loop {
            // The reader may be gone: dropping the receiver stops the engine.
            let piece = tokio::select! {
                piece = pieces.recv() => piece,
                () = sender.closed() => return,
            };
            let Some(mut piece) = piece else { return };
            let before = if std::mem::replace(&mut begun[piece.choice as usize], true) { "" } else { BEFORE };
            let after = if piece.end.is_some() { AFTER } else { "" };
            piece.text = format!("{before}{}{after}", escaped(&piece.text));
            if sender.send(piece).await.is_err() {
                return;
            }
        }
    });
    receiver
}

/// Escapes a text for a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a text is always JSON");
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::generate::End;
    use super::*;
    use crate::engine::language::Finish;

    #[tokio::test]
    async fn each_choice_is_an_object_whatever_its_text_holds() {
        let (sender, pieces) = mpsc::channel(8);
        let end = Some(End { finish: Finish::Length, tokens: 2, mean: 0.0 });
        let piece = |choice, text: &str, end| Piece { choice, text: text.to_owned(), tokens: Vec::new(), end };
        for piece in [piece(0, "say \"hi\"", None), piece(1, "", end), piece(0, "\n\tend\\", end)] {
            sender.send(piece).await.unwrap();
        }
        drop(sender);
        let mut wrapped = wrap(2, pieces);
        let mut texts = [String::new(), String::new()];
        while let Some(piece) = wrapped.recv().await {
            texts[piece.choice as usize].push_str(&piece.text);
        }
        let read = texts.map(|text| serde_json::from_str::<Value>(&text).unwrap());
        assert_eq!(read, [json!({"answer": "say \"hi\"\n\tend\\"}), json!({"answer": ""})]);
    }
}

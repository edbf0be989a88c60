//! What goes to the server besides texts: fields of JSON from the editor, with what the answer does not keep to on the
//! screen, and pictures.

use serde_json::json;

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{answer, script};

const SCHEMA: &str = r#"{"title": "person", "type": "object", "properties": {"age": {"type": "integer"}}}"#;

/// Starts a bench whose editor writes this text, with the cursor of the parameter panel on the further fields.
fn panel(server: &Server, written: &str) -> Bench {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("written"), written).unwrap();
    let editor = script(home.path(), "editor", "cat \"$HOME/written\" > \"$1\"").join("editor");
    let args = ["--base-url", &server.url, "--model", "m"];
    let env = [("EDITOR", editor.to_str().unwrap())];
    let mut bench = Bench::with(Setup { args: &args, env: &env, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench.send("\x14");
    bench.wait("Temperature");
    bench.send("Gk");
    bench.wait("▌  Further fields");
    bench
}

#[test]
fn a_schema_from_the_editor_is_sent_and_the_answer_checked_against_it() {
    let server = Server::start();
    let mut bench = panel(&server, SCHEMA);
    bench.send("k");
    bench.wait("▌  Answer format");
    bench.send("\r");
    bench.wait("schema person");
    bench.send("\x1b");
    bench.wait_gone("schema person");
    bench.type_in("Who is it?");
    bench.send("\r");
    let mut asked = server.asked();
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let format = json!({"name": "person", "strict": true, "schema": schema});
    assert_eq!(asked.body["response_format"], json!({"type": "json_schema", "json_schema": format}));
    asked.open();
    asked.token("{\"age\": \"old\"}");
    asked.finish();
    bench.wait("! /age: \"old\" is not of type \"integer\"");
}

#[test]
fn a_field_that_is_no_json_is_told_with_its_place_and_nothing_is_sent() {
    let server = Server::start();
    let mut bench = panel(&server, "{\n  \"verbosity\": low\n}\n");
    bench.send("\r");
    bench.wait("✕ line 2");
    bench.send("\x1b");
    bench.wait_gone("Further fields");
    bench.type_in("Who is it?");
    bench.send("\r");
    bench.wait("not sent: Further fields: expected value at line 2");
    bench.wait("column 16");
    bench.send("\x1b");
    bench.wait_gone("not sent: ");
    // Set back, it is not in the way, and the message is still there.
    bench.send("\x14");
    bench.wait("✕ line 2");
    bench.send("0");
    bench.wait_gone("✕ line 2");
    bench.send("\x1b");
    bench.wait_gone("▌  Further fields");
    bench.send("\r");
    let asked = server.asked();
    assert_eq!((asked.last(), asked.body.get("verbosity")), (("user", "Who is it?"), None), "the first that was sent");
}

#[test]
fn a_picture_goes_to_the_server_as_a_part_of_the_message() {
    let server = Server::start();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("cat.gif"), b"GIF89a").unwrap();
    let args = ["--base-url", &server.url, "--model", "m"];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench.type_in("What is in @~/cat.gif");
    bench.wait("[cat.gif · 6 B · ~765 tok]");
    bench.send("\r");
    let asked = server.asked();
    let content = &asked.body["messages"][0]["content"];
    assert_eq!(content[1], json!({"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lGODlh"}}));
    bench.wait("[image/gif · 6 B]");
}

#[test]
fn an_image_is_drawn_by_the_protocol_of_the_terminal() {
    let server = Server::start();
    let mut png = std::io::Cursor::new(Vec::new());
    // Each pixel has its own colour: characters of one colour are blanks.
    let picture = image::RgbImage::from_fn(40, 20, |x, y| image::Rgb([240 - y as u8 * 12, x as u8 * 6, 0]));
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    for (env, begins) in [
        (("TERM", "xterm-kitty"), &b"\x1b_G"[..]),
        (("TERM_PROGRAM", "iTerm.app"), b"\x1b]1337;File="),
        (("TERM", "foot"), b"\x1bP"),
    ] {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("cat.png"), png.get_ref()).unwrap();
        let args = ["--base-url", &server.url, "--model", "m"];
        let mut bench = Bench::with(Setup { args: &args, env: &[env], home: Some(home), ..Setup::default() });
        bench.wait("▐1");
        bench.type_in("What is in @~/cat.png");
        bench.wait("[cat.png · ");
        bench.send("\r");
        answer(&mut bench, server.asked(), "A cat.");
        bench.send("\x1b");
        bench.wait("regenerate");
        bench.send("kk");
        bench.wait("images");
        let from = bench.bytes.len();
        bench.send("I");
        // The screen of the test draws no images: the bytes are compared.
        bench.wait_bytes(from, b"pixels");
        bench.wait_bytes(from, begins);
        bench.send("q");
        bench.send("\x11");
        assert_eq!(bench.ended(), 0, "{env:?}");
    }
}

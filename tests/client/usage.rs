//! What servers say an answer used, in each form they say it in.

use benchtop::api::call::{Progress, Reply};
use benchtop::api::usage::Usage;

use crate::server::{FIRST, LAST, Server, call, chat, next};

/// Returns the usage that the client reports for a stream with this one.
async fn told(usage: &str) -> Usage {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(true));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    asked.write(&format!("{FIRST}{LAST}data: {{\"choices\":[],\"usage\":{usage}}}\n\ndata: [DONE]\n\n")).await;
    drop(asked);
    let mut found = None;
    loop {
        match next(&mut news).await {
            Progress::Reply(Reply::ChatChunk(chunk)) => found = chunk.usage.or(found),
            Progress::Closed(end) => {
                assert_eq!(end, Ok(()), "{usage}");
                return found.expect("a usage");
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn counts_and_costs_come_as_servers_write_them() {
    let plain = Usage { prompt_tokens: 12, completion_tokens: Some(5), total_tokens: 17, ..Usage::default() };
    for usage in [
        r#"{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17}"#,
        r#"{"prompt_tokens":12.0,"completion_tokens":5.0,"total_tokens":1.7e1}"#,
    ] {
        assert_eq!(told(usage).await, plain, "{usage}");
    }
    for (cost, nano) in [("0.00014", 140_000), ("\"0.00014\"", 140_000), ("0", 0)] {
        let usage = format!(
            "{{\"prompt_tokens\":194,\"completion_tokens\":2,\"cost\":{cost},\
             \"prompt_tokens_details\":{{\"cached_tokens\":128.0}}}}"
        );
        let found = told(&usage).await;
        assert_eq!((found.cost_nano, found.cached_tokens()), (Some(nano), 128), "{usage}");
    }
    let odd = told(r#"{"prompt_tokens":-1,"completion_tokens":1e300,"total_tokens":1.5,"cost":-2}"#).await;
    assert_eq!(odd, Usage::default());
}

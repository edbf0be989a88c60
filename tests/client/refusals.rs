//! How servers word the refusal of a field, as users of these servers have reported it.

use benchtop::api::capability::Adaptation;
use serde_json::{Value, json};

/// How a server words a refusal, and what becomes of the request.
#[derive(Clone)]
pub struct Wording {
    pub server: &'static str,
    pub status: &'static str,
    pub body: Value,
    pub changes: Vec<Adaptation>,
}

pub const BAD: &str = "400 Bad Request";
pub const UNPROCESSABLE: &str = "422 Unprocessable Entity";

pub fn omitted(field: &str) -> Adaptation {
    Adaptation::Omitted(field.to_owned())
}

pub fn renamed(field: &str, to: &str) -> Adaptation {
    Adaptation::Renamed { field: field.to_owned(), to: to.to_owned() }
}

/// An error as OpenAI and most others write it.
pub fn error(message: &str, param: Option<&str>, code: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
}

/// OpenAI's and Azure's words of a field that a model does not take.
fn unsupported(field: &str) -> Value {
    let message = format!("Unsupported parameter: '{field}' is not supported with this model.");
    error(&message, Some(field), "unsupported_parameter")
}

/// vLLM's words of a field that it does not know, with the error at the top or where others have it.
pub fn extra(field: &str, input: &str) -> [Value; 2] {
    let message = format!(
        "[{{'type': 'extra_forbidden', 'loc': ('body', '{field}'), 'msg': 'Extra inputs are not permitted', 'input': {input}}}]"
    );
    let error = json!({"message": message, "type": "BadRequestError", "param": null, "code": 400});
    let mut old = error.clone();
    old["object"] = json!("error");
    [old, json!({"error": error})]
}

/// llama.cpp's words of a field that it does not have.
fn llama_cpp(field: &str) -> Value {
    json!({"error": {"code": 400, "message": format!("Unsupported param: {field}"), "type": "invalid_request_error"}})
}

/// Ollama's words of a field that it does not know.
fn ollama(field: &str) -> Value {
    error(&format!("json: unknown field \"{field}\""), None, "")
}

/// The answers of Mistral to a field that it does not know, the oldest first.
fn mistral(field: &str, input: Value) -> [Value; 3] {
    let one = json!({
        "type": "extra_forbidden", "loc": ["body", field], "msg": "Extra inputs are not permitted", "input": input,
    });
    let detail = json!({ "detail": [one] });
    let rest = |message: Value| json!({"object": "error", "message": message, "type": "invalid_request_error", "param": null, "code": null});
    let twice =
        json!({"object": "Error", "detail": [one], "message": [one], "type": "invalid_request_error", "code": 3001});
    [rest(detail.to_string().into()), rest(detail), twice]
}

/// Google's words of fields that it does not know.
fn google(fields: &[&str]) -> Value {
    let unknown = |field: &&str| format!("Invalid JSON payload received. Unknown name \"{field}\": Cannot find field.");
    let lines: Vec<String> = fields.iter().map(unknown).collect();
    let violations: Vec<Value> = lines.iter().map(|line| json!({ "description": line })).collect();
    let details = json!([{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations}]);
    json!([{"error": {"code": 400, "message": lines.join("\n"), "status": "INVALID_ARGUMENT", "details": details}}])
}

/// LiteLLM's words of fields that a provider does not take.
pub fn litellm(fields: &str) -> Value {
    let message = format!(
        "litellm.UnsupportedParamsError: gemini does not support parameters: {fields}, for model=m. To drop these, set \
         `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these params \
         dynamically send allowed_openai_params={fields} in your request."
    );
    json!({"error": {"message": message, "type": "None", "param": "None", "code": "400"}})
}

/// What OpenAI, Azure, vLLM and LiteLLM say.
fn reported_wordings() -> Vec<Wording> {
    let wording = |server, body, changes| Wording { server, status: BAD, body, changes };
    let to_completion = || vec![renamed("max_tokens", "max_completion_tokens")];
    let [vllm_seed, _] = extra("seed", "7");
    let max_tokens =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let temperature = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.";
    let mut with_callstack = error(max_tokens, Some("max_tokens"), "unsupported_parameter");
    with_callstack["error"]["callstack"] = json!("  File \"/usr/local/bin/gunicorn\", line 8, in <module>\n");
    let not_allowed = error("You are not allowed to request logprobs from this model.", None, "");
    vec![
        wording("OpenAI", error(max_tokens, Some("max_tokens"), "unsupported_parameter"), to_completion()),
        wording("OpenAI", error(temperature, Some("temperature"), "unsupported_value"), vec![omitted("temperature")]),
        wording("OpenAI", unsupported("top_p"), vec![omitted("top_p")]),
        wording("OpenAI", unsupported("presence_penalty"), vec![omitted("presence_penalty")]),
        wording("OpenAI", unsupported("frequency_penalty"), vec![omitted("frequency_penalty")]),
        wording("OpenAI", unsupported("logprobs"), vec![omitted("logprobs")]),
        wording(
            "OpenAI",
            error("logprobs are not supported with reasoning models.", Some("include"), "unsupported_parameter"),
            vec![omitted("logprobs")],
        ),
        Wording { server: "OpenAI", status: "403 Forbidden", body: not_allowed, changes: vec![omitted("logprobs")] },
        wording(
            "OpenAI",
            error("Unrecognized request argument supplied: stream_options", None, ""),
            vec![omitted("stream_options")],
        ),
        wording("Azure", with_callstack, to_completion()),
        wording("Azure", error(temperature, Some("temperature"), "unsupported_value"), vec![omitted("temperature")]),
        wording("Azure", unsupported("top_p"), vec![omitted("top_p")]),
        wording("Azure", unsupported("presence_penalty"), vec![omitted("presence_penalty")]),
        wording("Azure", unsupported("frequency_penalty"), vec![omitted("frequency_penalty")]),
        wording(
            "Azure",
            json!({"error": {
                "message": "logprobs, best_of and echo parameters are not available on this model. Please remove the parameter and try again.",
                "type": null, "param": null, "code": "BadRequest",
            }}),
            vec![omitted("logprobs")],
        ),
        wording(
            "Azure",
            error(
                "Unrecognized request argument supplied: stream_options. Please contact us through an Azure support request \
                 at: https://go.microsoft.com/fwlink/?linkid=2213926 for further questions.",
                Some(""),
                "",
            ),
            vec![omitted("stream_options")],
        ),
        wording(
            "Azure",
            error("Unknown parameter: 'stream_options'.", Some("stream_options"), "unknown_parameter"),
            vec![omitted("stream_options")],
        ),
        Wording { server: "vLLM", status: UNPROCESSABLE, body: vllm_seed, changes: vec![omitted("seed")] },
        wording(
            "vLLM",
            json!({"error": {
                "message": "Gaudi doesn't support logprobs. Please remove 'logprobs'/'top_logprobs' from your request to receive a response.",
                "type": "BadRequestError", "param": null, "code": 400,
            }}),
            vec![omitted("logprobs"), omitted("top_logprobs")],
        ),
        // The second field is left out with the first, so the refusal is of no combination.
        wording(
            "a server that names both",
            error("logprobs and top_logprobs are not supported.", Some("logprobs"), ""),
            vec![omitted("logprobs")],
        ),
        wording("LiteLLM", litellm("['temperature']"), vec![omitted("temperature")]),
        wording("LiteLLM", litellm("['max_tokens']"), to_completion()),
        wording("LiteLLM", litellm("['top_p']"), vec![omitted("top_p")]),
        wording(
            "LiteLLM",
            litellm("['frequency_penalty', 'presence_penalty']"),
            vec![omitted("frequency_penalty"), omitted("presence_penalty")],
        ),
        wording("LiteLLM", litellm("['logprobs']"), vec![omitted("logprobs")]),
        wording("LiteLLM", litellm("['stream_options']"), vec![omitted("stream_options")]),
        // What another server said, handed on.
        wording(
            "LiteLLM",
            json!({"error": {
                "message": format!(
                    "litellm.BadRequestError: OpenAIException - Error code: 400 - {{'error': {{'message': \"{max_tokens}\", \
                     'type': 'invalid_request_error', 'param': 'max_tokens', 'code': 'unsupported_parameter'}}}}\n\
                     Received Model Group=m\nAvailable Model Group Fallbacks=None"
                ),
                "type": null, "param": null, "code": "400",
            }}),
            to_completion(),
        ),
        // The server behind it is not asked for a stream.
        wording(
            "LiteLLM",
            json!({"error": {
                "message": "litellm.BadRequestError: OpenAIException - Error code: 400 - {'error': {'message': \"The \
                            'stream_options' parameter is only allowed when 'stream' is enabled.\", 'type': \
                            'invalid_request_error', 'param': 'stream_options', 'code': None}}",
                "type": null, "param": null, "code": "400",
            }}),
            vec![omitted("stream_options")],
        ),
        wording(
            "LiteLLM",
            error("litellm.BadRequestError: Stream options can only be defined when `stream=True`.", None, "400"),
            vec![omitted("stream_options")],
        ),
    ]
}

/// The servers that have the same words for every field.
fn uniform_wordings() -> Vec<Wording> {
    let mut all = Vec::new();
    for (field, input) in [
        ("max_tokens", json!(5)),
        ("temperature", json!(0.2)),
        ("logprobs", json!(true)),
        ("stream_options", json!({"include_usage": true})),
        ("frequency_penalty", json!(0.5)),
        ("seed", json!(7)),
        ("user", json!("u")),
    ] {
        let change = match field {
            "max_tokens" => renamed("max_tokens", "max_completion_tokens"),
            field => omitted(field),
        };
        let mut add = |server, status, body| all.push(Wording { server, status, body, changes: vec![change.clone()] });
        for body in extra(field, &input.to_string()) {
            add("vLLM", BAD, body);
        }
        add("llama.cpp", BAD, llama_cpp(field));
        add("Ollama", BAD, ollama(field));
        for body in mistral(field, input) {
            add("Mistral", UNPROCESSABLE, body);
        }
        add("Google", BAD, google(&[field]));
        add("Groq", BAD, error(&format!("property '{field}' is unsupported"), None, ""));
    }
    all
}

/// What other servers were reported to say.
fn further_wordings() -> Vec<Wording> {
    let wording = |server, body, changes| Wording { server, status: BAD, body, changes };
    let xai = |message: &str| json!({"code": "Client specified an invalid argument", "error": message});
    vec![
        wording("Google", google(&["frequency_penalty", "seed"]), vec![omitted("frequency_penalty"), omitted("seed")]),
        wording("Groq", error("`logprobs` is not supported with this model", None, ""), vec![omitted("logprobs")]),
        wording(
            "Groq",
            error("property 'seed' is unsupported, did you mean 'temperature'?", None, ""),
            vec![omitted("seed")],
        ),
        wording("xAI", xai("Argument not supported on this model: presencePenalty"), vec![omitted("presence_penalty")]),
        wording("xAI", xai("Model m does not support parameter frequencyPenalty."), vec![omitted("frequency_penalty")]),
        wording(
            "Venice",
            json!({"error": [{
                "code": "unrecognized_keys", "keys": ["stream_options"], "path": [],
                "message": "Unrecognized key(s) in object: 'stream_options'",
            }]}),
            vec![omitted("stream_options")],
        ),
        wording("a proxy of Azure", json!({"detail": "Unsupported parameter: top_p"}), vec![omitted("top_p")]),
    ]
}

/// Every wording of a refused field of a chat.
pub fn wordings() -> Vec<Wording> {
    [reported_wordings(), uniform_wordings(), further_wordings()].concat()
}

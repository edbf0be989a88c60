//! Typical files.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{Live, read_curves};
use crate::api::job::JobEvent;
use crate::record::curves::{Curves, Figure, Of};

fn read(bytes: impl AsRef<[u8]>) -> Curves {
    read_curves("a.csv".into(), bytes.as_ref(), &mut |_| true)
}

fn notes(curves: &Curves) -> Vec<String> {
    curves.notes.iter().map(|note| note.line().into_owned()).collect()
}

fn points(curves: &Curves, name: &str) -> Vec<(f64, f64)> {
    curves.curves.iter().find(|curve| curve.name == name).map(|curve| curve.points.clone()).unwrap_or_default()
}

const LEGACY: &str = "step,elapsed_tokens,elapsed_examples,training_loss,training_sequence_accuracy,\
training_token_accuracy,validation_loss,validation_sequence_accuracy,validation_token_accuracy\n\
1,22048,32,0.0110190,0.0,0.0,,,\n\
2,44096,64,0.0100000,0.25,0.5,0.02,0.0,0.25\n\
3,66144,96,0.0090000,0.5,0.75,-1,-1,-1\n";

#[test]
fn a_result_file_of_the_legacy_interface() {
    let curves = read(LEGACY);
    assert_eq!(notes(&curves), [""; 0]);
    assert_eq!(curves.rows, 3);
    assert_eq!(points(&curves, "training_loss"), [(1.0, 0.011_019), (2.0, 0.01), (3.0, 0.009)]);
    assert_eq!(points(&curves, "validation_loss"), [(2.0, 0.02)], "empty cells and -1 are no values");
    assert_eq!(points(&curves, "elapsed_tokens"), [(1.0, 22_048.0), (2.0, 44_096.0), (3.0, 66_144.0)]);
    let figures: Vec<Figure> = curves.curves.iter().map(|curve| curve.figure).collect();
    use Figure::{ElapsedExamples, ElapsedTokens, Loss, Sequences, Tokens};
    let of = |of| [Loss(of), Sequences(of), Tokens(of)];
    let all = [[ElapsedTokens, ElapsedExamples].as_slice(), &of(Of::Training), &of(Of::Validation)].concat();
    assert_eq!(figures, all);
    assert_eq!(curves.head.len(), 4);
    assert_eq!(curves.head[0][0].line(), "step");
}

#[test]
fn a_result_file_of_today_with_other_separators_and_a_mark() {
    let text = "step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy\n\
1,1.5,0.5,,\n2,1.25,0.625,1.75,0.375\n";
    let plain = read(text);
    assert_eq!(notes(&plain), [""; 0]);
    assert_eq!(points(&plain, "train_loss"), [(1.0, 1.5), (2.0, 1.25)]);
    assert_eq!(plain.curves[3].figure, Figure::Tokens(Of::Validation));
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let encoded = BASE64_STANDARD.encode(text);
    let lined =
        encoded.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line)).collect::<Vec<_>>().join("\r\n");
    let forms = [
        text.replace(',', ";").into_bytes(),
        text.replace(',', "\t").into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
        text.replace('.', ",")
            .replace(',', ";")
            .replace("1;5", "1,5")
            .replace("0;5", "0,5")
            .replace("1;25", "1,25")
            .replace("0;625", "0,625")
            .replace("1;75", "1,75")
            .replace("0;375", "0,375")
            .into_bytes(),
        wide,
        encoded.clone().into_bytes(),
        format!("\"{encoded}\"\n").into_bytes(),
        lined.into_bytes(),
        BASE64_STANDARD.encode(format!("\u{feff}{text}")).into_bytes(),
    ];
    for form in forms {
        let read = read(&form);
        assert_eq!((&read.curves, read.rows), (&plain.curves, 2), "{}", String::from_utf8_lossy(&form));
    }
}

#[test]
fn classifications() {
    let many = "step,elapsed_tokens,elapsed_examples,training_loss,training_sequence_accuracy,training_token_accuracy,\
classification/accuracy,classification/weighted_f1_score\n1,10,1,0.5,0.0,0.0,,\n2,20,2,0.25,1.0,1.0,0.75,0.7\n";
    let curves = read(many);
    assert_eq!(notes(&curves), [""; 0]);
    assert_eq!(points(&curves, "classification/weighted_f1_score"), [(2.0, 0.7)]);
    let binary = "step,elapsed_tokens,elapsed_examples,training_loss,training_sequence_accuracy,training_token_accuracy,\
classification/accuracy,classification/precision,classification/recall,classification/auroc,classification/auprc,\
classification/f1.0,classification/f0.5\n1,10,1,0.5,0.0,0.0,-1,-1,-1,-1,-1,-1,-1\n2,20,2,0.25,1.0,1.0,.75,.5,1,.9,.8,.66,.6\n";
    let curves = read(binary);
    assert_eq!(notes(&curves), [""; 0]);
    assert_eq!(points(&curves, "classification/f0.5"), [(2.0, 0.6)]);
    assert!(curves.curves[5..].iter().all(|curve| curve.figure == Figure::Classification));
}

#[test]
fn what_is_malformed_is_named_and_the_rest_drawn() {
    let text = "step,train_loss,loss_x,train_accuracy\n1,0.5,1,0.1\n2,abc,2,0.2\nx,0.3,3,0.3\n4,0.2\n5,NaN,5,null\n\
6,0.1,6,-1\n3,0.15,7,inf,9\n";
    let curves = read(text);
    assert_eq!(
        notes(&curves),
        [
            "line 1, column 3: unknown column loss_x, plotted as it is",
            "line 3, column 2 (train_loss): “abc” is not a number",
            "line 4, column 1 (step): “x” is not a number; the row is left out",
            "line 5: 2 cells, but the first line has 4",
            "line 8: 5 cells, but the first line has 4",
            "line 8: step 3 comes after step 6; points are sorted by step",
        ]
    );
    let loss = points(&curves, "train_loss");
    assert_eq!(loss.iter().map(|point| point.0).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert!(loss[1].1.is_nan() && loss[4].1.is_nan(), "what is no number breaks the line");
    let accuracy = points(&curves, "train_accuracy");
    assert_eq!(accuracy[..2], [(1.0, 0.1), (2.0, 0.2)]);
    assert_eq!(accuracy.last(), Some(&(6.0, -1.0)), "of training -1 is a value as any other");
    assert_eq!(points(&curves, "loss_x").len(), 5);
}

#[test]
fn missing_columns_are_named() {
    let curves = read("elapsed_tokens,training_sequence_accuracy,validation_loss,\n10,0.5,0.4,\n20,0.6,,\n");
    assert_eq!(
        notes(&curves),
        [
            "line 1: no column step; rows are numbered from 1",
            "line 1: no column elapsed_examples",
            "line 1: no column training_loss",
            "line 1: no column training_token_accuracy",
            "line 1: no column validation_sequence_accuracy",
            "line 1: no column validation_token_accuracy",
            "line 1, column 4: a column without a name, plotted as it is",
            "column 4 (): contains no values",
        ]
    );
    assert_eq!(points(&curves, "training_sequence_accuracy"), [(1.0, 0.5), (2.0, 0.6)]);
}

#[test]
fn a_file_of_something_else_has_a_head_and_no_curves() {
    let curves = read("loss_x,b\n1,2\n3,4\n");
    assert_eq!(curves.curves, []);
    assert_eq!(
        notes(&curves),
        [
            "line 1, column 1: unknown column loss_x",
            "line 1, column 2: unknown column b",
            "no column of a result file was found: nothing to plot",
        ]
    );
    assert_eq!(curves.head[1].iter().map(|cell| cell.line().into_owned()).collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(notes(&read("")), ["the file is empty"]);
    assert_eq!(notes(&read(b"\x7fELF\0\0\0")), ["the file is not text: expected a result file or an event log"]);
    // More faults than are listed are counted.
    let many = format!("step,train_loss,train_accuracy\n{}", "1,a,b\n".repeat(50));
    let many = notes(&read(many));
    assert_eq!((many.len(), many.last().map(String::as_str)), (20, Some("and 83 more")));
}

#[test]
fn messages_tell_figures() {
    let told = |text: &str| super::events::message(text);
    let named = |name: &str, value: f64| (name.to_owned(), value);
    let step = |step: f64| named("step", step);
    assert_eq!(
        told("Step 120: training loss 0.66, validation loss 0.89"),
        [step(120.0), named("training_loss", 0.66), named("validation_loss", 0.89)]
    );
    assert_eq!(
        told("12:45:02  8Qk  Step 1,240/2,100: training loss=0.66, validation loss=0.89, full validation loss=0.9"),
        [
            step(1240.0),
            named("total_steps", 2100.0),
            named("training_loss", 0.66),
            named("validation_loss", 0.89),
            named("full_validation_loss", 0.9)
        ]
    );
    assert_eq!(told("step 3 of 9, loss: 1e-3"), [step(3.0), named("total_steps", 9.0), named("loss", 0.001)]);
    for nothing in
        ["Fine-tune costs $0.63", "Completed epoch 1/4", "Step 3 reached", "stepping 3: loss 4", "Step: x", ""]
    {
        assert_eq!(told(nothing), [], "{nothing}");
    }
}

#[test]
fn logs_of_events_in_all_forms() {
    let events = [
        r#"{"object":"fine_tuning.job.event","id":"ftevent-1","created_at":1,"level":"info","message":"Fine-tuning job started","type":"message","data":null}"#,
        r#"{"id":"ftevent-2","message":"Step 10/20: training loss=0.5","type":"metrics","data":{"step":10,"train_loss":0.5,"train_mean_token_accuracy":0.75,"total_steps":20}}"#,
        r#"{"id":"ftevent-3","message":"Step 20/20: training loss=0.25","type":"metrics","data":{"step":20,"train_loss":0.25,"valid_loss":"NaN"}}"#,
    ];
    let list = format!(r#"{{"object":"list","data":[{}],"has_more":false}}"#, events.join(",\n "));
    let lines = events.join("\n");
    let stream =
        format!("{}\ndata: [DONE]\n", events.map(|event| format!("event: message\ndata: {event}\n")).join("\n"));
    for log in [&list, &format!("[{}]", events.join(",")), &lines, &stream, &BASE64_STANDARD.encode(&lines)] {
        let curves = read(log);
        assert_eq!(notes(&curves), [""; 0], "{log}");
        assert_eq!(points(&curves, "train_loss"), [(10.0, 0.5), (20.0, 0.25)], "{log}");
        assert_eq!(points(&curves, "train_mean_token_accuracy"), [(10.0, 0.75)]);
        assert!(points(&curves, "valid_loss")[0].1.is_nan());
        let names: Vec<_> = curves.curves.iter().map(|curve| curve.name.line().into_owned()).collect();
        assert!(!names.iter().any(|name| name == "step" || name == "total_steps"), "{names:?}");
    }
    let text = "12:40:00  Fine-tuning started\n12:41:00  Step 1: training loss 0.7, validation loss 0.9\n\
12:42:00  Step 2: training loss 0.6\n";
    let curves = read(text);
    assert_eq!(points(&curves, "training_loss"), [(1.0, 0.7), (2.0, 0.6)]);
    assert_eq!(points(&curves, "validation_loss"), [(1.0, 0.9)]);
}

#[test]
fn broken_lines_of_a_log_are_named() {
    let text = "{\"step\":1,\"train_loss\":0.5}\n{\"step\":2,\n[1]\n\n{\"step\":3,\"train_loss\":0.25}\n";
    let curves = read(text);
    assert_eq!(points(&curves, "train_loss"), [(1.0, 0.5), (3.0, 0.25)]);
    assert_eq!(
        notes(&curves),
        ["line 2, column 10: not JSON: EOF while parsing a value", "line 3, column 1: not a JSON object"]
    );
    let curves = read("{\n  \"data\": [\n    {\"step\": }\n  ]\n}\n");
    assert_eq!(notes(&curves), ["line 3, column 14: not JSON: expected value"]);
    assert_eq!(curves.head[0][0].line(), "{");
}

#[test]
fn live_events_grow_curves() {
    let mut live = Live::default();
    let told = |message: &str| JobEvent { message: message.to_owned(), ..JobEvent::default() };
    assert!(!live.take(&told("Fine-tune started")));
    assert!(live.take(&told("Step 2: training loss 0.5")));
    let metrics = vec![("train_loss".to_owned(), 0.4), ("step".to_owned(), 4.0), ("total_steps".to_owned(), 9.0)];
    assert!(live.take(&JobEvent { metrics, ..told("Step 4: training loss=0.41") }));
    assert!(live.take(&told("Step 1: training loss 0.75")));
    assert_eq!(live.curves()[0].points, [(1.0, 0.75), (2.0, 0.5)]);
    assert_eq!(live.curves()[1].points, [(4.0, 0.4)]);
    assert_eq!(live.progress(), Some((4.0, Some(9.0))));
}

#[test]
fn a_long_file_says_how_far_it_is_and_can_be_stopped() {
    let rows: Vec<String> = (1..=400_000).map(|step| format!("{step},{}\n", 1.0 / f64::from(step))).collect();
    let rows = rows.concat();
    let text = format!("step,train_loss\n{rows}");
    let mut said = Vec::new();
    let curves = read_curves("a.csv".into(), text.as_bytes(), &mut |done| {
        said.push(done);
        said.len() < 2
    });
    assert_eq!(said.len(), 2);
    assert!(curves.rows < 400_000 && curves.rows > 100_000, "{}", curves.rows);
}

#[test]
fn many_columns_do_not_fill_the_memory() {
    let names: Vec<String> = (1..63).map(|n| format!("figure_{n}")).collect();
    let text = format!("step,train_loss,{}\n{}", names.join(","), format!("1{}\n", ",0".repeat(63)).repeat(70_000));
    let curves = read(text);
    let points: usize = curves.curves.iter().map(|curve| curve.points.len()).sum();
    assert!((3_999_000..4_001_000).contains(&points), "{points}");
    let notes = notes(&curves);
    assert!(notes.len() == 20 && notes[0].ends_with("only the first 4,000,000 values were read"), "{notes:?}");
}

#[test]
fn a_log_of_the_newest_first_is_drawn_in_the_order_of_steps() {
    let lines: Vec<String> = (0..200_000).rev().map(|step| format!("Step {step}: training loss 1\n")).collect();
    let curves = read(lines.concat());
    let loss = points(&curves, "training_loss");
    assert_eq!((loss.len(), loss[0].0, loss.is_sorted_by(|a, b| a.0 < b.0)), (200_000, 0.0, true));
}

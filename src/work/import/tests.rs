//! What is written is read back, and what cannot be read says why.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::api::call::Ticket;
use crate::record::work::{Export, Form};
use crate::work::export::export;

fn course() -> Course {
    Course::new(Ticket(0), Arc::new(|_, _| {}))
}

/// Writes and reads back.
fn around(form: Form, what: &Export) -> Imported {
    let home = tempfile::tempdir().unwrap();
    let Done::Saved(path) = export(home.path().join("v").to_str().unwrap(), form, what, &course()) else {
        panic!("not saved")
    };
    match import(path.raw(), None, &course()) {
        Done::Imported(imported) => imported,
        Done::Failed(why) => panic!("{}", why.raw()),
        _ => panic!("something else"),
    }
}

/// Reads a file of these bytes and returns the sentence of its error.
fn refused(name: &str, bytes: &[u8]) -> String {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    fs::write(&path, bytes).unwrap();
    match import(path.to_str().unwrap(), None, &course()) {
        Done::Failed(why) => why.raw().to_owned(),
        _ => panic!("{name} was read"),
    }
}

fn npy(head: &str, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes.extend(numbers);
    bytes
}

fn sample() -> Export {
    let mut table = VectorTable::new(4);
    table.set(1, &[1.5, -0.0, 1e-40]);
    table.set(2, &[f32::MAX, f32::MIN_POSITIVE, 0.1]);
    table.set(3, &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    let texts = ["missing, \"quoted\"", "=1+1", "two\nlines\r\n日本", ""].map(Untrusted::from);
    Export::Vectors { texts: texts.into(), table: Arc::new(table), model: "a-model".into() }
}

#[test]
fn every_form_gives_vectors_back_to_the_bit() {
    let Export::Vectors { texts, table, .. } = sample() else { panic!() };
    for form in [Form::Csv, Form::Json, Form::Npy] {
        let Imported::Vectors { texts: read, table: numbers, model } = around(form, &sample()) else { panic!() };
        assert!(read.iter().map(Untrusted::raw).eq(texts.iter().map(Untrusted::raw)), "{form:?}");
        assert_eq!(model.raw(), if form == Form::Csv { "v.csv" } else { "a-model" });
        for row in 0..4 {
            let bits =
                |table: &VectorTable| table.row(row).map(|row| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
            assert_eq!(bits(&table), bits(&numbers), "{form:?} {row}");
        }
    }
}

#[test]
fn every_form_gives_a_matrix_back() {
    let table = VectorTable::of(2, vec![1.0, 0.0, 0.6, 0.8, 0.0, 0.0]);
    let matrix = Arc::new(vectors::matrix(&table, &|_, _| true).unwrap());
    let texts: Arc<[Untrusted]> = ["a", "-b", "c"].map(Untrusted::from).into();
    for form in [Form::Csv, Form::Json, Form::Npy] {
        let what = Export::Matrix { texts: texts.clone(), matrix: matrix.clone(), model: "m".into() };
        let Imported::Matrix { texts: read, matrix: told, .. } = around(form, &what) else { panic!("{form:?}") };
        assert!(read.iter().map(Untrusted::raw).eq(["a", "-b", "c"]), "{form:?}");
        let bits = |cosines: &[f32]| cosines.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&told.cosines), &told.order), (bits(&matrix.cosines), &matrix.order), "{form:?}");
        let norms = if form == Form::Json { bits(&matrix.norms) } else { vec![f32::NAN.to_bits(); 3] };
        assert_eq!(bits(&told.norms), norms, "{form:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_float_goes_around(rows in prop::collection::vec(prop::collection::vec(any::<u32>(), 5), 1..20)) {
        let numbers: Vec<f32> = rows.iter().flatten().map(|bits| f32::from_bits(*bits)).collect();
        // NaN has many bit patterns, but only one text form.
        let numbers: Vec<f32> = numbers.into_iter().map(|x| if x.is_nan() { f32::NAN } else { x }).collect();
        let texts: Arc<[Untrusted]> = rows.iter().map(|row| format!("{row:?}").into()).collect();
        let table = Arc::new(VectorTable::of(5, numbers.clone()));
        for form in [Form::Csv, Form::Json, Form::Npy] {
            let what = Export::Vectors { texts: texts.clone(), table: table.clone(), model: "m".into() };
            let Imported::Vectors { table: read, .. } = around(form, &what) else { panic!() };
            prop_assert!(read.numbers().iter().map(|x| x.to_bits()).eq(numbers.iter().map(|x| x.to_bits())), "{:?}", form);
        }
    }
}

#[test]
fn what_numpy_writes_is_read() {
    let head = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n";
    let numbers: Vec<u8> = [0.25_f64, -3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("of numpy.npy");
    fs::write(&path, npy(head, &numbers)).unwrap();
    let Done::Imported(Imported::Vectors { texts, table, model }) = import(path.to_str().unwrap(), None, &course())
    else {
        panic!("not read")
    };
    assert_eq!((table.numbers(), model.raw()), (&[0.25, -3.0][..], "of numpy.npy"));
    assert!(texts.iter().map(Untrusted::raw).eq(["row 1", "row 2"]));
    fs::write(home.path().join("of numpy.jsonl"), "{\"text\":\"a\"}\n").unwrap();
    let Done::Failed(why) = import(path.to_str().unwrap(), None, &course()) else { panic!("read") };
    assert!(why.contains("found 1 for 2 rows"), "{}", why.raw());
}

#[test]
fn other_ways_to_write_json_are_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a.json");
    fs::write(&path, r#"[{"input":"x","embedding":[1,2],"more":{"a":[1]}}, null, [3, "NaN"]]"#).unwrap();
    let Done::Imported(Imported::Vectors { texts, table, .. }) = import(path.to_str().unwrap(), None, &course()) else {
        panic!("not read")
    };
    assert!(texts.iter().map(Untrusted::raw).eq(["x", "row 2", "row 3"]));
    assert_eq!((table.row(0), table.row(1)), (Some(&[1.0, 2.0][..]), None));
    assert!(table.row(2).unwrap()[1].is_nan());
}

#[test]
fn what_cannot_be_read_says_why() {
    let says = |name: &str, bytes: &[u8], words: &str| {
        let why = refused(name, bytes);
        assert!(why.contains(words), "{words:?} is not in {why:?}");
    };
    let head = |kind: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    };
    says("a.npy", &npy(&head("<f4", "True", "(1, 1)"), &[0; 4]), "column by column");
    says("a.npy", &npy(&head(">f4", "False", "(1, 1)"), &[0; 4]), "it contains `>f4`");
    says("a.npy", &npy(&head("<f4", "False", "(3,)"), &[0; 12]), "its shape is (3,)");
    says("a.npy", &npy(&head("<f4", "False", "(3, 2)"), &[0; 19]), "it ends in row 3 of 3");
    says("a.npy", &npy(&head("<f4", "False", "(1, 1)"), &[0; 5]), "there is more data");
    says("a.npy", &npy(&head("<f4", "False", "(9999999999999, 99999999999)"), &[]), "too long");
    says("a.npy", b"\x93NUMPY\x01\x00\xff", "ends before");
    says("a.csv", b"text,0,1\na,1,2\nb,1\n", "row 2: expected 2 numbers as in the header, found 1");
    says("a.csv", b"text,0,1\na,1,x\n", "row 1, column 3");
    says("a.csv", b"", "no rows");
    says("a.csv", b"text,0\n\xff\xfe,1\n", "not UTF-8");
    says("a.csv", b"cosine,a,b\na,1,0\n", "needs as many columns");
    says("a.json", b"[[1,2],[1,2,3]]", "row 2: expected 2 numbers as in the rows before, found 3");
    says("a.json", b"[[1,2],[1,\"x\"]]", "row 2");
    says("a.json", b"{\"a\":1}", "neither `vectors` nor `matrix`");
    says("a.json", b"{\"vectors\":[[1]", "EOF");
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    assert!(matches!(import(&at("none.csv"), None, &course()), Done::Failed(why) if why.contains("cannot open")));
    assert!(matches!(import(&at(""), None, &course()), Done::Failed(why) if why.contains("is not a file")));
    fs::File::create(at("large")).unwrap().set_len(LARGEST + 1).unwrap();
    assert!(matches!(import(&at("large"), None, &course()), Done::Failed(why) if why.contains("at most 1 GiB")));
}

#[test]
fn what_is_stopped_leaves_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let stopped = course();
    stopped.stop();
    let path = home.path().join("v.csv");
    assert!(matches!(export(path.to_str().unwrap(), Form::Csv, &sample(), &stopped), Done::Failed(_)));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    fs::write(&path, "text,0\na,1\n").unwrap();
    assert!(matches!(import(path.to_str().unwrap(), None, &stopped), Done::Failed(why) if why.contains("stopped")));
}

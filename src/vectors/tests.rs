//! Properties of the computations that hold for all vectors.

use proptest::prelude::*;

use super::*;
use crate::record::vectors::{Figures, Hygiene, MATRIX, Map, Matrix, Pairs, VectorTable};

const ON: ProgressFn<'static> = &|_, _| true;

fn table(rows: &[Option<Vec<f32>>]) -> VectorTable {
    let mut table = VectorTable::new(rows.len());
    for (at, row) in rows.iter().enumerate() {
        if let Some(row) = row {
            table.set(at, row);
        }
    }
    table
}

fn all(rows: &[&[f32]]) -> VectorTable {
    table(&rows.iter().map(|row| Some(row.to_vec())).collect::<Vec<_>>())
}

/// Builds a table of pseudo-random numbers.
fn many(rows: usize, dimensions: usize) -> VectorTable {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    VectorTable::of(dimensions, (0..rows * dimensions).map(|_| next()).collect())
}

/// Returns the cosine computed in 64 bits; `None`: one of the two has no direction.
fn plain(table: &VectorTable, a: usize, b: usize) -> Option<f64> {
    let cosine = between(table.row(a)?, table.row(b)?).cosine;
    (!cosine.is_nan()).then_some(cosine)
}

fn close(a: Option<f32>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (f64::from(a) - b).abs() < 1e-5,
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Generates up to `rows` rows of one length, some of them missing, zero, or with a number that is not finite.
fn tables(rows: usize) -> impl Strategy<Value = VectorTable> {
    (0..=rows, 1_usize..20).prop_flat_map(|(rows, length)| {
        let number = prop_oneof![8 => -2.0_f32..2.0, 1 => Just(0.0), 1 => -1e-20_f32..1e-20];
        let row = prop::collection::vec(number, length);
        let odd = prop_oneof![
            Just(None),
            Just(Some(vec![0.0; length])),
            Just(Some(vec![f32::NAN; length])),
            Just(Some(vec![f32::INFINITY; length])),
        ];
        prop::collection::vec(prop_oneof![6 => row.prop_map(Some), 1 => odd], rows).prop_map(|rows| table(&rows))
    })
}

#[test]
fn of_rows_at_a_right_angle_the_earlier_is_nearer() {
    // Their cosines are -0 and 0.
    let near = nearest(&all(&[&[0.0, -1.0], &[-1.0, 0.0], &[1.0, 0.0]]), &[0.0, -1.0], 3).unwrap();
    assert_eq!(near.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [0, 1, 2]);
}

proptest! {
    #[test]
    fn a_matrix_is_symmetric_and_right(table in tables(40)) {
        let matrix = matrix(&table, ON).unwrap();
        for a in 0..table.rows() {
            for b in 0..table.rows() {
                let cosine = matrix.cosine(a, b);
                prop_assert!(close(cosine, plain(&table, a, b)), "{a} {b}: {cosine:?}");
                prop_assert_eq!(cosine.map(f32::to_bits), matrix.cosine(b, a).map(f32::to_bits));
                prop_assert!(cosine.is_none_or(|cosine| (-1.0..=1.0).contains(&cosine)));
            }
            let itself = matrix.cosine(a, a);
            prop_assert!(itself.is_none_or(|cosine| cosine.to_bits() == 1.0_f32.to_bits()));
        }
        let mut order = matrix.order.clone();
        order.sort_unstable();
        prop_assert!(order.into_iter().eq(0..table.rows() as u32));
    }

    #[test]
    fn the_order_of_rows_changes_no_similarity(table in tables(30), shift in 0_usize..30) {
        let rows = table.rows();
        let mut turned = VectorTable::new(rows);
        for at in 0..rows {
            if let Some(row) = table.row(at) {
                turned.set((at + shift) % rows, row);
            }
        }
        let (one, other) = (matrix(&table, ON).unwrap(), matrix(&turned, ON).unwrap());
        for a in 0..rows {
            for b in 0..rows {
                let (x, y) = (one.cosine(a, b), other.cosine((a + shift) % rows, (b + shift) % rows));
                prop_assert!(close(x, y.map(f64::from)), "{a} {b}: {x:?} {y:?}");
            }
        }
    }

    #[test]
    fn the_nearest_are_those_of_a_plain_search(table in tables(40), most in 0_usize..45) {
        let Some(to) = table.row(0).map(<[f32]>::to_vec) else { return Ok(()) };
        let near = nearest(&table, &to, most).unwrap();
        let there: Vec<f64> = (0..table.rows()).filter_map(|row| plain(&table, 0, row)).collect();
        prop_assert_eq!(near.len(), most.min(there.len()));
        prop_assert!(near.is_sorted_by(|a, b| (b.1, a.0) < (a.1, b.0)));
        for (row, cosine) in &near {
            prop_assert!(close(Some(*cosine), plain(&table, 0, *row as usize)));
        }
        let further = there.iter().filter(|cosine| near.last().is_some_and(|last| **cosine > f64::from(last.1) + 1e-5));
        prop_assert!(further.count() <= near.len());
    }

    #[test]
    fn pairs_are_those_of_the_matrix(table in tables(40), above in -1.0_f32..1.0, most in 0_usize..200) {
        let pairs = pairs(&table, above, most, ON).unwrap();
        let cosines: Vec<f64> = (0..table.rows())
            .flat_map(|a| (a + 1..table.rows()).map(move |b| (a, b)))
            .filter_map(|(a, b)| plain(&table, a, b))
            .collect();
        // Between the two bounds either is right.
        let least = cosines.iter().filter(|cosine| **cosine >= f64::from(above) + 1e-5).count() as u64;
        let largest = cosines.iter().filter(|cosine| **cosine >= f64::from(above) - 1e-5).count() as u64;
        prop_assert!((least..=largest).contains(&pairs.total), "{least} {} {largest}", pairs.total);
        prop_assert_eq!(pairs.pairs.len() as u64, pairs.total.min(most as u64));
        prop_assert!(pairs.pairs.is_sorted_by(|a, b| (b.2, (a.0, a.1)) < (a.2, (b.0, b.1))));
        for (a, b, cosine) in &pairs.pairs {
            prop_assert!(a < b && close(Some(*cosine), plain(&table, *a as usize, *b as usize)));
        }
    }

    #[test]
    fn a_map_has_a_place_for_each_row_of_numbers(table in tables(30)) {
        let map = map(&table, ON).unwrap();
        prop_assert_eq!(map.points.len(), table.rows());
        for (at, point) in map.points.iter().enumerate() {
            let numbers = table.row(at).is_some_and(|row| row.iter().all(|x| x.is_finite()));
            prop_assert_eq!(point.is_some(), numbers);
            prop_assert!(point.is_none_or(|point| point.iter().all(|x| x.is_finite())));
        }
        let [first, second] = map.share;
        prop_assert!(first >= second && second >= 0.0 && first + second <= 1.0 + 1e-4, "{:?}", map.share);
    }

    #[test]
    fn a_table_agrees_with_itself(table in tables(30)) {
        let agreement = compare(&table, &table, ON).unwrap();
        prop_assert!(agreement.spearman.is_nan() || (agreement.spearman - 1.0).abs() < 1e-12);
        prop_assert!(agreement.overlap.iter().all(|(_, share)| (share - 1.0).abs() < 1e-12));
        prop_assert!(agreement.moved.is_empty());
    }
}

#[test]
fn nothing_and_one_row_are_defined() {
    let nothing = VectorTable::new(0);
    assert_eq!(matrix(&nothing, ON).unwrap(), Matrix::default());
    assert_eq!(map(&nothing, ON).unwrap(), Map::default());
    assert_eq!(nearest(&nothing, &[1.0], 3).unwrap(), []);
    assert_eq!(pairs(&nothing, 0.0, 3, ON).unwrap(), Pairs::default());
    assert_eq!(compare(&nothing, &nothing, ON).unwrap().overlap, []);
    assert_eq!(cut(&nothing, 3).unwrap(), nothing);
    assert_eq!(hygiene(&nothing, Some(4)).rows, 0);
    assert!(!hygiene(&nothing, Some(0)).normalised && !hygiene(&nothing, Some(0)).quarter);

    let one = all(&[&[3.0, 4.0]]);
    let told = matrix(&one, ON).unwrap();
    assert_eq!((told.cosine(0, 0), told.cosine(0, 1), told.cosine(1, 0)), (Some(1.0), None, None));
    assert_eq!((&told.norms[..], &told.order[..]), (&[5.0][..], &[0][..]));
    assert_eq!(map(&one, ON).unwrap(), Map { points: vec![Some([0.0; 2])], share: [0.0; 2] });
    assert_eq!(nearest(&one, &[4.0, 3.0], 3).unwrap().len(), 1);
    assert_eq!(pairs(&one, -1.0, 3, ON).unwrap(), Pairs::default());
    let agreement = compare(&one, &one, ON).unwrap();
    assert!(agreement.rows == 1 && agreement.spearman.is_nan() && agreement.moved.is_empty());
}

#[test]
fn one_dimension_and_equal_vectors_are_defined() {
    let line = all(&[&[2.0], &[-1.0], &[5.0]]);
    let told = matrix(&line, ON).unwrap();
    assert_eq!((told.cosine(0, 2), told.cosine(0, 1)), (Some(1.0), Some(-1.0)));
    let map = map(&line, ON).unwrap();
    let places: Vec<[f32; 2]> = map.points.iter().map(|point| point.unwrap()).collect();
    assert!(
        places.iter().zip([0.0, -3.0, 3.0]).all(|(p, x)| (p[0] - x).abs() < 1e-5 && p[1].abs() < 1e-5),
        "{places:?}"
    );
    assert!((map.share[0] - 1.0).abs() < 1e-6 && map.share[1].abs() < 1e-6);

    let same = all(&[&[0.1, 0.7, -0.3][..]; 4]);
    assert_eq!(super::map(&same, ON).unwrap().points, [Some([0.0; 2]); 4]);
    assert_eq!(pairs(&same, 1.0, 100, ON).unwrap().total, 6, "equal vectors are found at 1");
    assert_eq!(nearest(&same, same.row(2).unwrap(), 2).unwrap().iter().map(|near| near.0).collect::<Vec<_>>(), [0, 1]);
    assert!(compare(&same, &same, ON).unwrap().spearman.is_nan(), "no rank differs");
    assert_eq!(hygiene(&same, None).repeated, 3);
}

#[test]
fn very_long_and_very_short_vectors_have_their_direction() {
    let rows = [[1.0_f32, 2.0, -1.0], [0.5, -1.0, 3.0]];
    let scaled = |factor: f32| rows[1].map(|x| x * factor);
    let exact = between(&rows[0], &rows[1]).cosine;
    for factor in [1e-40, 1e-30, 1e-12, 1.0, 1e12, 1e30, 1e38] {
        let table = all(&[&rows[0], &scaled(factor)]);
        let cosine = matrix(&table, ON).unwrap().cosine(0, 1);
        assert!(cosine.is_some_and(|cosine| (f64::from(cosine) - exact).abs() < 1e-4), "{factor:e}: {cosine:?}");
        let near = nearest(&table, &rows[0], 2).unwrap();
        assert!(near.len() == 2 && (f64::from(near[1].1) - exact).abs() < 1e-4, "{factor:e}: {near:?}");
        let map = map(&table, ON).unwrap();
        assert!(map.points.iter().flatten().flatten().all(|x| x.is_finite()), "{factor:e}: {map:?}");
        assert!((map.share[0] - 1.0).abs() < 1e-4, "{factor:e}: {map:?}");
    }
}

#[test]
fn clusters_stand_side_by_side() {
    // Three bundles of directions, and one row without any.
    let turned = |degrees: f32| [degrees.to_radians().cos(), degrees.to_radians().sin()];
    let rows = [0.0, 90.0, 3.0, 180.0, 94.0, 1.0, 184.0].map(turned);
    let mut all: Vec<Option<Vec<f32>>> = rows.iter().map(|row| Some(row.to_vec())).collect();
    all.insert(2, None);
    let order = matrix(&table(&all), ON).unwrap().order;
    assert_eq!(order.last(), Some(&2));
    let bundle = |row: &u32| match row {
        0 | 3 | 6 => 'a',
        1 | 5 => 'b',
        _ => 'c',
    };
    let bundles: String = order[..7].iter().map(bundle).collect();
    assert_eq!(bundles, "aaabbcc");
    // 0°, 1°, 3°, 90°, 94°, 180°, 184°: nearest ends meet.
    assert_eq!(order, [0, 6, 3, 1, 5, 4, 7, 2]);
}

#[test]
fn many_pairs_are_counted_and_the_best_kept() {
    let table = many(1_300, 6);
    let moved = std::sync::Mutex::new(Vec::new());
    let told = pairs(&table, 0.9, 50, &|done, total| {
        moved.lock().unwrap().push((done, total));
        true
    })
    .unwrap();
    let matrix = matrix(&table, ON).unwrap();
    let mut expected: Vec<(u32, u32, f32)> = (0..1_300)
        .flat_map(|a| (a + 1..1_300).map(move |b| (a, b)))
        .filter_map(|(a, b)| matrix.cosine(a, b).filter(|c| *c >= 0.9).map(|c| (a as u32, b as u32, c)))
        .collect();
    expected.sort_by(|a, b| b.2.total_cmp(&a.2));
    assert!(expected.len() > 1_000 && told.total.abs_diff(expected.len() as u64) <= 2);
    assert!(told.pairs.iter().zip(&expected).all(|(a, b)| (a.2 - b.2).abs() < 1e-5));
    let moved = moved.into_inner().unwrap();
    let last = moved.iter().map(|(done, _)| *done).max();
    assert!(moved.len() > 3 && last == Some(1_300 * 1_299 / 2) && moved.iter().all(|(_, total)| Some(*total) == last));
    assert_eq!(pairs(&table, 0.9, 50, &|done, _| done == 0), Err(Refusal::Stopped));
}

#[test]
fn the_same_to_the_bit_on_any_number_of_threads() {
    let table = std::sync::Arc::new(many(700, 33));
    let sums = [
        VectorTask::Matrix(table.clone()),
        VectorTask::Map(table.clone()),
        VectorTask::Pairs { table: table.clone(), above: 0.3, most: 90 },
        VectorTask::Nearest { table: table.clone(), to: table.row(3).unwrap().into(), most: 20 },
        VectorTask::Compare(table.clone(), std::sync::Arc::new(cut(&table, 9).unwrap())),
        VectorTask::Hygiene { table, expected: None },
    ];
    for sum in sums {
        let done = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| figures(&sum, ON)).unwrap()
        };
        let one = done(1);
        assert!(one == done(3) && one == done(1), "{}", matches!(one, Figures::Map(_)));
    }
}

#[test]
fn a_map_shows_the_two_components() {
    // An ellipse in a plane that is oblique to all axes of five dimensions: 3 cos t · u + sin t · v.
    let (u, v) = ([0.6_f32, 0.0, 0.8, 0.0, 0.0], [0.0_f32, 0.6, 0.0, -0.8, 0.0]);
    let rows: Vec<Option<Vec<f32>>> = (0..40)
        .map(|n| {
            let (sine, cosine) = (n as f32 * std::f32::consts::TAU / 40.0).sin_cos();
            Some((0..5).map(|i| 10.0 + 3.0 * cosine * u[i] + sine * v[i]).collect())
        })
        .collect();
    let told = map(&table(&rows), ON).unwrap();
    assert!((told.share[0] - 0.9).abs() < 1e-4 && (told.share[1] - 0.1).abs() < 1e-4, "{:?}", told.share);
    for (n, point) in told.points.iter().enumerate() {
        let (sine, cosine) = (n as f32 * std::f32::consts::TAU / 40.0).sin_cos();
        let [x, y] = point.unwrap();
        // The largest number of `v` is negative: the axis is reversed.
        assert!((x - 3.0 * cosine).abs() < 1e-3 && (y + sine).abs() < 1e-3, "{n}: {x} {y}");
    }
}

#[test]
fn a_map_holds_as_much_variance_as_the_exact_components() {
    let table = many(60, 12);
    let rows = ndarray::Array2::from_shape_fn((60, 12), |(row, at)| f64::from(table.row(row).unwrap()[at]));
    let centred = &rows - &rows.mean_axis(ndarray::Axis(0)).unwrap();
    let (values, _) = symmetric::eigen(&centred.t().dot(&centred));
    let total: f64 = values.iter().sum();
    let told = map(&table, ON).unwrap();
    for axis in 0..2 {
        assert!((f64::from(told.share[axis]) - values[axis] / total).abs() < 1e-5, "{:?} {values:?}", told.share);
        let spread: f64 = told.points.iter().map(|point| f64::from(point.unwrap()[axis]).powi(2)).sum();
        assert!((spread / values[axis] - 1.0).abs() < 1e-4, "{spread} {values:?}");
    }
}

#[test]
fn a_map_can_be_stopped() {
    assert_eq!(map(&many(300, 40), &|done, _| done < 2), Err(Refusal::Stopped));
}

#[test]
fn what_cannot_be_compared_says_why() {
    let (two, three) = (many(2, 3), many(3, 3));
    assert_eq!(compare(&two, &three, ON), Err(Refusal::Texts(2, 3)));
    assert_eq!(nearest(&two, &[1.0], 1), Err(Refusal::Lengths(3, 1)));
    assert_eq!(cut(&two, 4), Err(Refusal::Cut(3, 4)));
    assert_eq!(cut(&two, 0), Err(Refusal::Cut(3, 0)));
    let large = VectorTable::new(MATRIX + 1);
    assert_eq!(matrix(&large, ON), Err(Refusal::Rows(2_001)));
    assert_eq!(compare(&large, &large, ON), Err(Refusal::Rows(2_001)));
    assert!(Refusal::Rows(2_001).to_string().starts_with("2001 texts are too many"));
    assert_eq!(matrix(&VectorTable::new(MATRIX), ON).unwrap().order.len(), MATRIX);
}

#[test]
fn two_tables_are_compared_by_the_ranks_of_their_pairs() {
    // Cosines to the first axis; three rows make three pairs: (0,1), (0,2), (1,2).
    let first = all(&[&[1.0, 0.0], &[1.0, 0.1], &[0.0, 1.0], &[0.0, 0.0]]);
    let second = all(&[&[1.0, 0.0], &[0.0, 1.0], &[0.1, 1.0], &[1.0, 1.0]]);
    let told = compare(&first, &second, ON).unwrap();
    // First: (0,1) .995, (1,2) .0995, (0,2) 0 → ranks 1, 3, 2. Second: (1,2) .995, (0,2) .0995, (0,1) 0 → 3, 2, 1.
    // Differences 2, 1, 1: 1 − 6·6 / (3·8) = −0.5.
    assert_eq!(told.rows, 3, "a row without direction in one of them is left out");
    assert!((told.spearman + 0.5).abs() < 1e-12, "{}", told.spearman);
    // Of k others each has two: only k = 1 says something. Nearest: 1, 0, 1 and 2, 2, 1.
    assert_eq!(told.overlap.len(), 1);
    assert!(told.overlap[0].0 == 1 && (told.overlap[0].1 - 1.0 / 3.0).abs() < 1e-12, "{:?}", told.overlap);
    let ranks: Vec<_> = told.moved.iter().map(|moved| (moved.pair, moved.rank)).collect();
    assert_eq!(ranks, [((0, 1), (1, 3)), ((0, 2), (3, 2)), ((1, 2), (2, 1))]);
    assert!((told.moved[0].cosine.0 - 0.995).abs() < 1e-3 && told.moved[0].cosine.1.abs() < 1e-6);
}

#[test]
fn what_is_wrong_with_vectors_is_told() {
    let mut odd = table(&[
        Some(vec![1.0, 0.0, 0.0]),
        None,
        Some(vec![1.0, 0.0, 0.0]),
        Some(vec![0.0; 3]),
        Some(vec![f32::NAN, 3.0, f32::INFINITY]),
        None,
    ]);
    odd.set(5, &[1.0, 2.0]);
    let told = hygiene(&odd, Some(12));
    let expected = Hygiene {
        rows: 4,
        missing: 2,
        dimensions: 3,
        norm: [0.0, 2.0 / 3.0, 1.0],
        normalised: false,
        nan: (1.0 / 12.0, vec![4]),
        infinite: (1.0 / 12.0, vec![4]),
        zero: (7.0 / 12.0, vec![3]),
        padding: 0,
        repeated: 1,
        odd: vec![(5, 2)],
        quarter: true,
    };
    assert_eq!(told, expected);
    let fine = hygiene(&all(&[&[0.6, 0.8], &[1.0, 0.0]]), Some(2));
    assert!(fine.normalised && !fine.quarter && fine.repeated == 0);
}

#[test]
fn a_cut_brings_vectors_to_length_one_again() {
    let mut long =
        table(&[Some(vec![3.0, 4.0, 12.0]), None, Some(vec![0.0, 0.0, 1.0]), Some(vec![f32::NAN, 1.0, 0.0])]);
    long.set(1, &[1.0]);
    let short = cut(&long, 2).unwrap();
    assert_eq!((short.rows(), short.dimensions(), short.present()), (4, 2, 3));
    assert!(short.row(0).unwrap().iter().zip([0.6, 0.8]).all(|(a, b)| (a - b).abs() < 1e-6));
    assert_eq!((short.row(1), short.row(2)), (None, Some(&[0.0, 0.0][..])));
    assert!(short.row(3).unwrap()[0].is_nan());
}

#[test]
fn two_vectors_have_a_cosine_a_product_and_a_distance() {
    let told = between(&[3.0, 4.0], &[4.0, 3.0]);
    assert!((told.cosine - 0.96).abs() < 1e-12 && (told.dot - 24.0).abs() < 1e-12);
    assert!((told.distance - 2.0_f64.sqrt()).abs() < 1e-12);
    assert!(between(&[0.0], &[1.0]).cosine.is_nan() && between(&[f32::NAN], &[1.0]).cosine.is_nan());
}

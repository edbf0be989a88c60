//! Eigenvectors of a small symmetric matrix, by Jacobi's rotations.

use ndarray::Array2;

/// Sweeps over all off-diagonal places; a matrix of ten needs about six.
const SWEEPS: usize = 30;

/// Returns the eigenvalues, largest first, and the eigenvectors as columns in the same order.
pub(super) fn eigen(matrix: &Array2<f64>) -> (Vec<f64>, Array2<f64>) {
    let size = matrix.nrows();
    let mut a = matrix.clone();
    let mut vectors = Array2::eye(size);
    for _ in 0..SWEEPS {
        let outside: f64 = a.indexed_iter().filter(|((i, j), _)| i != j).map(|(_, x)| x * x).sum();
        let all: f64 = a.iter().map(|x| x * x).sum();
        if outside <= all * 1e-28 {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|i, j| a[[*j, *j]].total_cmp(&a[[*i, *i]]));
    let values = order.iter().map(|i| a[[*i, *i]]).collect();
    (values, vectors.select(ndarray::Axis(1), &order))
}

/// Rotates the plane of two axes so that the element at (p, q) becomes zero.
fn rotate(a: &mut Array2<f64>, vectors: &mut Array2<f64>, p: usize, q: usize) {
    if a[[p, q]] == 0.0 {
        return;
    }
    let slope = (a[[q, q]] - a[[p, p]]) / (2.0 * a[[p, q]]);
    let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
    let cosine = tangent.hypot(1.0).recip();
    let sine = tangent * cosine;
    let turn = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
    for i in 0..a.nrows() {
        (a[[i, p]], a[[i, q]]) = turn(a[[i, p]], a[[i, q]]);
        (vectors[[i, p]], vectors[[i, q]]) = turn(vectors[[i, p]], vectors[[i, q]]);
    }
    for i in 0..a.nrows() {
        (a[[p, i]], a[[q, i]]) = turn(a[[p, i]], a[[q, i]]);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_small_matrix_is_taken_apart() {
        let matrix = array![[4.0, 1.0, -2.0], [1.0, 2.0, 0.0], [-2.0, 0.0, 3.0]];
        let (values, vectors) = eigen(&matrix);
        assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
        assert!((values.iter().sum::<f64>() - 9.0).abs() < 1e-12, "the trace stays");
        for (column, value) in vectors.columns().into_iter().zip(&values) {
            let image = matrix.dot(&column);
            for (a, b) in image.iter().zip(column) {
                assert!((a - b * value).abs() < 1e-12, "{image} is not {value} times {column}");
            }
            assert!((column.dot(&column) - 1.0).abs() < 1e-12);
        }
        assert!(eigen(&Array2::zeros((0, 0))).0.is_empty());
        assert!(eigen(&Array2::zeros((2, 2))).0.iter().all(|value| value.abs() < f64::MIN_POSITIVE));
    }
}

//! The order of single-link clusters: similar rows are neighbours.

/// Orders the rows as the leaves of a single-link dendrogram. Two clusters are joined so that their most similar ends
/// are neighbours. Rows without a direction come last.
///
/// `cosines`: all of them, row after row, as [`super::matrix`] computes them.
pub fn order(rows: usize, cosines: &[f32]) -> Vec<u32> {
    let (points, none): (Vec<usize>, Vec<usize>) = (0..rows).partition(|row| !cosines[row * rows + row].is_nan());
    let near = |a: usize, b: usize| cosines[a * rows + b];
    let mut owner: Vec<usize> = (0..rows).collect();
    let mut clusters: Vec<Vec<usize>> = (0..rows).map(|row| vec![row]).collect();
    for (a, b) in links(&points, near) {
        let (first, second) = (owner[a].min(owner[b]), owner[a].max(owner[b]));
        let joined = joined(std::mem::take(&mut clusters[first]), std::mem::take(&mut clusters[second]), near);
        for row in &joined {
            owner[*row] = first;
        }
        clusters[first] = joined;
    }
    let ordered = points.first().map(|row| std::mem::take(&mut clusters[owner[*row]])).unwrap_or_default();
    ordered.into_iter().chain(none).map(|row| row as u32).collect()
}

/// Returns the edges of the maximum spanning tree by similarity (Prim's algorithm), most similar first.
fn links(points: &[usize], near: impl Fn(usize, usize) -> f32) -> Vec<(usize, usize)> {
    let Some((first, rest)) = points.split_first() else { return Vec::new() };
    // For each row that is not in the tree yet: the nearest row in the tree.
    let mut open: Vec<(usize, usize, f32)> = rest.iter().map(|row| (*row, *first, near(*first, *row))).collect();
    let mut links = Vec::with_capacity(rest.len());
    while let Some(best) = (0..open.len()).reduce(|a, b| {
        let nearer = open[b].2.total_cmp(&open[a].2).then(open[a].0.cmp(&open[b].0));
        if nearer.is_gt() { b } else { a }
    }) {
        let (row, to, cosine) = open.swap_remove(best);
        links.push((to.min(row), to.max(row), cosine));
        for (other, nearest, with) in &mut open {
            let cosine = near(row, *other);
            if cosine > *with || (cosine.total_cmp(with).is_eq() && row < *nearest) {
                (*nearest, *with) = (row, cosine);
            }
        }
    }
    links.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    links.into_iter().map(|(a, b, _)| (a, b)).collect()
}

/// Joins two clusters, each reversed if needed, so that their most similar ends are neighbours.
fn joined(mut first: Vec<usize>, mut second: Vec<usize>, near: impl Fn(usize, usize) -> f32) -> Vec<usize> {
    let ends = |cluster: &[usize]| (cluster[0], cluster[cluster.len() - 1]);
    let ((a, z), (b, y)) = (ends(&first), ends(&second));
    // As they are, the second reversed, the first reversed, both reversed; of equal ones the first.
    let ways = [near(z, b), near(z, y), near(a, b), near(a, y)];
    let best = (1..4).fold(0, |best, way| if ways[way] > ways[best] { way } else { best });
    if best >= 2 {
        first.reverse();
    }
    if best % 2 == 1 {
        second.reverse();
    }
    first.append(&mut second);
    first
}

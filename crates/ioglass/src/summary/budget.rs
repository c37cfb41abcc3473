//! The bar that shows what a run's time was spent on.

/// A part of the run: what it is called, its seconds, and how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) seconds: f64,
    pub(super) texture: char,
}

/// The parts of a run, those of I/O first, the largest of them solid. Parts without time are left
/// out.
pub(super) fn parts(read: f64, write: f64, meta: f64, run_time: f64) -> Vec<Part> {
    let mut moved = [("read", read), ("write", write)];
    if write > read {
        moved.swap(0, 1);
    }
    let [first, second] = moved;
    let outside = (run_time - read - write - meta).max(0.0);
    let parts = [
        (first.0, first.1, '█'),
        (second.0, second.1, '▓'),
        ("metadata", meta, '▒'),
        ("outside I/O", outside, '░'),
    ];
    let parts = parts.into_iter().filter(|(_, seconds, _)| *seconds > 0.0);
    parts.map(|(name, seconds, texture)| Part { name, seconds, texture }).collect()
}

/// A bar of so many cells; a part under half a cell is not drawn.
pub(super) fn bar(parts: &[Part], cells: usize) -> String {
    let all: f64 = parts.iter().map(|part| part.seconds).sum();
    let is_drawn = |part: &&Part| part.seconds / all * cells as f64 >= 0.5;
    let all: f64 = parts.iter().filter(is_drawn).map(|part| part.seconds).sum();
    let mut bar = String::new();
    let (mut end, mut drawn) = (0.0, 0);
    for part in parts.iter().filter(is_drawn) {
        end += part.seconds;
        let until = (end / all * cells as f64).round() as usize;
        bar.extend(std::iter::repeat_n(part.texture, until.saturating_sub(drawn)));
        drawn = until.max(drawn);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_parts() {
        let parts = parts(1.0, 3.0, 0.001, 10.0);
        let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
        assert_eq!(names, ["write", "read", "metadata", "outside I/O"]);
        assert_eq!(bar(&parts, 10), "███▓░░░░░░");
        assert_eq!(bar(&parts[..1], 4), "████");
        let tiny = super::parts(0.04, 0.03, 0.0, 1.0);
        assert_eq!(bar(&tiny, 10), "░░░░░░░░░░");
        assert_eq!(bar(&[], 4), "");
    }
}

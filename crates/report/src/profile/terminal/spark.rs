//! Lines of small bars.

/// Bars from zero to the largest value, one for each cell; a cell is the largest of its values.
pub(super) fn line(values: &[f64], cells: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let cells = cells.min(values.len()).max(1);
    let largest = values.iter().copied().fold(0.0, f64::max);
    let bar = |cell: usize| {
        let (from, to) = (cell * values.len() / cells, (cell + 1) * values.len() / cells);
        let value = values.get(from..to.max(from + 1)).unwrap_or_default();
        let value = value.iter().copied().fold(0.0, f64::max);
        let level = if largest > 0.0 { (value / largest * 8.0).ceil() as usize } else { 1 };
        BARS[level.clamp(1, 8) - 1]
    };
    (0..cells).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn bars_start_at_zero() {
        assert_eq!(line(&[0.0, 1.0, 4.0, 8.0], 10), "▁▁▄█");
        assert_eq!(line(&[1.0, 8.0, 1.0, 1.0], 2), "█▁");
        assert_eq!(line(&[0.0, 0.0], 2), "▁▁");
        assert_eq!(line(&[], 2), "▁");
    }
}

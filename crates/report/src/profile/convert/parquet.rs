//! Profiles as Parquet: the columns of CSV, with their types.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ioglass_profile::Set;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::super::Selection;
use super::super::table::{Cell, ColumnKind, Rows};

/// Rows that are written at a time.
const GROUP: usize = 1 << 16;
/// Bytes of text that are written at a time.
const GROUP_SIZE: usize = 16 << 20;

/// Writes a row for each row of the profile, as [`csv`](super::super::table::csv) does.
pub fn parquet(out: &mut impl Write, set: &Set, selection: &Selection) -> io::Result<()> {
    let rows = Rows::of(set, selection);
    let written = Bytes::default();
    let mut columns: Vec<Column> = rows.columns().iter().map(|own| Column::new(own.kind)).collect();
    let mut writer = begin(&rows, written.clone()).map_err(io::Error::other)?;
    let (mut count, mut size) = (0, 0);
    rows.each(|cells| {
        columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        count += 1;
        size += cells.iter().map(Cell::size).sum::<usize>();
        if count == GROUP || size > GROUP_SIZE {
            (count, size) = (0, 0);
            write_group(&mut writer, &mut columns).map_err(io::Error::other)?;
            written.pass_on(out)?;
        }
        Ok(())
    })?;
    write_group(&mut writer, &mut columns).map_err(io::Error::other)?;
    writer.close().map_err(io::Error::other)?;
    written.pass_on(out)
}

/// What is written and not yet passed on.
#[derive(Debug, Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn pass_on(&self, out: &mut impl Write) -> io::Result<()> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        out.write_all(&bytes)
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn begin(rows: &Rows<'_>, written: Bytes) -> Result<SerializedFileWriter<Bytes>> {
    let fields = rows.columns().iter().map(|column| {
        let field = match column.kind {
            ColumnKind::Text => Type::primitive_type_builder(&column.name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String)),
            ColumnKind::Integer => Type::primitive_type_builder(&column.name, Physical::INT64),
            ColumnKind::Real => Type::primitive_type_builder(&column.name, Physical::DOUBLE),
        };
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("profile").with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_created_by("ioglass".into()).build();
    SerializedFileWriter::new(written, Arc::new(schema), Arc::new(properties))
}

fn write_group(writer: &mut SerializedFileWriter<Bytes>, columns: &mut [Column]) -> Result<()> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        if let Some(writer) = group.next_column()? {
            column.write(writer)?;
        }
    }
    group.close()?;
    Ok(())
}

/// The values of a column; a level is 0 where there is none.
struct Column {
    values: Values,
    levels: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Integer(Vec<i64>),
    Real(Vec<f64>),
}

impl Column {
    fn new(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Text => Values::Text(Vec::new()),
            ColumnKind::Integer => Values::Integer(Vec::new()),
            ColumnKind::Real => Values::Real(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    fn push(&mut self, cell: &Cell) {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        match (&mut self.values, cell) {
            (Values::Text(list), Cell::Text(text)) => list.push(text.as_str().into()),
            (Values::Integer(list), Cell::Number(number)) => list.push(whole(*number)),
            (Values::Integer(list), Cell::Sum(sum)) => list.push(*sum),
            (Values::Real(list), Cell::Number(number)) => list.push(*number as f64),
            (Values::Real(list), Cell::Sum(sum)) => list.push(*sum as f64),
            (Values::Real(list), Cell::Real(value)) => list.push(*value),
            _ => return self.levels.push(0),
        }
        self.levels.push(1);
    }

    /// Writes the values and forgets them.
    fn write(&mut self, writer: SerializedColumnWriter<'_>) -> Result<()> {
        let levels = std::mem::take(&mut self.levels);
        match &mut self.values {
            Values::Text(list) => write::<ByteArrayType>(writer, list, &levels),
            Values::Integer(list) => write::<Int64Type>(writer, list, &levels),
            Values::Real(list) => write::<DoubleType>(writer, list, &levels),
        }
    }
}

fn write<D: DataType>(
    mut writer: SerializedColumnWriter<'_>,
    values: &mut Vec<D::T>,
    levels: &[i16],
) -> Result<()> {
    writer.typed::<D>().write_batch(values, Some(levels), None)?;
    values.clear();
    writer.close()
}

#[cfg(test)]
mod tests {
    use ioglass_profile::{Builder, Head, Measure, Metric, Node, Process, Row};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::super::super::{By, table};
    use super::*;

    #[test]
    fn it_has_the_cells_of_csv() {
        let mut builder = Builder::new(Head { ranks: 3, ..Head::default() });
        let [cells, heat] = [&b"cells"[..], b"heat [K]"].map(|name| builder.metric(name).unwrap());
        for rank in 0..3 {
            let count = Measure::Count { calls: 1, sum: -5 };
            let value = Measure::Value { calls: 1, sum: 0.5, min: 0.5, max: 0.5, last: 0.5 };
            let mut row = Row { calls: 1, time_ns: 7, min_ns: 7, max_ns: 7, ..Row::default() };
            if rank > 0 {
                row.metrics.push(Metric { metric: cells, measure: count });
                row.metrics.push(Metric { metric: heat, measure: value });
            }
            let main = Node { name: "mäin".as_bytes(), rows: vec![row], ..Node::default() };
            builder.process(Process { rank, ..Process::default() }, vec![main]).unwrap();
        }
        let set = Set::of_profile(&builder.finish().unwrap()).unwrap();
        let selection = Selection { by: vec![By::Rank], ..Selection::default() };
        let (mut bytes, mut text) = (Vec::new(), Vec::new());
        parquet(&mut bytes, &set, &selection).unwrap();
        table::csv(&mut text, &set, &selection).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let fields = reader.metadata().file_metadata().schema().get_fields().to_vec();
        let mut lines = vec![fields.iter().map(|field| field.name().to_owned()).collect()];
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let cells = row.get_column_iter().map(|(_, field)| match field {
                Field::Null => String::new(),
                Field::Str(text) => text.clone(),
                other => other.to_string(),
            });
            lines.push(cells.collect::<Vec<String>>());
        }
        let lines: Vec<String> = lines.iter().map(|cells| cells.join(",") + "\n").collect();
        assert_eq!(lines.concat(), String::from_utf8(text).unwrap());
        assert_eq!(lines.len(), 1 + 3);
    }
}

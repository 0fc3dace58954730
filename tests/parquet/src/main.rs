//! The other side of tests/parquet/run.sh: Parquet's split-block Bloom filter as the `parquet` crate has it.
//!
//! usage: parquet-check read   TYPE FILTER PRESENT ABSENT   every key of PRESENT is in FILTER; prints how many of ABSENT are
//!        parquet-check write  TYPE BYTES KEYS OUT          a filter of so many bytes from KEYS
//!        parquet-check column TYPE KEYS OUT                the filter that the crate puts into a real Parquet file of KEYS
//!
//! TYPE is bytes, int32, int64 or double; a file of keys has one a line.
use parquet::bloom_filter::Sbbf;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The keys of a file, as values of a Parquet type.
fn keys_of<D: DataType>(path: &str, parse: impl Fn(&str) -> Outcome<D::T>) -> Outcome<Vec<D::T>> {
    fs::read_to_string(path)?.lines().map(parse).collect()
}

fn read<T: parquet::data_type::AsBytes>(
    filter: &[u8],
    present: &[T],
    absent: &[T],
) -> Outcome<String> {
    let filter = Sbbf::from_bytes(filter)?;
    let denied = present.iter().filter(|key| !filter.check(*key)).count();
    if denied > 0 {
        return Err(format!(
            "{denied} of {} keys that were added are denied",
            present.len()
        )
        .into());
    }
    let hits = absent.iter().filter(|key| filter.check(*key)).count();
    Ok(format!(
        "{} present, {hits} of {} absent look present",
        present.len(),
        absent.len()
    ))
}

fn write<T: parquet::data_type::AsBytes>(bytes: usize, keys: &[T]) -> Outcome<Vec<u8>> {
    let mut filter = Sbbf::new_with_num_of_bytes(bytes);
    keys.iter().for_each(|key| filter.insert(key));
    let mut out = Vec::new();
    filter.write(&mut out)?;
    Ok(out)
}

/// Writes a Parquet file of one column to memory and cuts its filter out, where the file's own metadata says it lies.
fn column<D: DataType>(physical: &str, keys: &[D::T]) -> Outcome<Vec<u8>> {
    let schema = Arc::new(parse_message_type(&format!(
        "message keys {{ required {physical} key; }}"
    ))?);
    let properties = WriterProperties::builder()
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(0.01)
        .build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let mut chunk = group.next_column()?.ok_or("the file has no column")?;
    chunk.typed::<D>().write_batch(keys, None, None)?;
    chunk.close()?;
    group.close()?;
    let metadata = writer.close()?;
    let chunk = metadata.row_group(0).column(0);
    let offset = usize::try_from(
        chunk
            .bloom_filter_offset()
            .ok_or("the file has no filter")?,
    )?;
    let length = usize::try_from(
        chunk
            .bloom_filter_length()
            .ok_or("the file does not say how long its filter is")?,
    )?;
    Ok(file[offset..offset + length].to_vec())
}

fn run<D: DataType>(
    args: &[&str],
    physical: &str,
    parse: impl Fn(&str) -> Outcome<D::T>,
) -> Outcome<()> {
    match args {
        ["read", _, filter, present, absent] => {
            let (present, absent) = (
                keys_of::<D>(present, &parse)?,
                keys_of::<D>(absent, &parse)?,
            );
            println!("{}", read(&fs::read(filter)?, &present, &absent)?);
        }
        ["write", _, bytes, keys, out] => {
            fs::write(out, write(bytes.parse()?, &keys_of::<D>(keys, &parse)?)?)?
        }
        ["column", _, keys, out] => {
            fs::write(out, column::<D>(physical, &keys_of::<D>(keys, &parse)?)?)?
        }
        _ => return Err("usage: parquet-check read|write|column TYPE ...".into()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let owned: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = owned.iter().map(String::as_str).collect();
    let outcome = match args.get(1).copied() {
        Some("bytes") => run::<ByteArrayType>(&args, "BINARY", |line| Ok(ByteArray::from(line))),
        Some("int32") => run::<Int32Type>(&args, "INT32", |line| Ok(line.parse()?)),
        Some("int64") => run::<Int64Type>(&args, "INT64", |line| Ok(line.parse()?)),
        Some("double") => run::<DoubleType>(&args, "DOUBLE", |line| Ok(line.parse()?)),
        _ => Err("the type is bytes, int32, int64 or double".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parquet-check: {error}");
            ExitCode::FAILURE
        }
    }
}

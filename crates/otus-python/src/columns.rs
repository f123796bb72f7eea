//! Columns of Arrow as the columns of the core, without copies of texts.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use otus::table::{Texts, Values};

/// A column of texts. Dictionaries stay dictionaries.
pub(crate) enum TextColumn<'a> {
    Each(Vec<Option<&'a str>>),
    Keys { keys: Vec<Option<u32>>, texts: Vec<Option<&'a str>> },
    Numbers(Vec<Option<i64>>),
}

impl TextColumn<'_> {
    pub(crate) fn texts(&self) -> Texts<'_> {
        match self {
            TextColumn::Each(texts) => Texts::Each(texts),
            TextColumn::Keys { keys, texts } => Texts::Keys { keys, texts },
            TextColumn::Numbers(numbers) => Texts::Numbers(numbers),
        }
    }
}

/// A column of names.
pub(crate) fn names<'a>(array: &'a ArrayRef, column: &str) -> Result<TextColumn<'a>, String> {
    text(array).ok_or_else(|| {
        let told = array.data_type();
        format!("column `{column}` has type {told}; it must have texts, or a dictionary of texts: cast it")
    })
}

/// A column of runs, which may have numbers as names.
pub(crate) fn runs<'a>(array: &'a ArrayRef, column: &str) -> Result<TextColumn<'a>, String> {
    let found = text(array).or_else(|| integers(array).map(TextColumn::Numbers));
    found.ok_or_else(|| {
        let told = array.data_type();
        format!(
            "column `{column}` has type {told}; it must have texts, a dictionary of texts, or whole numbers: cast it"
        )
    })
}

/// A column by which events are ordered.
pub(crate) fn orders(array: &ArrayRef, column: &str) -> Result<Vec<Option<i64>>, String> {
    integers(array).or_else(|| stamps(array).map(|(stamps, _)| stamps)).ok_or_else(|| {
        let told = array.data_type();
        format!(
            "column `{column}` has type {told}; an order is whole numbers of at most 64 bits, or times: cast it (in pandas, \
             whole numbers with gaps become floats: fill the gaps)"
        )
    })
}

/// A column of times, in nanoseconds.
pub(crate) fn times(array: &ArrayRef, column: &str) -> Result<Vec<Option<i64>>, String> {
    let (mut all, unit) = stamps(array).ok_or_else(|| {
        let told = array.data_type();
        format!("column `{column}` has type {told}; it must have time stamps: cast it")
    })?;
    for time in &mut all {
        if let Some(known) = time {
            let nanoseconds = known.checked_mul(unit).ok_or_else(|| {
                format!("column `{column}`: {known} is more than 292 years away from 1970")
            })?;
            *time = Some(nanoseconds);
        }
    }
    Ok(all)
}

/// A column of the values of a field.
pub(crate) enum ValueColumn<'a> {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    Texts(TextColumn<'a>),
}

impl ValueColumn<'_> {
    pub(crate) fn values(&self) -> Values<'_> {
        match self {
            ValueColumn::Integers(values) => Values::Integers(values),
            ValueColumn::Numbers(values) => Values::Numbers(values),
            ValueColumn::Booleans(values) => Values::Booleans(values),
            ValueColumn::Texts(texts) => Values::Texts(texts.texts()),
        }
    }
}

pub(crate) fn values<'a>(array: &'a ArrayRef, column: &str) -> Result<ValueColumn<'a>, String> {
    if let Some(texts) = text(array) {
        return Ok(ValueColumn::Texts(texts));
    }
    if let Some(integers) = integers(array) {
        return Ok(ValueColumn::Integers(integers));
    }
    match array.data_type() {
        DataType::Boolean => Ok(ValueColumn::Booleans(array.as_boolean().iter().collect())),
        DataType::Float32 => {
            let numbers = array.as_primitive::<Float32Type>().iter();
            Ok(ValueColumn::Numbers(numbers.map(|it| it.map(f64::from)).collect()))
        }
        DataType::Float64 => {
            Ok(ValueColumn::Numbers(array.as_primitive::<Float64Type>().iter().collect()))
        }
        told => Err(format!(
            "column `{column}` has type {told}; values are numbers, texts or truth values: cast it"
        )),
    }
}

fn text(array: &ArrayRef) -> Option<TextColumn<'_>> {
    let DataType::Dictionary(kind, _) = array.data_type() else {
        return plain_text(array).map(TextColumn::Each);
    };
    macro_rules! keys {
        ($($kind:ident => $type:ty),*) => {
            match **kind {
                $(DataType::$kind => {
                    let keys = array.as_dictionary::<$type>().keys();
                    keys.iter().map(|key| u32::try_from(key?).ok()).collect()
                })*
                _ => return None,
            }
        };
    }
    let keys = keys!(
        Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
        UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type
    );
    let texts = plain_text(array.as_any_dictionary().values())?;
    Some(TextColumn::Keys { keys, texts })
}

fn plain_text(array: &ArrayRef) -> Option<Vec<Option<&str>>> {
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        // A column without any value has no other type.
        DataType::Null => vec![None; array.len()],
        _ => return None,
    })
}

fn integers(array: &ArrayRef) -> Option<Vec<Option<i64>>> {
    Some(match array.data_type() {
        DataType::Int8 => widened::<Int8Type>(array),
        DataType::Int16 => widened::<Int16Type>(array),
        DataType::Int32 => widened::<Int32Type>(array),
        DataType::Int64 => widened::<Int64Type>(array),
        DataType::UInt8 => widened::<UInt8Type>(array),
        DataType::UInt16 => widened::<UInt16Type>(array),
        DataType::UInt32 => widened::<UInt32Type>(array),
        DataType::UInt64 => {
            let all = array.as_primitive::<UInt64Type>().iter();
            let all = all.map(|number| number.map(i64::try_from).transpose());
            return all.collect::<Result<_, _>>().ok();
        }
        DataType::Null => vec![None; array.len()],
        _ => return None,
    })
}

fn widened<T: ArrowPrimitiveType>(array: &ArrayRef) -> Vec<Option<i64>>
where
    T::Native: Into<i64>,
{
    array.as_primitive::<T>().iter().map(|number| number.map(Into::into)).collect()
}

/// Time stamps, and how many nanoseconds their unit has.
fn stamps(array: &ArrayRef) -> Option<(Vec<Option<i64>>, i64)> {
    const DAY: i64 = 86_400_000_000_000;
    Some(match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            (widened::<TimestampSecondType>(array), 1_000_000_000)
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            (widened::<TimestampMillisecondType>(array), 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            (widened::<TimestampMicrosecondType>(array), 1_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            (widened::<TimestampNanosecondType>(array), 1)
        }
        DataType::Duration(TimeUnit::Second) => {
            (widened::<DurationSecondType>(array), 1_000_000_000)
        }
        DataType::Duration(TimeUnit::Millisecond) => {
            (widened::<DurationMillisecondType>(array), 1_000_000)
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            (widened::<DurationMicrosecondType>(array), 1_000)
        }
        DataType::Duration(TimeUnit::Nanosecond) => (widened::<DurationNanosecondType>(array), 1),
        DataType::Date32 => (widened::<Date32Type>(array), DAY),
        DataType::Date64 => (widened::<Date64Type>(array), 1_000_000),
        DataType::Null => (vec![None; array.len()], 1),
        _ => return None,
    })
}

//! Numbers as Python compares them: integers of any size and floats, exactly.

use super::Value;
use num_bigint::{BigInt, ParseBigIntError};
use std::cmp::Ordering;

/// An integer outside 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigInteger {
    decimal: String,
}

impl BigInteger {
    /// From a JSON integer literal: optional minus, digits without leading zeros.
    pub fn from_literal(literal: impl Into<String>) -> Self {
        Self {
            decimal: literal.into(),
        }
    }

    /// Decimal digits with a leading minus where negative, as Python's `str` shows them.
    pub fn as_decimal(&self) -> &str {
        &self.decimal
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.decimal.starts_with('-')
    }

    fn to_number(&self) -> Result<BigInt, ParseBigIntError> {
        self.decimal.parse()
    }
}

/// A number for comparison; booleans are 0 and 1.
#[derive(Clone, Copy, Debug)]
pub enum Number<'v> {
    /// Fits 64 bits.
    Int(i64),
    /// Does not fit 64 bits.
    Big(&'v BigInteger),
    /// A float.
    Float(f64),
}

impl<'v> Number<'v> {
    /// The number in `value`, if it is one (booleans count).
    pub fn of(value: &'v Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(Self::Int(i64::from(*flag))),
            Value::Int(number) => Some(Self::Int(*number)),
            Value::BigInt(number) => Some(Self::Big(number)),
            Value::Float(number) => Some(Self::Float(*number)),
            Value::Null | Value::Str(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A text that two numbers share exactly when Python takes them for the same dictionary key:
    /// `1`, `1.0` and `True` are one key. NaN counts as equal to itself here, because `json` hands out
    /// one NaN object and Python's containers compare identity first.
    pub fn dictionary_key(self) -> String {
        match self {
            Self::Int(number) => number.to_string(),
            Self::Big(number) => number.as_decimal().to_owned(),
            Self::Float(number) if number.is_finite() && number.fract() == 0.0 => {
                exact_integer(number).to_string()
            }
            Self::Float(number) => format!("{number:e}"),
        }
    }

    fn exact(self) -> Option<BigInt> {
        match self {
            Self::Int(number) => Some(BigInt::from(number)),
            Self::Big(number) => number.to_number().ok(),
            Self::Float(_) => None,
        }
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// Python's order of numbers: exact between integers and floats, none with NaN.
impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (*self, *other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(&right)),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(&right),
            (Self::Float(left), right) => order_float(left, right),
            (left, Self::Float(right)) => order_float(right, left).map(Ordering::reverse),
            (Self::Big(left), Self::Big(right)) if left == right => Some(Ordering::Equal),
            (left, right) => left.exact()?.partial_cmp(&right.exact()?),
        }
    }
}

/// Order of a float against an integer, without rounding the integer.
fn order_float(float: f64, integer: Number<'_>) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 {
            Ordering::Greater
        } else {
            Ordering::Less
        });
    }
    let whole = exact_integer(float.trunc());
    let order = whole.cmp(&integer.exact()?);
    if order != Ordering::Equal {
        return Some(order);
    }
    float.fract().partial_cmp(&0.0)
}

/// The integer that a finite float without fraction is.
fn exact_integer(float: f64) -> BigInt {
    const MANTISSA_BITS: u64 = 52;
    const EXPONENT_BIAS: i64 = 1075;
    let bits = float.to_bits();
    let exponent = i64::try_from((bits >> MANTISSA_BITS) & 0x7FF).unwrap_or(0);
    if exponent == 0 {
        return BigInt::from(0);
    }
    let mantissa = (bits & ((1 << MANTISSA_BITS) - 1)) | (1 << MANTISSA_BITS);
    let shift = exponent - EXPONENT_BIAS;
    let size = if shift >= 0 {
        BigInt::from(mantissa) << shift.unsigned_abs()
    } else {
        BigInt::from(mantissa) >> shift.unsigned_abs()
    };
    if float < 0.0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_compare_exactly() {
        let big = BigInteger::from_literal("100000000000000000000000");
        assert!(Number::Big(&big) > Number::Float(1e22));
        assert!(Number::Big(&big) < Number::Float(f64::INFINITY));
        assert!(Number::Float(-0.5) < Number::Int(0));
        assert!(Number::Float(2.5) > Number::Int(2));
        assert_eq!(Number::Float(-0.0), Number::Int(0));
        assert_eq!(
            Number::Float(1e22),
            Number::Big(&BigInteger::from_literal("10000000000000000000000"))
        );
        assert_eq!(Number::Float(f64::NAN).partial_cmp(&Number::Int(0)), None);
    }

    #[test]
    fn equal_numbers_are_one_dictionary_key() {
        let big = BigInteger::from_literal("10000000000000000000000");
        assert_eq!(
            Number::Big(&big).dictionary_key(),
            Number::Float(1e22).dictionary_key()
        );
        assert_eq!(
            Number::Float(-0.0).dictionary_key(),
            Number::Int(0).dictionary_key()
        );
        assert_eq!(Number::Float(-7.0).dictionary_key(), "-7");
        assert_ne!(
            Number::Float(0.5).dictionary_key(),
            Number::Float(0.25).dictionary_key()
        );
        assert_ne!(
            Number::Float(f64::INFINITY).dictionary_key(),
            Number::Float(f64::NEG_INFINITY).dictionary_key()
        );
    }
}

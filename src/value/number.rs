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

    /// Order against any integer of 64 bits: this one lies outside them, so its sign decides.
    fn order_to_small(&self) -> Ordering {
        if self.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    fn to_number(&self) -> Result<BigInt, ParseBigIntError> {
        self.decimal.parse()
    }
}

/// By the digits, without arithmetic: a million digits compare at once.
impl Ord for BigInteger {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = |number: &'_ Self| number.decimal.len();
        match (self.is_negative(), other.is_negative()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => size(self)
                .cmp(&size(other))
                .then_with(|| self.decimal.cmp(&other.decimal)),
            (true, true) => size(other)
                .cmp(&size(self))
                .then_with(|| other.decimal.cmp(&self.decimal)),
        }
    }
}

impl PartialOrd for BigInteger {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
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
            (Self::Int(_), Self::Big(right)) => Some(right.order_to_small().reverse()),
            (Self::Big(left), Self::Int(_)) => Some(left.order_to_small()),
            (Self::Big(left), Self::Big(right)) => Some(left.cmp(right)),
        }
    }
}

/// Characters of the longest integer that a finite float can reach, sign included.
const LONGEST_FLOAT: usize = 310;

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
    if let Number::Big(big) = integer
        && big.decimal.len() > LONGEST_FLOAT
    {
        return Some(big.order_to_small().reverse());
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

/// The decimal digits of `int(number)`; nothing for NaN and the infinities, which have none.
pub fn truncated_decimal(number: Number<'_>) -> Option<String> {
    match number {
        Number::Int(number) => Some(number.to_string()),
        Number::Big(number) => Some(number.as_decimal().to_owned()),
        Number::Float(number) if number.is_finite() => {
            Some(exact_integer(number.trunc()).to_string())
        }
        Number::Float(_) => None,
    }
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

    #[test]
    fn large_integers_compare_by_their_digits() {
        let number = |literal: &str| BigInteger::from_literal(literal);
        let [low, high, longer] = [
            "20000000000000000000",
            "30000000000000000000",
            "100000000000000000000",
        ]
        .map(number);
        let [low_negative, high_negative] =
            ["-30000000000000000000", "-20000000000000000000"].map(number);
        let mut all = [&longer, &low, &high_negative, &high, &low_negative];
        all.sort();
        assert_eq!(all, [&low_negative, &high_negative, &low, &high, &longer]);
        assert!(Number::Big(&low) > Number::Int(i64::MAX));
        assert!(Number::Int(i64::MIN) > Number::Big(&high_negative));
        let huge = number(&"9".repeat(1_000_000));
        assert!(Number::Big(&huge) > Number::Float(f64::MAX));
        assert!(Number::Float(f64::INFINITY) > Number::Big(&huge));
        assert_eq!(
            Number::Big(&huge).partial_cmp(&Number::Float(f64::NAN)),
            None
        );
    }

    #[test]
    fn whole_numbers_are_cut_towards_zero() {
        let shown = |number| truncated_decimal(Number::Float(number));
        assert_eq!(shown(2.9), Some("2".to_owned()));
        assert_eq!(shown(-2.9), Some("-2".to_owned()));
        assert_eq!(shown(1e23), Some("99999999999999991611392".to_owned()));
        assert_eq!(shown(f64::NAN), None);
        assert_eq!(shown(f64::INFINITY), None);
    }
}

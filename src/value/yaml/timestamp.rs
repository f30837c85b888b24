//! Dates and times as YAML 1.1 spells them and Python's `datetime` holds and prints them.
//!
//! In: the text of a value. Out: whether it is shaped like a time, and the [`Timestamp`] if there is
//! such a day. A value that has the shape without being one is an error to the reader, as in `PyYAML`.

use std::fmt::{self, Write as _};

/// A date, or a date with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Year, 1 to 9999.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
    /// Nothing for a plain date.
    pub time: Option<Time>,
}

/// Time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
    /// Microseconds.
    pub microsecond: u32,
    /// Minutes east of Greenwich; nothing when no zone was given.
    pub offset_minutes: Option<i16>,
}

/// The fields as they are spelled.
#[derive(Debug, Default)]
struct Spelled<'a> {
    year: &'a [u8],
    month: &'a [u8],
    day: &'a [u8],
    time: Option<SpelledTime<'a>>,
}

#[derive(Debug, Default)]
struct SpelledTime<'a> {
    hour: &'a [u8],
    minute: &'a [u8],
    second: &'a [u8],
    fraction: &'a [u8],
    zone: Zone<'a>,
}

#[derive(Debug, Default)]
enum Zone<'a> {
    #[default]
    None,
    Utc,
    Offset {
        west: bool,
        hour: &'a [u8],
        minute: &'a [u8],
    },
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// `least` to `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<&'a [u8]> {
        let count = self
            .0
            .iter()
            .take(most)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if count < least {
            return None;
        }
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(digits)
    }

    fn byte(&mut self, wanted: u8) -> Option<()> {
        let (&first, rest) = self.0.split_first()?;
        if first != wanted {
            return None;
        }
        self.0 = rest;
        Some(())
    }

    /// Blanks, and how many.
    fn blanks(&mut self) -> usize {
        let count = self
            .0
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        self.0 = self.0.get(count..).unwrap_or_default();
        count
    }
}

fn split(bytes: &[u8]) -> Option<Spelled<'_>> {
    let mut cursor = Cursor(bytes);
    let year = cursor.digits(4, 4)?;
    cursor.byte(b'-')?;
    let month = cursor.digits(1, 2)?;
    cursor.byte(b'-')?;
    let day = cursor.digits(1, 2)?;
    let mut spelled = Spelled {
        year,
        month,
        day,
        time: None,
    };
    if cursor.0.is_empty() {
        return Some(spelled);
    }
    if cursor.byte(b'T').or_else(|| cursor.byte(b't')).is_none() && cursor.blanks() == 0 {
        return None;
    }
    let mut time = SpelledTime {
        hour: cursor.digits(1, 2)?,
        ..SpelledTime::default()
    };
    cursor.byte(b':')?;
    time.minute = cursor.digits(2, 2)?;
    cursor.byte(b':')?;
    time.second = cursor.digits(2, 2)?;
    if cursor.byte(b'.').is_some() {
        time.fraction = cursor.digits(0, usize::MAX)?;
    }
    if !cursor.0.is_empty() {
        cursor.blanks();
        time.zone = match cursor.0 {
            [b'Z'] => Zone::Utc,
            [sign @ (b'-' | b'+'), rest @ ..] => {
                let mut cursor = Cursor(rest);
                let hour = cursor.digits(1, 2)?;
                let minute = match cursor.byte(b':') {
                    Some(()) => cursor.digits(2, 2)?,
                    None => b"",
                };
                if !cursor.0.is_empty() {
                    return None;
                }
                Zone::Offset {
                    west: *sign == b'-',
                    hour,
                    minute,
                }
            }
            _ => return None,
        };
    }
    spelled.time = Some(time);
    Some(spelled)
}

/// Whether a plain value has the shape of a time: a lone date needs two digits for month and day.
pub(super) fn is_plain_timestamp(bytes: &[u8]) -> bool {
    split(bytes).is_some_and(|spelled| {
        spelled.time.is_some() || spelled.month.len() == 2 && spelled.day.len() == 2
    })
}

fn number<T: TryFrom<u32>>(digits: &[u8]) -> Option<T> {
    let value = digits
        .iter()
        .fold(0_u32, |value, byte| value * 10 + u32::from(byte & 0x0F));
    T::try_from(value).ok()
}

fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

impl Timestamp {
    /// Read a date or time; nothing when the text has another shape or there is no such time.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        // Python's `$` also matches before a final line end.
        let spelled = split(bytes.strip_suffix(b"\n").unwrap_or(bytes))?;
        let year: u16 = number(spelled.year)?;
        let month: u8 = number(spelled.month)?;
        let day: u8 = number(spelled.day)?;
        if year == 0
            || !(1..=12).contains(&month)
            || !(1..=days_in_month(year, month)).contains(&day)
        {
            return None;
        }
        let time = match spelled.time {
            Some(time) => Some(Time::of_spelled(&time)?),
            None => None,
        };
        Some(Self {
            year,
            month,
            day,
            time,
        })
    }

    /// A number that two aware times share when they are the same instant, in microseconds.
    pub(super) fn instant(&self) -> Option<i64> {
        let time = self.time?;
        let offset = i64::from(time.offset_minutes?);
        let year = i64::from(self.year) - 1;
        let mut days = year * 365 + year / 4 - year / 100 + year / 400 + i64::from(self.day);
        for month in 1..self.month {
            days += i64::from(days_in_month(self.year, month));
        }
        let minutes = (days * 24 + i64::from(time.hour)) * 60 + i64::from(time.minute) - offset;
        Some((minutes * 60 + i64::from(time.second)) * 1_000_000 + i64::from(time.microsecond))
    }

    /// Python's `repr`, e.g. `datetime.date(2026, 4, 22)`.
    pub(super) fn to_repr(self) -> String {
        let Self {
            year,
            month,
            day,
            time,
        } = self;
        let Some(time) = time else {
            return format!("datetime.date({year}, {month}, {day})");
        };
        let mut text = format!(
            "datetime.datetime({year}, {month}, {day}, {}, {}",
            time.hour, time.minute
        );
        if time.second != 0 || time.microsecond != 0 {
            let _ = write!(text, ", {}", time.second);
        }
        if time.microsecond != 0 {
            let _ = write!(text, ", {}", time.microsecond);
        }
        match time.offset_minutes {
            None => {}
            Some(0) => text.push_str(", tzinfo=datetime.timezone.utc"),
            Some(minutes) => {
                // A timedelta keeps its seconds positive and borrows from the days.
                let days = minutes.div_euclid(24 * 60);
                let seconds = i32::from(minutes.rem_euclid(24 * 60)) * 60;
                let days = if days == 0 {
                    String::new()
                } else {
                    format!("days={days}, ")
                };
                let _ = write!(
                    text,
                    ", tzinfo=datetime.timezone(datetime.timedelta({days}seconds={seconds}))"
                );
            }
        }
        text.push(')');
        text
    }
}

impl Time {
    fn of_spelled(spelled: &SpelledTime<'_>) -> Option<Self> {
        const MINUTES_PER_DAY: i16 = 24 * 60;
        let hour: u8 = number(spelled.hour)?;
        let minute: u8 = number(spelled.minute)?;
        let second: u8 = number(spelled.second)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut microsecond = 0;
        for place in 0..6 {
            let digit = spelled
                .fraction
                .get(place)
                .map_or(0, |byte| u32::from(byte & 0x0F));
            microsecond = microsecond * 10 + digit;
        }
        let offset_minutes = match spelled.zone {
            Zone::None => None,
            Zone::Utc => Some(0),
            Zone::Offset { west, hour, minute } => {
                let minutes = number::<i16>(hour)? * 60 + number::<i16>(minute)?;
                if minutes >= MINUTES_PER_DAY {
                    return None;
                }
                Some(if west { -minutes } else { minutes })
            }
        };
        Some(Self {
            hour,
            minute,
            second,
            microsecond,
            offset_minutes,
        })
    }
}

/// Python's `str`.
impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)?;
        let Some(time) = self.time else { return Ok(()) };
        write!(
            out,
            " {:02}:{:02}:{:02}",
            time.hour, time.minute, time.second
        )?;
        if time.microsecond != 0 {
            write!(out, ".{:06}", time.microsecond)?;
        }
        if let Some(minutes) = time.offset_minutes {
            let sign = if minutes < 0 { '-' } else { '+' };
            write!(
                out,
                "{sign}{:02}:{:02}",
                minutes.abs() / 60,
                minutes.abs() % 60
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_python_prints_them() {
        let table = [
            ("2026-04-22", Some("2026-04-22")),
            ("2026-4-2", Some("2026-04-02")),
            ("2026-04-22 14:23:01", Some("2026-04-22 14:23:01")),
            (
                "2026-04-22t1:02:03.5Z",
                Some("2026-04-22 01:02:03.500000+00:00"),
            ),
            (
                "2026-04-22T01:02:03.12345678 -5:30",
                Some("2026-04-22 01:02:03.123456-05:30"),
            ),
            ("2024-02-29", Some("2024-02-29")),
            ("2023-02-29", None),
            ("2026-13-45", None),
            ("0000-01-01", None),
            ("2026-04-22 24:00:00", None),
            ("2026-04-22 14:23:01 +24:00", None),
        ];
        for (text, printed) in table {
            let got = Timestamp::parse(text.as_bytes()).map(|timestamp| timestamp.to_string());
            assert_eq!(got.as_deref(), printed, "{text}");
        }
    }

    #[test]
    fn a_lone_date_needs_two_digits_to_be_one() {
        assert!(is_plain_timestamp(b"2026-13-45"));
        assert!(!is_plain_timestamp(b"2026-4-2"));
        assert!(is_plain_timestamp(b"2026-4-2 1:02:03"));
    }
}

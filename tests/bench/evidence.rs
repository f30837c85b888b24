//! How long quote matching takes, on inputs made here.
//!
//! In: nothing. Out: one line for each input: what it is and how many milliseconds it took.
//! Run with `cargo bench --bench evidence`; the limits stand beside each figure.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(clippy::print_stdout, reason = "its figures are its output")]

use gatewright::evidence::{Grade, Match, Prepared, ground, normalised};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const LARGE: usize = 10_000_000;

// A small generator, so that every run has the same text (Marsaglia's xorshift).
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (below as u64)).unwrap_or(0)
    }
}

fn vocabulary(noise: &mut Noise, count: usize) -> Vec<String> {
    let letters: Vec<char> = "etaoinshrdlucmfwypvbgk".chars().collect();
    let mut word = || {
        let len = 2 + noise.next(8);
        (0..len)
            .filter_map(|_| letters.get(noise.next(letters.len())))
            .collect()
    };
    (0..count).map(|_| word()).collect()
}

fn prose(noise: &mut Noise, words: &[String], bytes: usize, numbered: bool) -> String {
    let mut text = String::with_capacity(bytes + 100);
    let mut line = 1;
    let mut width = 0;
    while text.len() < bytes {
        if width > 70 {
            text.push('\n');
            line += 1;
            width = 0;
            if numbered {
                let _ = write!(text, "{line}: ");
            }
        }
        match noise.next(200) {
            0 => text.push_str("it’s “quoted” — "),
            1 => text.push_str("land-\nlord "),
            _ => {}
        }
        let word = words
            .get(noise.next(words.len()))
            .map_or("", String::as_str);
        text.push_str(word);
        text.push(' ');
        width += word.len() + 1;
    }
    text
}

// Slices of the text, as they are or reflowed. Of every ten quotes, `changed` are something else:
// other words of the same vocabulary, or a slice with a word missing.
fn quotes(
    noise: &mut Noise,
    words: &[String],
    text: &str,
    count: usize,
    changed: usize,
) -> Vec<String> {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let quote = |number: usize| {
        let start = noise.next(starts.len().saturating_sub(130).max(1));
        let from = starts.get(start).copied().unwrap_or(0);
        let to = starts.get(start + 120).copied().unwrap_or(text.len());
        let slice = text.get(from..to).unwrap_or("");
        let mut parts: Vec<&str> = slice.split_whitespace().collect();
        match (number % 10 < changed, number % 2) {
            (false, 0) => slice.to_owned(),
            (false, _) => parts.join(" "),
            (true, 0) => {
                let mut other = || {
                    words
                        .get(noise.next(words.len()))
                        .map_or("", String::as_str)
                };
                (0..18).map(|_| other()).collect::<Vec<_>>().join(" ")
            }
            (true, _) => {
                if parts.len() > 6 {
                    parts.remove(4);
                }
                parts.join(" ")
            }
        }
    };
    (0..count).map(quote).collect()
}

fn tally(answers: &[Match]) -> String {
    use Grade::{Absent, Elided, Identical, Near, Reflowed, Typographic};
    let count = |grade: Grade| answers.iter().filter(|found| found.grade == grade).count();
    let grades = [Identical, Reflowed, Typographic, Elided, Near, Absent];
    grades
        .iter()
        .map(|&grade| format!("{} {}", grade.name(), count(grade)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn report(name: &str, limit: &str, took: Duration, answers: &[Match]) {
    println!(
        "{name}: {} ms (limit {limit}); {}",
        took.as_millis(),
        tally(answers)
    );
}

fn one_large_source(name: &str, text: &str, quotes: &[String]) {
    let asked: Vec<&str> = quotes.iter().map(String::as_str).collect();
    let start = Instant::now();
    let Ok(source) = Prepared::from_bytes(text.as_bytes()) else {
        return;
    };
    let answers = ground(&source, &asked);
    report(name, "2000 ms", start.elapsed(), &answers);
}

fn large_sources(noise: &mut Noise) {
    for count in [5000, 50] {
        let words = vocabulary(noise, count);
        for numbered in [false, true] {
            let text = prose(noise, &words, LARGE, numbered);
            let asked = quotes(noise, &words, &text, 10_000, 5);
            let lines = if numbered { ", numbered lines" } else { "" };
            one_large_source(
                &format!("10 MB of {count} words{lines}, 10,000 quotes"),
                &text,
                &asked,
            );
        }
    }
}

fn hostile_sources(noise: &mut Noise) {
    let numbers = || 0..10_000;
    let text = "a".repeat(LARGE);
    let end = |number: usize| if number.is_multiple_of(2) { "" } else { "b" };
    let asked: Vec<String> = numbers()
        .map(|number| "a".repeat(number / 20 + 1) + end(number))
        .collect();
    one_large_source(
        "10 MB of `a`, 10,000 quotes of `a` with and without `b`",
        &text,
        &asked,
    );

    let text = ("a".repeat(999) + "b").repeat(LARGE / 1000);
    let asked: Vec<String> = numbers()
        .map(|number| "a".repeat(1000 + number % 7))
        .collect();
    one_large_source(
        "10 MB of 999 `a` and a `b`, 10,000 quotes of 1000 `a`",
        &text,
        &asked,
    );

    let text = "a-".repeat(LARGE / 2) + "land-\nlord";
    let asked: Vec<String> = numbers()
        .map(|number| "a-".repeat(100 + number % 300) + "aa-a")
        .collect();
    one_large_source(
        "10 MB of `a-`, 10,000 quotes with one hyphen less",
        &text,
        &asked,
    );

    let text = "甲方應支付租金，乙方不得轉租。".repeat(LARGE / 45);
    let asked: Vec<String> = numbers()
        .map(|number| format!("甲方應支{number}付租金，乙方得轉租。"))
        .collect();
    one_large_source("10 MB of Chinese, 10,000 near quotes", &text, &asked);

    let words = vocabulary(noise, 300);
    let text = prose(noise, &words, LARGE, false);
    let asked: Vec<String> = numbers()
        .map(|number| format!("et ... on ... {number} ... he"))
        .collect();
    one_large_source(
        "10 MB of 300 words, 10,000 quotes with ellipses",
        &text,
        &asked,
    );

    let text: String = (0..LARGE / 4).map(|_| "e\u{301}\n").collect();
    let asked: Vec<String> = numbers()
        .map(|number| "é ".repeat(number % 90 + 1) + "x")
        .collect();
    one_large_source("10 MB of combining accents, 10,000 quotes", &text, &asked);
}

fn many_documents(noise: &mut Noise) {
    let words = vocabulary(noise, 5000);
    let texts: Vec<String> = (0..10_000)
        .map(|_| prose(noise, &words, 20_000, false))
        .collect();
    let start = Instant::now();
    let normal: usize = texts
        .par_iter()
        .map(|text| normalised(&text.clone()).len())
        .sum();
    let reading = start.elapsed().as_millis();
    let limit = format!(
        "{} ms, twice the {reading} ms to copy and normalise to {normal} bytes",
        2 * reading
    );
    for changed in [0, 5] {
        let asked: Vec<Vec<String>> = texts
            .iter()
            .map(|text| quotes(noise, &words, text, 10, changed))
            .collect();
        let start = Instant::now();
        let answers: Vec<Match> = texts
            .par_iter()
            .zip(&asked)
            .flat_map_iter(|(text, own)| {
                let own: Vec<&str> = own.iter().map(String::as_str).collect();
                Prepared::new(text)
                    .map(|source| ground(&source, &own))
                    .unwrap_or_default()
            })
            .collect();
        let name =
            format!("100,000 quotes over 10,000 documents of 20 KB, {changed} of 10 changed");
        report(&name, &limit, start.elapsed(), &answers);
    }
}

fn main() {
    let mut noise = Noise(88_172_645_463_325_252);
    large_sources(&mut noise);
    hostile_sources(&mut noise);
    many_documents(&mut noise);
}

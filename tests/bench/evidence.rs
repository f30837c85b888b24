//! How long quote matching takes, on inputs made here.
//!
//! In: the names of groups (`large`, `hostile`, `documents`), none for all. Out: one line for each
//! input: what it is, how long it took by the clock and on the processor, the limit, the tally of
//! grades; at the end the peak memory. Status 1 when the grades are not what the input was made
//! for, so that no figure stands for work that was not done. Run with
//! `cargo bench --bench evidence -- large`.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(clippy::print_stdout, reason = "its figures are its output")]

use gatewright::evidence::{Grade, Match, Prepared, ground, normalised};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const LARGE: usize = 10_000_000;
const QUOTES: usize = 10_000;

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

// Seconds this process has spent on all processors.
fn cpu_seconds() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold anything; the fields begin behind its bracket.
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks: f64 = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / TICKS_A_SECOND
}

struct Clock {
    wall: Instant,
    cpu: f64,
}

impl Clock {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: cpu_seconds(),
        }
    }

    fn stop(&self) -> (Duration, f64) {
        (self.wall.elapsed(), cpu_seconds() - self.cpu)
    }
}

// What the answers must be for the figure to mean anything.
#[derive(Clone)]
struct Expected {
    accepted: std::ops::RangeInclusive<usize>,
    near: std::ops::RangeInclusive<usize>,
    elided: std::ops::RangeInclusive<usize>,
}

impl Expected {
    const fn new() -> Self {
        Self {
            accepted: 0..=0,
            near: 0..=0,
            elided: 0..=0,
        }
    }
}

#[derive(Default)]
struct Bench {
    wrong: usize,
}

impl Bench {
    fn report(
        &mut self,
        name: &str,
        limit: &str,
        (wall, cpu): (Duration, f64),
        answers: &[Match],
        expected: &Expected,
    ) {
        use Grade::{Absent, Elided, Identical, Near, Reflowed, Typographic};
        let count = |grade: Grade| answers.iter().filter(|found| found.grade == grade).count();
        let tally = [Identical, Reflowed, Typographic, Elided, Near, Absent]
            .iter()
            .map(|&grade| (grade, count(grade)))
            .filter(|(_, count)| *count > 0)
            .map(|(grade, count)| format!("{count} {}", grade.name()))
            .collect::<Vec<_>>()
            .join(", ");
        let right = expected
            .accepted
            .contains(&(count(Identical) + count(Reflowed)))
            && expected.near.contains(&count(Near))
            && expected.elided.contains(&count(Elided));
        let verdict = if right { "" } else { "; WRONG GRADES" };
        self.wrong += usize::from(!right);
        println!(
            "{name}: {} ms, {:.0} ms of processor (limit {limit}); {tally}{verdict}",
            wall.as_millis(),
            cpu * 1000.0,
        );
    }

    fn one_large_source(&mut self, name: &str, text: &str, quotes: &[String], expected: &Expected) {
        let asked: Vec<&str> = quotes.iter().map(String::as_str).collect();
        let clock = Clock::start();
        let answers = Prepared::from_bytes(text.as_bytes())
            .map(|source| ground(&source, &asked))
            .unwrap_or_default();
        self.report(name, "2000 ms", clock.stop(), &answers, expected);
    }

    fn large_sources(&mut self, noise: &mut Noise) {
        let expected = Expected {
            accepted: 4990..=5050,
            near: 1900..=2010,
            ..Expected::new()
        };
        for count in [5000, 50] {
            let words = vocabulary(noise, count);
            for numbered in [false, true] {
                let text = prose(noise, &words, LARGE, numbered);
                let asked = quotes(noise, &words, &text, QUOTES, 5);
                let lines = if numbered { ", numbered lines" } else { "" };
                let name = format!("10 MB of {count} words{lines}, 10,000 quotes");
                self.one_large_source(&name, &text, &asked, &expected);
            }
        }
        let words = vocabulary(noise, 5000);
        let text = prose(noise, &words, LARGE, false).replace('\n', " ");
        let asked = quotes(noise, &words, &text, QUOTES, 5);
        let name = "10 MB on one line, 10,000 quotes";
        self.one_large_source(name, &text, &asked, &expected);
    }

    fn hostile_sources(&mut self, noise: &mut Noise) {
        let all = 0..=QUOTES;
        let make = |quote: &dyn Fn(usize) -> String| (0..QUOTES).map(quote).collect::<Vec<_>>();

        let text = "a".repeat(LARGE);
        let asked = make(&|number| {
            "a".repeat(number / 20 + 1) + if number.is_multiple_of(2) { "" } else { "b" }
        });
        let expected = Expected {
            accepted: 5000..=5000,
            near: 4900..=5000,
            ..Expected::new()
        };
        let name = "10 MB of `a`, quotes of `a` with and without `b`";
        self.one_large_source(name, &text, &asked, &expected);

        let text = ("a".repeat(999) + "b").repeat(LARGE / 1000);
        let asked = make(&|number| "a".repeat(1000 + number % 200) + &"c".repeat(number / 200));
        let expected = Expected {
            near: 9000..=QUOTES,
            ..Expected::new()
        };
        let name = "10 MB of 999 `a` and a `b`, quotes of more `a` than stand together";
        self.one_large_source(name, &text, &asked, &expected);

        let text = "a-".repeat(LARGE / 2) + "land-\nlord";
        let asked =
            make(&|number| "a-".repeat(100 + number % 100) + "aa-" + &"b".repeat(number / 100));
        let expected = Expected {
            near: 5000..=QUOTES,
            ..Expected::new()
        };
        let name = "10 MB of `a-`, quotes with one hyphen less";
        self.one_large_source(name, &text, &asked, &expected);

        let text = "甲方應支付租金，乙方不得轉租。".repeat(LARGE / 45);
        let asked = make(&|number| {
            format!("甲方應支付租金，乙方{number}得轉租。甲方應支付租金，乙方得轉租。")
        });
        let expected = Expected {
            near: QUOTES..=QUOTES,
            ..Expected::new()
        };
        self.one_large_source(
            "10 MB of Chinese, quotes with a number",
            &text,
            &asked,
            &expected,
        );

        let text = "the landlord is not liable for the rent of the tenant. ".repeat(LARGE / 55);
        let asked = make(&|number| {
            format!("the landlord is liable for the rent of tenant {number}. the landlord is not")
        });
        self.one_large_source(
            "10 MB of one sentence, quotes near it everywhere",
            &text,
            &asked,
            &expected,
        );

        let words = vocabulary(noise, 300);
        let text = prose(noise, &words, LARGE, false);
        let word = |number: usize| words.get(number % 300).map_or("", String::as_str);
        let asked = make(&|number| {
            (0..12)
                .map(|step| word(number * 7 + step * step * (number / 300 + 1)))
                .collect::<Vec<_>>()
                .join(" ... ")
        });
        let expected = Expected {
            elided: 1..=QUOTES,
            near: all.clone(),
            ..Expected::new()
        };
        let name = "10 MB of 300 words, quotes of twelve words around ellipses";
        self.one_large_source(name, &text, &asked, &expected);

        let asked =
            make(&|number| format!("{} ... {number} ... {}", word(number), word(number / 7)));
        let expected = Expected {
            elided: 0..=QUOTES,
            near: all.clone(),
            ..Expected::new()
        };
        let name = "10 MB of 300 words, quotes whose middle is absent";
        self.one_large_source(name, &text, &asked, &expected);

        let text: String = (0..LARGE / 4).map(|_| "e\u{301}\n").collect();
        let asked = make(&|number| "é ".repeat(number % 100 + 5) + &"x".repeat(number / 100));
        let expected = Expected {
            near: 1000..=QUOTES,
            ..Expected::new()
        };
        self.one_large_source("10 MB of combining accents", &text, &asked, &expected);

        let text = format!("pay {}rent", " \n".repeat(LARGE / 2));
        let asked = make(&|number| {
            format!(
                "pay{}rent",
                " ".repeat(number % 5000 + 1) + &"\t".repeat(number / 5000)
            )
        });
        let expected = Expected {
            accepted: QUOTES..=QUOTES,
            ..Expected::new()
        };
        self.one_large_source(
            "10 MB of white space between two words",
            &text,
            &asked,
            &expected,
        );

        let text = format!(
            "{}a{}",
            "\u{301}".repeat(LARGE / 4),
            "\u{200b}".repeat(LARGE / 6)
        );
        let asked =
            make(&|number| "\u{301}".repeat(number % 1000 + 1) + &"\u{200b}".repeat(number / 1000));
        let expected = Expected {
            accepted: 1000..=QUOTES,
            near: all,
            ..Expected::new()
        };
        self.one_large_source(
            "10 MB of marks and characters without ink",
            &text,
            &asked,
            &expected,
        );
    }

    fn many_documents(&mut self, noise: &mut Noise, folder: &Path) {
        let words = vocabulary(noise, 5000);
        let texts: Vec<String> = (0..10_000)
            .map(|_| prose(noise, &words, 20_000, false))
            .collect();
        let paths: Vec<PathBuf> = (0..texts.len())
            .map(|number| folder.join(format!("{number}.txt")))
            .collect();
        for (path, text) in paths.iter().zip(&texts) {
            if let Err(error) = fs::write(path, text) {
                println!("{}: {error}", path.display());
                self.wrong += 1;
                return;
            }
        }
        let read = |path: &PathBuf| fs::read(path).unwrap_or_default();
        let clock = Clock::start();
        let normal: usize = paths
            .par_iter()
            .map(|path| String::from_utf8(read(path)).map_or(0, |text| normalised(&text).len()))
            .sum();
        let (wall, cpu) = clock.stop();
        if normal < 190_000_000 {
            println!("only {normal} bytes were normalised");
            self.wrong += 1;
        }
        let limit = format!(
            "twice the {} ms, {:.0} ms of processor, to read and normalise",
            wall.as_millis(),
            cpu * 1000.0
        );
        for changed in [0, 1, 5] {
            let asked: Vec<Vec<String>> = texts
                .iter()
                .map(|text| quotes(noise, &words, text, 10, changed))
                .collect();
            let clock = Clock::start();
            let answers: Vec<Match> = paths
                .par_iter()
                .zip(&asked)
                .flat_map_iter(|(path, own)| {
                    let own: Vec<&str> = own.iter().map(String::as_str).collect();
                    Prepared::from_bytes(&read(path))
                        .map(|source| ground(&source, &own))
                        .unwrap_or_default()
                })
                .collect();
            let took = clock.stop();
            let name =
                format!("100,000 quotes over 10,000 documents of 20 KB, {changed} of 10 changed");
            let kept = 10_000 * (10 - changed);
            let expected = Expected {
                accepted: kept..=kept + 100,
                near: 0..=10_000 * changed,
                ..Expected::new()
            };
            self.report(&name, &limit, took, &answers, &expected);
        }
    }
}

fn main() -> ExitCode {
    let groups: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_asked = |group: &str| groups.is_empty() || groups.iter().any(|asked| asked == group);
    let mut noise = Noise(88_172_645_463_325_252);
    let mut bench = Bench::default();
    if is_asked("large") {
        bench.large_sources(&mut noise);
    }
    if is_asked("hostile") {
        bench.hostile_sources(&mut noise);
    }
    if is_asked("documents") {
        match tempfile::tempdir() {
            Ok(folder) => bench.many_documents(&mut noise, folder.path()),
            Err(error) => {
                println!("no folder for the documents: {error}");
                bench.wrong += 1;
            }
        }
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    println!(
        "peak memory: {}",
        peak.map_or("unknown", |line| line.trim_start_matches("VmHWM:").trim())
    );
    if bench.wrong > 0 {
        println!(
            "{} inputs were not answered as they were made to be",
            bench.wrong
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

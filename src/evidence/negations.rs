//! Words that negate, exclude or condition, by language: the one table of them.
//!
//! In: words that a passage has and a quote has not. Out: how many of them negate. Source: the
//! features `Polarity=Neg` and `PronType=Neg` of Universal Dependencies
//! (universaldependencies.org/u/feat) give the kinds of words, filled in by hand for each language;
//! beside them stand the prepositions and conjunctions that exclude (without, except, unless). Words
//! that are everyday ones in another language of the table are left out (Finnish `en` and `et`).
//! One word too many costs a warning; one too few hides an inverted meaning.

use super::characters::{is_apostrophe, is_invisible, is_unspaced, is_word};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Negations of one language.
struct Language {
    /// ISO 639-1 codes.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for readers and the test of the table")
    )]
    codes: &'static str,
    /// Whole words, lower case, apostrophes straight; several words for a phrase.
    words: &'static [&'static str],
    /// Beginnings of words, such as an elided particle.
    beginnings: &'static [&'static str],
    /// Ends of words, such as a negative suffix.
    endings: &'static [&'static str],
    /// Anywhere in the text, for scripts without spaces and for suffixes inside words.
    anywhere: &'static [&'static str],
}

const NONE: Language = Language {
    codes: "",
    words: &[],
    beginnings: &[],
    endings: &[],
    anywhere: &[],
};

#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    Language {
        codes: "en",
        words: &[
            "not", "no", "never", "without", "unless", "except", "excepting", "excepted", "excluding", "excludes", "cannot", "none",
            "nor", "neither", "nobody", "nothing", "nowhere", "non", "save for", "save that", "save where", "other than",
            "but for", "notwithstanding", "lest", "barring",
        ],
        endings: &["n't"],
        ..NONE
    },
    Language {
        codes: "de",
        words: &[
            "nicht", "nichts", "kein", "keine", "keinen", "keinem", "keiner", "keines", "keinerlei", "nie", "niemals",
            "niemand", "niemandem", "niemanden", "nirgends", "ohne", "weder", "außer", "ausser", "ausgenommen", "es sei denn",
            "sofern nicht", "keinesfalls", "keineswegs",
        ],
        ..NONE
    },
    Language {
        codes: "fr",
        words: &[
            "ne", "non", "pas", "jamais", "sans", "sauf", "aucun", "aucune", "aucuns", "aucunes", "ni", "nul", "nulle", "rien",
            "personne ne", "guère", "hormis", "excepté", "à moins", "nullement",
        ],
        beginnings: &["n'"],
        ..NONE
    },
    Language {
        codes: "es",
        words: &[
            "no", "nunca", "jamás", "sin", "ningún", "ninguno", "ninguna", "nadie", "nada", "tampoco", "ni", "salvo", "excepto",
            "a menos",
        ],
        ..NONE
    },
    Language {
        codes: "it",
        words: &[
            "non", "mai", "senza", "nessun", "nessuno", "nessuna", "niente", "nulla", "né", "neppure", "neanche", "nemmeno",
            "salvo", "eccetto", "tranne", "a meno",
        ],
        beginnings: &["nessun'"],
        ..NONE
    },
    Language {
        codes: "pt",
        words: &[
            "não", "nunca", "jamais", "sem", "nenhum", "nenhuma", "nenhuns", "nenhumas", "ninguém", "nada", "nem", "tampouco",
            "salvo", "exceto", "excepto", "a menos",
        ],
        ..NONE
    },
    Language {
        codes: "nl",
        words: &[
            "niet", "niets", "geen", "geenszins", "nooit", "niemand", "nergens", "noch", "zonder", "tenzij", "behalve",
            "uitgezonderd",
        ],
        ..NONE
    },
    Language {
        codes: "sv",
        words: &[
            "inte", "icke", "ej", "aldrig", "ingen", "inget", "inga", "ingenting", "ingenstans", "varken", "utan", "såvida",
            "förutom",
        ],
        ..NONE
    },
    Language {
        codes: "da no",
        words: &[
            "ikke", "ikkje", "aldri", "aldrig", "ingen", "intet", "inga", "inkje", "ingenting", "hverken", "verken", "uten",
            "uden", "utan", "medmindre", "undtagen", "unntatt", "bortset fra", "ei",
        ],
        ..NONE
    },
    Language {
        codes: "fi",
        words: &[
            "ei", "eivät", "emme", "ette", "eikä", "eivätkä", "älä", "älkää", "älköön", "ilman", "ellei", "elleivät", "ellet",
            "paitsi", "lukuun ottamatta", "koskaan", "kukaan", "mikään", "mitään",
        ],
        endings: &["matta", "mättä"],
        ..NONE
    },
    Language {
        codes: "pl",
        words: &[
            "nie", "nigdy", "nikt", "nikogo", "nikomu", "nic", "niczego", "niczym", "nigdzie", "żaden", "żadna", "żadne",
            "żadnego", "żadnej", "żadnych", "bez", "ani", "chyba że", "oprócz", "poza", "z wyjątkiem",
        ],
        ..NONE
    },
    Language {
        codes: "ru uk",
        words: &[
            "не", "нет", "ни", "никогда", "никто", "никого", "никому", "ничего", "ничто", "нигде", "никакой", "никакая",
            "никакого", "никаких", "нельзя", "без", "кроме", "за исключением", "ні", "немає", "нема", "ніколи", "ніхто",
            "нікого", "ніщо", "нічого", "ніде", "жоден", "жодна", "жодного", "жодної", "жодних", "крім", "окрім", "за винятком",
            "хіба що", "якщо не",
        ],
        ..NONE
    },
    Language {
        codes: "cs",
        words: &[
            "ne", "nikdy", "nikdo", "nikoho", "nikomu", "nic", "ničeho", "nikde", "žádný", "žádná", "žádné", "žádného",
            "žádných", "bez", "ani", "není", "nejsou", "nebyl", "nebyla", "nebylo", "nebude", "nebudou", "nemá", "nemají",
            "nesmí", "nesmějí", "nemůže", "nemohou", "nelze", "nemusí", "nemá-li", "není-li", "nesmějí", "kromě", "vyjma",
            "ledaže", "s výjimkou",
        ],
        ..NONE
    },
    Language {
        codes: "tr",
        words: &[
            "değil", "değildir", "yok", "yoktur", "hiç", "hiçbir", "hiçbiri", "kimse", "asla", "olmadan", "olmaksızın",
            "hariç", "dışında", "olmadıkça",
        ],
        endings: &[
            "maz", "mez", "mazlar", "mezler", "amaz", "emez", "maksızın", "meksizin", "madıkça", "medikçe", "mıyor", "miyor",
            "muyor", "müyor", "memeli", "mamalı", "madan", "meden", "madı", "medi", "mayan", "meyen", "mayacak", "meyecek",
            "mayacaktır", "meyecektir", "mamaktadır", "memektedir", "suz", "süz", "sız", "siz",
        ],
        ..NONE
    },
    Language {
        codes: "el",
        words: &[
            "δεν", "δε", "μη", "μην", "όχι", "ποτέ", "ουδέποτε", "κανείς", "κανένας", "καμία", "καμιά", "κανένα", "ουδείς",
            "ουδεμία", "τίποτα", "τίποτε", "πουθενά", "ούτε", "μήτε", "χωρίς", "δίχως", "άνευ", "εκτός", "πλην", "παρά μόνο",
        ],
        ..NONE
    },
    Language {
        codes: "he",
        words: &[
            "לא", "אין", "אינו", "אינה", "אינם", "אינן", "אינני", "איננו", "איננה", "אל", "בלי", "ללא", "מבלי", "בלתי",
            "לעולם לא", "מעולם", "אף אחד", "שום", "למעט", "מלבד", "אלא", "פרט", "זולת", "היעדר", "בהיעדר", "אסור",
        ],
        ..NONE
    },
    Language {
        codes: "ar",
        words: &[
            "لا", "لم", "لن", "ليس", "ليست", "ليسوا", "لست", "غير", "دون", "بدون", "بلا", "إلا", "الا", "سوى", "عدا",
            "ماعدا", "باستثناء", "مطلقا", "أبدا", "عدم", "بعدم", "لعدم", "يحظر", "يمتنع",
        ],
        ..NONE
    },
    Language {
        codes: "hi",
        words: &["नहीं", "नही", "न", "ना", "मत", "बिना", "बगैर", "कभी नहीं", "कोई नहीं", "सिवाय", "अलावा", "छोड़कर", "नहिं"],
        ..NONE
    },
    Language {
        codes: "vi",
        words: &["không", "chẳng", "chưa", "đừng", "chớ", "cấm", "trừ", "ngoại trừ", "trừ khi", "mà không", "chả"],
        ..NONE
    },
    Language {
        codes: "id",
        words: &[
            "tidak", "tak", "bukan", "bukanlah", "tanpa", "jangan", "belum", "kecuali", "tiada", "dilarang", "tidaklah",
            "bukannya",
        ],
        ..NONE
    },
    Language {
        codes: "th",
        anywhere: &["ไม่", "มิได้", "มิให้", "มิ", "ห้าม", "เว้นแต่", "ยกเว้น", "ปราศจาก", "หามิได้"],
        ..NONE
    },
    Language {
        codes: "ja",
        anywhere: &[
            "ない", "なかっ", "なく", "なけれ", "ません", "ず", "ぬ", "無", "不", "未", "非", "禁", "除", "まい", "なし", "無し", "以外",
        ],
        ..NONE
    },
    Language {
        codes: "ko",
        words: &["안", "못", "비", "무"],
        anywhere: &["않", "없", "아니", "아닌", "아닙", "못하", "못한", "말아야", "지 말", "제외", "금지", "불가"],
        ..NONE
    },
    Language {
        codes: "zh",
        anywhere: &["不", "没", "沒", "無", "无", "未", "勿", "非", "否", "别", "別", "莫", "毋", "禁", "除", "免"],
        ..NONE
    },
];

// One letter before a word of these scripts is a conjunction or an article (`ولا`, `שלא`).
const PROCLITICS: &[char] = &['و', 'ف', 'ו', 'ש'];

// Beginnings that turn a word into its opposite; counted only where the quote has the rest alone.
// English and Romance, German, Czech and its neighbours, Russian, Greek.
const PREFIXES: &[&str] = &[
    "un", "in", "im", "il", "ir", "dis", "mis", "non", "non-", "in-", "ne", "nie", "не", "без",
    "бес", "α", "αν", "μη", "ikke-", "icke-", "nicht-", "niet-", "on", "u",
];

// The words of all languages, and phrases apart.
static WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    let words = LANGUAGES.iter().flat_map(|language| language.words);
    words.copied().filter(|word| !word.contains(' ')).collect()
});

// What negates anywhere in a text, each once.
static SIGNS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let signs = LANGUAGES.iter().flat_map(|language| language.anywhere);
    signs.copied().collect()
});

/// How many words of `longer` are words of `shorter` turned into their opposite by a prefix.
pub(super) fn count_prefixed(longer: &str, shorter: &str) -> usize {
    let (longer, shorter) = (lowered(longer), lowered(shorter));
    let bare = |word: &str| -> String {
        let is_edge = |character: char| !is_word(character);
        word.trim_matches(is_edge).to_owned()
    };
    let known: Vec<String> = shorter.split_whitespace().map(bare).collect();
    let turned = |word: &str| {
        PREFIXES.iter().any(|prefix| {
            word.strip_prefix(prefix)
                .is_some_and(|rest| !rest.is_empty() && known.iter().any(|word| word == rest))
        })
    };
    let words = longer.split_whitespace().map(bare);
    words.filter(|word| turned(word)).count()
}

/// How many negations `text` holds, in any language of the table.
pub(super) fn count(text: &str) -> usize {
    let lowered = lowered(text);
    let words: Vec<&str> = lowered
        .split(|character: char| !is_word(character) && character != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .collect();
    let in_words = words.iter().filter(|word| is_negation(word)).count();
    let has_phrases = words.len() > 1;
    let is_ascii = lowered.is_ascii();
    let mut in_text = 0;
    if !is_ascii {
        let signs = SIGNS.iter().map(|sign| lowered.matches(sign).count());
        in_text += signs.sum::<usize>();
    }
    let spaced = has_phrases.then(|| format!(" {} ", words.join(" ")));
    for language in LANGUAGES {
        if let Some(spaced) = &spaced {
            let phrases = language.words.iter().filter(|words| words.contains(' '));
            in_text += phrases
                .filter(|phrase| {
                    spaced
                        .match_indices(**phrase)
                        .any(|(at, _)| is_framed(spaced, at, phrase.len()))
                })
                .count();
        }
    }
    in_words + in_text
}

// Whether blanks stand on both sides.
fn is_framed(text: &str, at: usize, len: usize) -> bool {
    let bytes = text.as_bytes();
    at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b' ')
        && bytes.get(at + len) == Some(&b' ')
}

// Lower case, apostrophes straight, without characters that have no ink.
fn lowered(text: &str) -> String {
    text.chars()
        .filter(|&character| !is_invisible(character))
        .map(|character| {
            if is_apostrophe(character) {
                '\''
            } else {
                character
            }
        })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a word in lower case negates.
pub(super) fn is_negation(word: &str) -> bool {
    if WORDS.contains(word) {
        return true;
    }
    // Words of scripts without spaces are looked for anywhere in the text.
    if word.chars().next().is_some_and(is_unspaced) {
        return false;
    }
    if let Some(rest) = word.strip_prefix(PROCLITICS)
        && WORDS.contains(rest)
    {
        return true;
    }
    LANGUAGES.iter().any(|language| {
        language
            .beginnings
            .iter()
            .any(|beginning| word.starts_with(beginning))
            || language
                .endings
                .iter()
                .any(|ending| word.ends_with(ending) && is_plausible(word, ending))
    })
}

// Short endings are common in other languages, so some letters must stand before a suffix.
fn is_plausible(word: &str, ending: &str) -> bool {
    ending == "n't" || word.chars().count() >= ending.chars().count() + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_counts_its_own() {
        for (text, wanted) in [
            ("not", 1),
            ("Not at all, NEVER", 2),
            ("isn't", 1),
            ("isn’t", 1),
            ("without", 1),
            ("non-refundable", 1),
            ("knot notice nobly", 0),
            ("'not'", 1),
            ("unless and except", 2),
            ("save for the roof", 1),
            ("to save the roof", 0),
            ("nicht", 1),
            ("es sei denn, er zahlt", 1),
            ("n’est", 1),
            ("aucune", 1),
            ("sin", 1),
            ("senza", 1),
            ("não", 1),
            ("geen", 1),
            ("tenzij", 1),
            ("inte", 1),
            ("ikke", 1),
            ("ei", 1),
            ("eivät", 1),
            ("suorittamatta", 1),
            ("nie", 1),
            ("bez", 1),
            ("не", 1),
            ("НЕ", 1),
            ("крім", 1),
            ("nesmí", 1),
            ("değil", 1),
            ("devredemez", 1),
            ("δεν", 1),
            ("χωρίς", 1),
            ("לא", 1),
            ("שלא", 1),
            ("لا", 1),
            ("ولا", 1),
            ("नहीं", 1),
            ("không", 1),
            ("ไม่โอน", 1),
            ("tidak", 1),
            ("しない", 1),
            ("譲渡できません", 1),
            ("않는다", 1),
            ("不得", 1),
            ("the tenant shall pay the rent", 0),
            ("der Mieter zahlt die Miete", 0),
            ("le preneur paie le loyer", 0),
            ("", 0),
        ] {
            assert_eq!(count(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_prefix_turns_a_word() {
        for (longer, shorter, wanted) in [
            ("Unlimited", "Limited", 1),
            ("unlawful", "lawful", 1),
            ("Non-exclusive", "Exclusive", 1),
            ("nesmí", "smí", 1),
            ("unter", "ter.", 1),
            ("under", "over", 0),
        ] {
            assert_eq!(count_prefixed(longer, shorter), wanted, "{longer}");
        }
    }

    #[test]
    fn the_table_names_every_language_once() {
        let codes: Vec<&str> = LANGUAGES
            .iter()
            .flat_map(|language| language.codes.split(' '))
            .collect();
        let wanted =
            "en de fr es it pt nl sv da no fi pl ru uk cs tr el he ar hi vi id th ja ko zh";
        assert_eq!(codes, wanted.split(' ').collect::<Vec<_>>());
        for language in LANGUAGES {
            for word in language.words {
                assert_eq!(*word, word.to_lowercase(), "{word}");
            }
        }
    }
}

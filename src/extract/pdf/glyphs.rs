//! The glyphs of a PDF page, with their places, as pdfium tells them.
//!
//! In: an open page. Out: what a person sees on it: every glyph in the order in which the file draws
//! them, turned so that its line runs from left to right; how many were left out because nobody sees
//! them (white on white, off the page, smaller than a point, of the invisible kind without a scan
//! behind them); and whether the page shows pictures. The only room that names the PDF library.

use pdfium_render::prelude::*;

/// A glyph; `y` is its baseline and grows upwards.
#[derive(Clone, Debug)]
pub(super) struct Glyph {
    pub(super) character: char,
    pub(super) x_start: f32,
    pub(super) x_end: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    /// Quarter turns of its line against the page.
    pub(super) turn: u8,
}

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) glyphs: Vec<Glyph>,
    /// Glyphs without a known character.
    pub(super) unmapped_count: usize,
    /// Glyphs that nobody sees.
    pub(super) hidden_count: usize,
    /// Whether there are pictures, or so many drawn shapes that they may be letters.
    pub(super) shows_pictures: bool,
}

/// Smallest size of letters that anybody reads, in points.
const LEAST_SIZE: f32 = 1.0;
/// Darkest grey that counts as white.
const WHITE: u8 = 245;
/// Deepest nesting of drawings within drawings that is looked at.
const MAX_FORM_DEPTH: usize = 12;
/// Most drawn objects of a page that are looked at.
const MAX_OBJECTS: usize = 20_000;
/// More drawn shapes than this on a page without text may be letters.
const MANY_SHAPES: usize = 60;

/// The glyphs of `page`.
pub(super) fn read(page: &PdfPage<'_>) -> Result<Page, PdfiumError> {
    let text = page.text()?;
    let bounds = page
        .boundaries()
        .bounding()
        .map_or_else(|_| page.page_size(), |boundary| boundary.bounds);
    let mut out = Page::default();
    let mut background: Option<Background> = None;
    let mut high_surrogate: Option<u32> = None;
    for glyph in text.chars().iter() {
        let mut code = glyph.unicode_value();
        if (0xd800..0xdc00).contains(&code) {
            high_surrogate = Some(code);
            continue;
        }
        if let Some(high) = high_surrogate.take()
            && (0xdc00..0xe000).contains(&code)
        {
            code = 0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00);
        }
        let character = match code {
            // How pdfium marks the hyphen of a word divided at a line end.
            0x02 | 0xfffe => '-',
            0 | 0xffff => char::REPLACEMENT_CHARACTER,
            _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
        };
        if matches!(character, '\r' | '\n') {
            continue;
        }
        let Ok(area) = glyph.loose_bounds() else {
            continue;
        };
        let Ok((x, y)) = glyph.origin() else {
            continue;
        };
        let (left, right) = (area.left().value, area.right().value);
        let (bottom, top) = (area.bottom().value, area.top().value);
        let (x, y) = (x.value, y.value);
        let turn = quarter_turns(glyph.angle_degrees().unwrap_or(0.0));
        let size = {
            let own = glyph.scaled_font_size().value.abs();
            let height = if turn.is_multiple_of(2) {
                top - bottom
            } else {
                right - left
            };
            // Fonts of size 1 are scaled by their matrix, which not every number shows.
            if own < 2.0 && height > own {
                height * 0.85
            } else {
                own
            }
        };
        if !character.is_whitespace() && character != char::REPLACEMENT_CHARACTER {
            let center = (f32::midpoint(left, right), f32::midpoint(bottom, top));
            let is_off = center.0 < bounds.left().value
                || center.0 > bounds.right().value
                || center.1 < bounds.bottom().value
                || center.1 > bounds.top().value;
            let is_seen = !is_off
                && size >= LEAST_SIZE
                && match ink(&glyph) {
                    Ink::Seen => true,
                    Ink::White => background
                        .get_or_insert_with(|| Background::of(page))
                        .is_dark_at(center),
                    Ink::None => background
                        .get_or_insert_with(|| Background::of(page))
                        .is_picture_at(center),
                };
            if !is_seen {
                out.hidden_count += 1;
                continue;
            }
        }
        if character == char::REPLACEMENT_CHARACTER
            || ('\u{e000}'..='\u{f8ff}').contains(&character)
        {
            out.unmapped_count += 1;
        }
        let (x_start, x_end, y) = match turn {
            0 => (left, right, y),
            1 => (bottom, top, -x),
            2 => (-right, -left, -y),
            _ => (-top, -bottom, x),
        };
        out.glyphs.push(Glyph {
            character,
            x_start,
            x_end,
            y,
            size,
            turn,
        });
    }
    if out
        .glyphs
        .iter()
        .all(|glyph| glyph.character.is_whitespace())
        || out.unmapped_count > 0
    {
        let background = background.get_or_insert_with(|| Background::of(page));
        out.shows_pictures =
            !background.pictures.is_empty() || background.shape_count > MANY_SHAPES;
    }
    Ok(out)
}

/// Writes the values of form fields and the words of free text into the page, as it shows them.
pub(super) fn has_own_text(page: &PdfPage<'_>) -> bool {
    page.annotations()
        .iter()
        .take(MAX_OBJECTS)
        .any(|annotation| {
            matches!(
                annotation.annotation_type(),
                PdfPageAnnotationType::Widget
                    | PdfPageAnnotationType::FreeText
                    | PdfPageAnnotationType::Stamp
            )
        })
}

fn quarter_turns(degrees: f32) -> u8 {
    // Slanted lines count with the nearest of the four.
    match (degrees / 90.0).round().rem_euclid(4.0) {
        turns if !(0.5..3.5).contains(&turns) => 0,
        turns if turns < 1.5 => 1,
        turns if turns < 2.5 => 2,
        _ => 3,
    }
}

enum Ink {
    Seen,
    White,
    None,
}

fn ink(glyph: &PdfPageTextChar<'_>) -> Ink {
    match glyph.render_mode() {
        Ok(PdfPageTextRenderMode::Invisible | PdfPageTextRenderMode::InvisibleClipping) => {
            return Ink::None;
        }
        Ok(
            PdfPageTextRenderMode::StrokedUnfilled | PdfPageTextRenderMode::StrokedUnfilledClipping,
        ) => return Ink::Seen,
        Ok(_) | Err(_) => {}
    }
    match glyph.fill_color() {
        Ok(color) if color.alpha() == 0 => Ink::None,
        Ok(color) if is_white(color) => Ink::White,
        Ok(_) | Err(_) => Ink::Seen,
    }
}

fn is_white(color: PdfColor) -> bool {
    color.red() >= WHITE && color.green() >= WHITE && color.blue() >= WHITE
}

/// Left, bottom, right, top.
type Area = (f32, f32, f32, f32);

/// What lies behind the text of a page.
#[derive(Default)]
struct Background {
    dark: Vec<Area>,
    pictures: Vec<Area>,
    shape_count: usize,
}

impl Background {
    fn of(page: &PdfPage<'_>) -> Self {
        let mut background = Self::default();
        for object in page.objects().iter().take(MAX_OBJECTS) {
            background.add(&object, PdfMatrix::IDENTITY, 0);
        }
        background
    }

    fn add(&mut self, object: &PdfPageObject<'_>, matrix: PdfMatrix, depth: usize) {
        if let Some(form) = object.as_x_object_form_object() {
            if depth < MAX_FORM_DEPTH {
                let inner = form.matrix().map_or(matrix, |own| own.multiply(matrix));
                for index in form.as_range() {
                    if self.shape_count > MAX_OBJECTS {
                        return;
                    }
                    if let Ok(object) = form.get(index) {
                        self.add(&object, inner, depth + 1);
                    }
                }
            }
            return;
        }
        let Ok(bounds) = object.bounds() else {
            return;
        };
        let bounds = bounds.to_rect().transform(matrix);
        let area = (
            bounds.left().value,
            bounds.bottom().value,
            bounds.right().value,
            bounds.top().value,
        );
        self.shape_count += 1;
        match object.object_type() {
            PdfPageObjectType::Image => {
                self.pictures.push(area);
                self.dark.push(area);
            }
            PdfPageObjectType::Shading => self.dark.push(area),
            PdfPageObjectType::Path => {
                let is_filled = object
                    .as_path_object()
                    .is_none_or(|path| !matches!(path.fill_mode(), Ok(PdfPathFillMode::None)));
                let is_dark = is_filled
                    && object
                        .fill_color()
                        .map_or(true, |color| color.alpha() > 0 && !is_white(color));
                if is_dark {
                    self.dark.push(area);
                }
            }
            PdfPageObjectType::Text
            | PdfPageObjectType::XObjectForm
            | PdfPageObjectType::Unsupported => {
                self.shape_count -= 1;
            }
        }
    }

    fn is_dark_at(&self, point: (f32, f32)) -> bool {
        self.dark.iter().any(|area| contains(*area, point))
    }

    fn is_picture_at(&self, point: (f32, f32)) -> bool {
        self.pictures.iter().any(|area| contains(*area, point))
    }
}

fn contains((left, bottom, right, top): Area, (x, y): (f32, f32)) -> bool {
    left <= x && x <= right && bottom <= y && y <= top
}

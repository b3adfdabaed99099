//! The entries of `include/transmuter_rust.h`. They only convert: the work is in the modules.

mod beginning;
mod border;
mod clock;
mod offsets;
mod progress;
mod python;
mod python_methods;
mod template;
mod tokenizer;

use border::{array, attempt, give, guard, take, Failure, Outcome, Status, Text, View};
use offsets::Unit;
use progress::{Bar, Bars};
use template::Template;
use tokenizer::{Part, Sequence, Strategy, Tokenizer, Truncation};
use tokenizers::{Encoding, TruncationDirection};

/// # Safety
/// The text comes from this library and was not freed.
#[no_mangle]
pub unsafe extern "C" fn tmr_text_free(text: Text) {
    text.free();
}

/// # Safety
/// `json` is a valid view; `tokenizer` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_load(json: View, tokenizer: *mut *mut Tokenizer, error: *mut Text) -> Status {
    guard(error, Status::InvalidModel, || {
        let loaded = Tokenizer::load(json.bytes())?;
        tokenizer.write(Box::into_raw(Box::new(loaded)));
        Ok(())
    })
}

/// # Safety
/// `tokenizer` comes from this library and was not freed, or is null.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_free(tokenizer: *mut Tokenizer) {
    if !tokenizer.is_null() {
        drop(Box::from_raw(tokenizer));
    }
}

/// Python's `str.lower()`.
///
/// # Safety
/// `text` is a valid view; `lower` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_lowercase(text: View, lower: *mut Text, error: *mut Text) -> Status {
    guard(error, Status::Internal, || {
        lower.write(Text::new(text.text()?.to_lowercase()));
        Ok(())
    })
}

fn part_of(number: u32) -> Outcome<Part> {
    const PARTS: [Part; 8] = [
        Part::Normalizer,
        Part::PreTokenizer,
        Part::PostProcessor,
        Part::Decoder,
        Part::Model,
        Part::AddedTokens,
        Part::Truncation,
        Part::Padding,
    ];
    PARTS.get(number as usize).copied().ok_or_else(|| Failure::input(format!("there is no part {number}")))
}

/// # Safety
/// The tokenizer is alive; `json` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_part(
    tokenizer: &Tokenizer,
    part: u32,
    json: *mut Text,
    error: *mut Text,
) -> Status {
    guard(error, Status::InvalidModel, || {
        json.write(Text::new(tokenizer.part(part_of(part)?)?));
        Ok(())
    })
}

/// # Safety
/// The tokenizer is alive and nobody else uses it; `json` is a valid view; `error` points to a place to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_set_part(
    tokenizer: &mut Tokenizer,
    part: u32,
    json: View,
    error: *mut Text,
) -> Status {
    guard(error, Status::InvalidModel, || tokenizer.set_part(part_of(part)?, json.bytes()))
}

/// # Safety
/// As for `tmr_tokenizer_set_part`.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_add_tokens(tokenizer: &mut Tokenizer, json: View, error: *mut Text) -> Status {
    guard(error, Status::InvalidModel, || tokenizer.add_tokens(json.bytes()))
}

/// # Safety
/// As for `tmr_tokenizer_set_part`.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_split_special_tokens(
    tokenizer: &mut Tokenizer,
    split: bool,
    error: *mut Text,
) -> Status {
    guard(error, Status::InvalidModel, || tokenizer.split_special_tokens(split))
}

/// # Safety
/// The tokenizer is alive; `json` is a valid view; `result` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_with_post_processor(
    tokenizer: &Tokenizer,
    json: View,
    result: *mut *mut Tokenizer,
    error: *mut Text,
) -> Status {
    guard(error, Status::InvalidModel, || {
        let changed = tokenizer.with_post_processor(json.bytes())?;
        result.write(Box::into_raw(Box::new(changed)));
        Ok(())
    })
}

/// # Safety
/// The tokenizer is alive.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_vocab_size(tokenizer: &Tokenizer, with_added_tokens: bool) -> usize {
    tokenizer.vocab_size(with_added_tokens)
}

/// # Safety
/// The tokenizer is alive; `token` is a valid view.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_token_to_id(tokenizer: &Tokenizer, token: View) -> i64 {
    token.text().ok().and_then(|token| tokenizer.token_to_id(token)).map_or(-1, i64::from)
}

/// # Safety
/// The tokenizer is alive; `token` points to a place to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_id_to_token(tokenizer: &Tokenizer, id: u32, token: *mut Text) -> bool {
    match tokenizer.id_to_token(id) {
        Some(found) => {
            token.write(Text::new(found));
            true
        }
        None => false,
    }
}

/// # Safety
/// The tokenizer is alive.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_added_count(tokenizer: &Tokenizer, pair: bool) -> usize {
    tokenizer.added_count(pair)
}

#[repr(C)]
pub struct CSequence {
    parts: *const View,
    count: usize,
    split: bool,
}

impl CSequence {
    unsafe fn read<'a>(&self) -> Outcome<Sequence<'a>> {
        let parts = array(self.parts, self.count);
        match parts {
            [text] if !self.split => Ok(Sequence::Text(text.text()?)),
            _ => {
                let word = |(index, part): (usize, &View)| {
                    part.text().map_err(|error| Failure::input(format!("word {index}: {}", error.message)))
                };
                Ok(Sequence::Words(parts.iter().enumerate().map(word).collect::<Outcome<_>>()?))
            }
        }
    }
}

#[repr(C)]
pub struct CEncodeOptions {
    add_special_tokens: bool,
    code_points: bool,
    truncate: bool,
    left: bool,
    windows: bool,
    strategy: u32,
    max_length: usize,
    stride: usize,
}

impl CEncodeOptions {
    fn unit(&self) -> Unit {
        if self.code_points {
            Unit::CodePoints
        } else {
            Unit::Bytes
        }
    }

    fn truncation(&self) -> Option<Truncation> {
        self.truncate.then_some(Truncation {
            max_length: self.max_length,
            strategy: match self.strategy {
                1 => Strategy::OnlyFirst,
                2 => Strategy::OnlySecond,
                3 => Strategy::OnlyFirstOrNone,
                _ => Strategy::LongestFirst,
            },
            direction: if self.left { TruncationDirection::Left } else { TruncationDirection::Right },
            windows: self.windows.then_some(self.stride),
        })
    }
}

#[repr(C)]
pub struct CEncoding {
    lengths: *mut usize,
    windows: usize,
    values: *mut i64,
    size: usize,
}

/// # Safety
/// The encoding comes from this library and was not freed.
#[no_mangle]
pub unsafe extern "C" fn tmr_encoding_free(encoding: CEncoding) {
    take(encoding.lengths, encoding.windows);
    take(encoding.values, encoding.size);
}

/// Rows as the header has them.
#[derive(Default)]
struct Rows {
    lengths: Vec<usize>,
    values: Vec<i64>,
}

impl Rows {
    /// The columns of the header, in its order.
    fn append(&mut self, encoding: &Encoding) {
        const NONE: i64 = -1;
        const COLUMNS: usize = 7;
        self.lengths.push(encoding.len());
        let values = &mut self.values;
        values.reserve(COLUMNS * encoding.len());
        values.extend(encoding.get_ids().iter().copied().map(i64::from));
        values.extend(encoding.get_type_ids().iter().copied().map(i64::from));
        values.extend(encoding.get_special_tokens_mask().iter().copied().map(i64::from));
        values.extend(encoding.get_offsets().iter().map(|range| range.0 as i64));
        values.extend(encoding.get_offsets().iter().map(|range| range.1 as i64));
        values.extend(encoding.get_word_ids().iter().map(|word| word.map_or(NONE, i64::from)));
        values.extend(encoding.get_sequence_ids().iter().map(|sequence| sequence.map_or(NONE, |index| index as i64)));
    }

    fn given(self) -> CEncoding {
        let (lengths, windows) = give(self.lengths);
        let (values, size) = give(self.values);
        CEncoding { lengths, windows, values, size }
    }
}

/// # Safety
/// The tokenizer is alive; the sequences hold valid views; `encoding` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_encode(
    tokenizer: &Tokenizer,
    first: &CSequence,
    second: Option<&CSequence>,
    options: &CEncodeOptions,
    encoding: *mut CEncoding,
    error: *mut Text,
) -> Status {
    guard(error, Status::Internal, || {
        let first = first.read()?;
        let second = match second {
            Some(sequence) => Some(sequence.read()?),
            None => None,
        };
        let main = tokenizer.encode(
            &first,
            second.as_ref(),
            options.add_special_tokens,
            options.unit(),
            options.truncation(),
        )?;
        let mut rows = Rows::default();
        std::iter::once(&main).chain(main.get_overflowing()).for_each(|window| rows.append(window));
        encoding.write(rows.given());
        Ok(())
    })
}

/// # Safety
/// As for `tmr_tokenizer_encode`; `seconds` points to `count` sequences.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_encode_pairs(
    tokenizer: &Tokenizer,
    first: &CSequence,
    seconds: *const CSequence,
    count: usize,
    options: &CEncodeOptions,
    encoding: *mut CEncoding,
    error: *mut Text,
) -> Status {
    guard(error, Status::Internal, || {
        let first = first.read()?;
        let seconds = array(seconds, count).iter().map(|second| second.read()).collect::<Outcome<Vec<_>>>()?;
        let truncation = options.truncation().map(|given| Truncation { windows: None, ..given });
        let mut rows = Rows::default();
        tokenizer.encode_pairs(&first, &seconds, options.add_special_tokens, options.unit(), truncation, |row| {
            rows.append(row)
        })?;
        encoding.write(rows.given());
        Ok(())
    })
}

/// # Safety
/// The tokenizer is alive; `ids` points to `count` numbers; `text` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_decode(
    tokenizer: &Tokenizer,
    ids: *const u32,
    count: usize,
    skip_special_tokens: bool,
    text: *mut Text,
    error: *mut Text,
) -> Status {
    guard(error, Status::Internal, || {
        text.write(Text::new(tokenizer.decode(array(ids, count), skip_special_tokens)?));
        Ok(())
    })
}

/// # Safety
/// The tokenizer is alive; `tokens` points to `count` valid views; `text` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_tokenizer_join(
    tokenizer: &Tokenizer,
    tokens: *const View,
    count: usize,
    text: *mut Text,
    error: *mut Text,
) -> Status {
    guard(error, Status::Internal, || {
        let tokens =
            array(tokens, count).iter().map(|token| token.text().map(str::to_owned)).collect::<Outcome<_>>()?;
        text.write(Text::new(tokenizer.join(tokens)?));
        Ok(())
    })
}

fn boxed<T>(value: Option<T>) -> *mut T {
    value.map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

#[no_mangle]
pub extern "C" fn tmr_bars_new() -> *mut Bars {
    boxed(attempt(Bars::new))
}

/// # Safety
/// `bars` comes from this library and was not freed, or is null.
#[no_mangle]
pub unsafe extern "C" fn tmr_bars_free(bars: *mut Bars) {
    if !bars.is_null() {
        attempt(|| drop(Box::from_raw(bars)));
    }
}

/// # Safety
/// The bars are alive, or null; `file` is a valid view.
#[no_mangle]
pub unsafe extern "C" fn tmr_bars_add_download(bars: Option<&Bars>, file: View, total: u64) -> *mut Bar {
    boxed(bars.and_then(|bars| attempt(|| bars.add_download(&String::from_utf8_lossy(file.bytes()), total))))
}

/// # Safety
/// The bars are alive, or null.
#[no_mangle]
pub unsafe extern "C" fn tmr_bars_add_lines(bars: Option<&Bars>, total: u64) -> *mut Bar {
    boxed(bars.and_then(|bars| attempt(|| bars.add_lines(total))))
}

/// # Safety
/// The bar is alive, or null.
#[no_mangle]
pub unsafe extern "C" fn tmr_bar_set(bar: Option<&Bar>, bytes: u64, lines: u64) {
    if let Some(bar) = bar {
        attempt(|| bar.set(bytes, lines));
    }
}

/// # Safety
/// `bar` comes from this library and was not freed, or is null.
#[no_mangle]
pub unsafe extern "C" fn tmr_bar_free(bar: *mut Bar) {
    if !bar.is_null() {
        attempt(|| drop(Box::from_raw(bar)));
    }
}

/// # Safety
/// `source` is a valid view; `template` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_template_compile(source: View, template: *mut *mut Template, error: *mut Text) -> Status {
    guard(error, Status::InvalidModel, || {
        let compiled = Template::compile(source.text()?)?;
        template.write(Box::into_raw(Box::new(compiled)));
        Ok(())
    })
}

/// # Safety
/// `template` comes from this library and was not freed, or is null.
#[no_mangle]
pub unsafe extern "C" fn tmr_template_free(template: *mut Template) {
    if !template.is_null() {
        drop(Box::from_raw(template));
    }
}

/// # Safety
/// The template is alive; the views are valid; `text` and `error` point to places to write to.
#[no_mangle]
pub unsafe extern "C" fn tmr_template_render(
    template: &Template,
    context: View,
    now: View,
    text: *mut Text,
    error: *mut Text,
) -> Status {
    guard(error, Status::Internal, || {
        text.write(Text::new(template.render(context.bytes(), now.text()?)?));
        Ok(())
    })
}

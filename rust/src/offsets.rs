//! Offsets in bytes or code points.
//!
//! The tokenizers crate finds bytes and Python shows code points. A post-processor takes spaces off the ends of a
//! token's range, one unit for each, whatever unit the range is in: only code points then give Python's ranges.

use tokenizers::Encoding;

use crate::tokenizer::Sequence;

#[derive(Clone, Copy, PartialEq)]
pub enum Unit {
    Bytes,
    CodePoints,
}

/// From bytes of `text` to code points. A byte inside a letter counts as the letter's first.
pub fn to_code_points(offsets: &mut [(usize, usize)], text: &str) {
    if text.is_ascii() {
        return;
    }
    let mut index = Vec::with_capacity(text.len() + 1);
    let mut count = 0;
    for letter in text.chars() {
        index.extend(std::iter::repeat_n(count, letter.len_utf8()));
        count += 1;
    }
    index.push(count);
    convert(offsets, &index);
}

/// From code points to bytes, in all windows.
pub fn to_bytes(encoding: &mut Encoding, sequences: &[Option<&Sequence>]) {
    let tables: Vec<Vec<Option<Vec<usize>>>> = sequences
        .iter()
        .map(|sequence| match sequence {
            Some(Sequence::Text(text)) => vec![letter_starts(text)],
            Some(Sequence::Words(words)) => words.iter().map(|word| letter_starts(word)).collect(),
            None => vec![],
        })
        .collect();
    if tables.iter().flatten().flatten().next().is_some() {
        windows_to_bytes(encoding, &tables);
    }
}

fn windows_to_bytes(encoding: &mut Encoding, tables: &[Vec<Option<Vec<usize>>>]) {
    let sequences = encoding.get_sequence_ids();
    let words = encoding.get_word_ids().to_vec();
    for ((offsets, sequence), word) in encoding.get_offsets_mut().iter_mut().zip(sequences).zip(words) {
        let table = sequence.and_then(|index| match tables[index].as_slice() {
            [only] => only.as_ref(),
            by_word => word.and_then(|index| by_word[index as usize].as_ref()),
        });
        if let Some(table) = table {
            convert(std::slice::from_mut(offsets), table);
        }
    }
    encoding.get_overflowing_mut().iter_mut().for_each(|window| windows_to_bytes(window, tables));
}

/// Where each letter begins, and the length of the text; nothing for ASCII.
fn letter_starts(text: &str) -> Option<Vec<usize>> {
    (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect())
}

fn convert(offsets: &mut [(usize, usize)], table: &[usize]) {
    let last = table.len() - 1;
    for (start, end) in offsets {
        *start = table[(*start).min(last)];
        *end = table[(*end).min(last)];
    }
}

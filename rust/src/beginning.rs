//! Of a long text that is cut, only the beginning needs to be looked at, when the tokenizer never joins what stands on
//! the two sides of a space.

use serde_json::Value;
use tokenizers::AddedToken;

/// Whether the tokens of a text up to a single space between two ASCII letters or digits are the same as without the
/// rest of the text. No for every part that is not known to be so.
pub fn is_local<'a>(
    normalizer: &Value,
    pre_tokenizer: &Value,
    mut added_tokens: impl Iterator<Item = &'a AddedToken>,
) -> bool {
    normalizes_locally(normalizer) && splits_at_spaces(pre_tokenizer) && added_tokens.all(stays_on_one_side)
}

fn normalizes_locally(normalizer: &Value) -> bool {
    match normalizer["type"].as_str() {
        None => normalizer.is_null(),
        Some("Sequence") => members(normalizer, "normalizers").iter().all(normalizes_locally),
        Some("Replace") => {
            let pattern = &normalizer["pattern"];
            pattern["Regex"] == " {2,}" || pattern["String"].as_str().is_some_and(|text| !text.contains(' '))
        }
        Some(name) => {
            const LOCAL: [&str; 11] = [
                "BertNormalizer",
                "Lowercase",
                "NFC",
                "NFD",
                "NFKC",
                "NFKD",
                "Nmt",
                "Precompiled",
                "Prepend",
                "Strip",
                "StripAccents",
            ];
            LOCAL.contains(&name)
        }
    }
}

/// In a sequence, the first part decides: the others see only what lies between two spaces.
fn splits_at_spaces(pre_tokenizer: &Value) -> bool {
    match pre_tokenizer["type"].as_str() {
        Some("BertPreTokenizer" | "Whitespace" | "WhitespaceSplit") => true,
        Some("ByteLevel") => pre_tokenizer["use_regex"] == true,
        Some("Metaspace") => pre_tokenizer["split"] == true,
        Some("Sequence") => members(pre_tokenizer, "pretokenizers").first().is_some_and(splits_at_spaces),
        _ => false,
    }
}

fn members<'a>(sequence: &'a Value, key: &str) -> &'a [Value] {
    sequence[key].as_array().map_or(&[], Vec::as_slice)
}

fn stays_on_one_side(token: &AddedToken) -> bool {
    !token.rstrip && (token.content.trim().is_empty() || !token.content.contains(char::is_whitespace))
}

/// The first place at or after byte `from` where a text may end.
pub fn end_after(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_end = |part: &[u8]| part[0].is_ascii_alphanumeric() && part[1] == b' ' && part[2].is_ascii_alphanumeric();
    let start = from.max(1) - 1;
    bytes.get(start..)?.windows(3).position(is_end).map(|at| start + at + 1)
}

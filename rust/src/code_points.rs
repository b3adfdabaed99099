//! From byte offsets to code point offsets.

/// The code point that each byte of a text belongs to; nothing for ASCII, where both count the same.
pub struct CodePoints(Option<Vec<usize>>);

impl CodePoints {
    pub fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self(None);
        }
        let mut index = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for letter in text.chars() {
            index.extend(std::iter::repeat_n(count, letter.len_utf8()));
            count += 1;
        }
        index.push(count);
        Self(Some(index))
    }

    pub fn at(&self, byte: usize) -> usize {
        match &self.0 {
            Some(index) => index[byte.min(index.len() - 1)],
            None => byte,
        }
    }
}

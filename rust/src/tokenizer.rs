//! The tokenizer of the tokenizers crate, with truncation as an argument of each call instead of a state that all
//! calls share.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use tokenizers::models::ModelWrapper;
use tokenizers::processors::PostProcessorWrapper;
use tokenizers::{
    AddedToken, Decoder, Encoding, Model, OffsetType, PaddingParams, PostProcessor, PreTokenizer, TruncationDirection,
    TruncationParams,
};

use crate::beginning::{end_after, is_local};
use crate::border::{Failure, Outcome};
use crate::offsets::{to_bytes, to_code_points, Unit};

/// The core is never changed once it is shared; the post-processor stands apart so that tokenizers which differ only
/// in it (the languages of a translation model) share the rest.
pub struct Tokenizer {
    core: Arc<tokenizers::Tokenizer>,
    processor: Option<PostProcessorWrapper>,
    truncation: Option<TruncationParams>,
    padding: Option<PaddingParams>,
    /// Whether the beginning of a text can be tokenized without the rest; found out when it is first asked for.
    local: OnceLock<bool>,
}

#[derive(Clone, Copy)]
pub enum Part {
    Normalizer,
    PreTokenizer,
    PostProcessor,
    Decoder,
    Model,
    AddedTokens,
    Truncation,
    Padding,
}

/// One text, or the words of a text that was split already.
pub enum Sequence<'a> {
    Text(&'a str),
    Words(Vec<&'a str>),
}

#[derive(Clone, Copy, PartialEq)]
pub enum Strategy {
    LongestFirst,
    OnlyFirst,
    OnlySecond,
    /// Cuts nothing where the second text alone leaves no room.
    OnlyFirstOrNone,
}

#[derive(Clone, Copy)]
pub struct Truncation {
    pub max_length: usize,
    pub strategy: Strategy,
    pub direction: TruncationDirection,
    /// Tokens that neighbouring windows share; nothing when only the first window is wanted.
    pub windows: Option<usize>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Token {
    #[serde(skip_deserializing)]
    id: u32,
    #[serde(flatten)]
    token: AddedToken,
}

fn json<T: serde::Serialize>(value: T) -> Outcome<String> {
    serde_json::to_string(&value).map_err(Failure::model)
}

fn parse<T: serde::de::DeserializeOwned>(json: &[u8]) -> Outcome<T> {
    serde_json::from_slice(json).map_err(Failure::model)
}

impl Tokenizer {
    pub fn load(json: &[u8]) -> Outcome<Self> {
        let mut core = tokenizers::Tokenizer::from_bytes(json).map_err(Failure::model)?;
        let processor = core.get_post_processor().cloned();
        let truncation = core.get_truncation().cloned();
        let padding = core.get_padding().cloned();
        core.with_post_processor(None::<PostProcessorWrapper>);
        core.with_truncation(None).map_err(Failure::model)?;
        core.with_padding(None);
        Ok(Self { core: Arc::new(core), processor, truncation, padding, local: OnceLock::new() })
    }

    pub fn part(&self, part: Part) -> Outcome<String> {
        match part {
            Part::Normalizer => json(self.core.get_normalizer()),
            Part::PreTokenizer => json(self.core.get_pre_tokenizer()),
            Part::PostProcessor => json(&self.processor),
            Part::Decoder => json(self.core.get_decoder()),
            Part::Model => Ok(model_settings(self.core.get_model()).to_string()),
            Part::AddedTokens => {
                let tokens: BTreeMap<_, _> = self.core.get_added_tokens_decoder().into_iter().collect();
                json(tokens.into_iter().map(|(id, token)| Token { id, token }).collect::<Vec<_>>())
            }
            Part::Truncation => json(&self.truncation),
            Part::Padding => json(&self.padding),
        }
    }

    pub fn set_part(&mut self, part: Part, json: &[u8]) -> Outcome<()> {
        match part {
            Part::Normalizer => {
                let normalizer: Option<tokenizers::NormalizerWrapper> = parse(json)?;
                self.exclusive()?.with_normalizer(normalizer);
            }
            Part::PreTokenizer => {
                let pre_tokenizer: Option<tokenizers::PreTokenizerWrapper> = parse(json)?;
                self.exclusive()?.with_pre_tokenizer(pre_tokenizer);
            }
            Part::PostProcessor => self.processor = parse(json)?,
            Part::Decoder => {
                let decoder: Option<tokenizers::DecoderWrapper> = parse(json)?;
                self.exclusive()?.with_decoder(decoder);
            }
            Part::Model | Part::AddedTokens | Part::Truncation | Part::Padding => {
                return Err(Failure::input("this part of a tokenizer can't be set"));
            }
        }
        Ok(())
    }

    pub fn add_tokens(&mut self, json: &[u8]) -> Outcome<()> {
        let tokens: Vec<Token> = parse(json)?;
        let tokens: Vec<AddedToken> = tokens.into_iter().map(|entry| entry.token).collect();
        self.exclusive()?.add_tokens(&tokens);
        Ok(())
    }

    pub fn split_special_tokens(&mut self, split: bool) -> Outcome<()> {
        self.exclusive()?.set_encode_special_tokens(split);
        Ok(())
    }

    pub fn with_post_processor(&self, json: &[u8]) -> Outcome<Self> {
        Ok(Self {
            core: Arc::clone(&self.core),
            processor: parse(json)?,
            truncation: self.truncation.clone(),
            padding: self.padding.clone(),
            local: self.local.clone(),
        })
    }

    fn exclusive(&mut self) -> Outcome<&mut tokenizers::Tokenizer> {
        self.local = OnceLock::new();
        Arc::get_mut(&mut self.core).ok_or_else(|| Failure::input("the tokenizer is shared and can't be changed"))
    }

    pub fn vocab_size(&self, with_added_tokens: bool) -> usize {
        self.core.get_vocab_size(with_added_tokens)
    }

    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        self.core.token_to_id(token)
    }

    pub fn id_to_token(&self, id: u32) -> Option<String> {
        self.core.id_to_token(id)
    }

    pub fn added_count(&self, pair: bool) -> usize {
        self.processor.as_ref().map_or(0, |processor| processor.added_tokens(pair))
    }

    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Outcome<String> {
        self.core.decode(ids, skip_special_tokens).map_err(Failure::input)
    }

    pub fn join(&self, tokens: Vec<String>) -> Outcome<String> {
        match self.core.get_decoder() {
            Some(decoder) => decoder.decode(tokens).map_err(Failure::input),
            None => Ok(tokens.join(" ")),
        }
    }

    /// The first window; the others are in it as its overflowing encodings.
    pub fn encode(
        &self,
        first: &Sequence,
        second: Option<&Sequence>,
        add_special_tokens: bool,
        unit: Unit,
        truncation: Option<Truncation>,
    ) -> Outcome<Encoding> {
        let rules = self.rules(second.is_some(), add_special_tokens, unit, truncation)?;
        let first_part = self.encode_sequence(first, 0, rules.inner_unit, rules.limit(Strategy::OnlyFirst))?;
        self.complete(&rules, first, Cow::Owned(first_part), second)
    }

    /// The first text as the pair of each of the second ones, to which `each` is told in turn. The tokens of the first
    /// text are looked for once.
    pub fn encode_pairs(
        &self,
        first: &Sequence,
        seconds: &[Sequence],
        add_special_tokens: bool,
        unit: Unit,
        truncation: Option<Truncation>,
        mut each: impl FnMut(&Encoding),
    ) -> Outcome<()> {
        let rules = self.rules(true, add_special_tokens, unit, truncation)?;
        let first_part = self.encode_sequence(first, 0, rules.inner_unit, rules.limit(Strategy::OnlyFirst))?;
        for second in seconds {
            each(&self.complete(&rules, first, Cow::Borrowed(&first_part), Some(second))?);
        }
        Ok(())
    }

    fn rules(
        &self,
        pair: bool,
        add_special_tokens: bool,
        unit: Unit,
        truncation: Option<Truncation>,
    ) -> Outcome<Rules> {
        // The special tokens count, so that the cut leaves room for them.
        let truncation = match truncation {
            Some(given) if add_special_tokens => Some(self.without_special(given, pair)?),
            other => other,
        };
        let inner_unit = if self.processor.is_some() { Unit::CodePoints } else { unit };
        Ok(Rules { pair, add_special_tokens, unit, inner_unit, truncation })
    }

    fn complete(
        &self,
        rules: &Rules,
        first: &Sequence,
        first_part: Cow<Encoding>,
        second: Option<&Sequence>,
    ) -> Outcome<Encoding> {
        let mut second_part = match second {
            Some(sequence) => {
                Some(self.encode_sequence(sequence, 1, rules.inner_unit, rules.limit(Strategy::OnlySecond))?)
            }
            None => None,
        };
        let first_part = match rules.truncation {
            Some(given) => {
                let (first_length, second_length) =
                    given.lengths(first_part.len(), second_part.as_ref().map(Encoding::len))?;
                second_part = match second_part {
                    Some(part) => Some(given.cut(Cow::Owned(part), second_length)?),
                    None => None,
                };
                given.cut(first_part, first_length)?
            }
            None => first_part.into_owned(),
        };
        check_windows(&first_part, second_part.as_ref())?;
        let &Rules { add_special_tokens, unit, inner_unit, .. } = rules;
        let mut whole = match &self.processor {
            Some(processor) => processor.process(first_part, second_part, add_special_tokens),
            None => self.core.post_process(first_part, second_part, add_special_tokens),
        }
        .map_err(Failure::input)?;
        if unit == Unit::Bytes && inner_unit == Unit::CodePoints {
            to_bytes(&mut whole, &[Some(first), second]);
        }
        Ok(whole)
    }

    fn without_special(&self, truncation: Truncation, pair: bool) -> Outcome<Truncation> {
        let added = self.added_count(pair);
        match truncation.max_length.checked_sub(added) {
            Some(max_length) => Ok(Truncation { max_length, ..truncation }),
            None => Err(Failure::input(format!(
                "max_length {} is less than the {added} special tokens",
                truncation.max_length
            ))),
        }
    }

    fn encode_sequence(&self, sequence: &Sequence, type_id: u32, unit: Unit, limit: usize) -> Outcome<Encoding> {
        match sequence {
            Sequence::Text(text) => self.encode_text(text, type_id, unit, limit),
            Sequence::Words(words) => words
                .iter()
                .zip(0..)
                .map(|(word, index)| self.encode_part(word, type_id, Some(index), unit, limit))
                .collect(),
        }
    }

    /// At least the first `limit` tokens.
    fn encode_text(&self, text: &str, type_id: u32, unit: Unit, limit: usize) -> Outcome<Encoding> {
        // More than the tokens of most texts have; when there are too few, the next try takes four times as much.
        let mut bytes = limit.saturating_mul(8);
        while bytes < text.len() / 2 && self.is_local() {
            let Some(end) = end_after(text, bytes) else { break };
            let encoding = self.encode_part(&text[..end], type_id, None, unit, limit)?;
            if encoding.len() >= limit {
                return Ok(encoding);
            }
            bytes = bytes.saturating_mul(4);
        }
        self.encode_part(text, type_id, None, unit, limit)
    }

    fn is_local(&self) -> bool {
        *self.local.get_or_init(|| {
            let value = |part| serde_json::from_str(&self.part(part).ok()?).ok();
            let normalizer = value(Part::Normalizer).unwrap_or(serde_json::Value::Bool(false));
            let pre_tokenizer = value(Part::PreTokenizer).unwrap_or(serde_json::Value::Null);
            is_local(&normalizer, &pre_tokenizer, self.core.get_added_tokens_decoder().values())
        })
    }

    /// Stops to look for tokens when there are `limit` of them, since the cut would take the others off again.
    fn encode_part(&self, text: &str, type_id: u32, word: Option<u32>, unit: Unit, limit: usize) -> Outcome<Encoding> {
        let core = &*self.core;
        let mut pieces = core.get_added_vocabulary().extract_and_normalize(core.get_normalizer(), text);
        if let Some(pre_tokenizer) = core.get_pre_tokenizer() {
            pre_tokenizer.pre_tokenize(&mut pieces).map_err(Failure::input)?;
        }
        let count = Cell::new(0);
        pieces
            .tokenize(|piece| {
                if count.get() >= limit {
                    return Ok(vec![]);
                }
                let tokens = core.get_model().tokenize(piece.get())?;
                count.set(count.get() + tokens.len());
                Ok(tokens)
            })
            .map_err(Failure::input)?;
        let mut encoding = pieces.into_encoding(word, type_id, OffsetType::Byte).map_err(Failure::input)?;
        if unit == Unit::CodePoints {
            to_code_points(encoding.get_offsets_mut(), text);
        }
        Ok(encoding)
    }
}

/// How one call encodes.
struct Rules {
    pair: bool,
    add_special_tokens: bool,
    unit: Unit,
    /// Before the post-processor.
    inner_unit: Unit,
    /// Without the special tokens.
    truncation: Option<Truncation>,
}

impl Rules {
    /// How many tokens from the beginning of a sequence decide the result; `own` is the strategy that cuts only it.
    fn limit(&self, own: Strategy) -> usize {
        self.truncation.map_or(usize::MAX, |given| given.tokens_needed(own, self.pair))
    }
}

impl Truncation {
    /// How many tokens from the beginning of a sequence decide the result; `own` is the strategy that cuts only it.
    fn tokens_needed(&self, own: Strategy, pair: bool) -> usize {
        let alone = self.strategy == own || (self.strategy == Strategy::LongestFirst && !pair);
        if alone && self.windows.is_none() && self.direction == TruncationDirection::Right {
            self.max_length.saturating_add(1)
        } else {
            usize::MAX
        }
    }

    /// The lengths that the two sequences are cut to.
    /// Parity: tokenizers 0.22 truncate_encodings.
    fn lengths(&self, first: usize, second: Option<usize>) -> Outcome<(usize, usize)> {
        let max = self.max_length;
        let other = second.unwrap_or(0);
        let Some(excess) = first.saturating_add(other).checked_sub(max).filter(|excess| *excess > 0) else {
            return Ok((first, other));
        };
        if max == 0 {
            return Ok((0, 0));
        }
        let shortened = |length: usize, whole: usize| {
            length.checked_sub(excess).filter(|length| *length > 0).ok_or_else(|| {
                Failure::input(format!(
                    "the {whole} tokens of the text that is not cut leave no room within max_length ({max} tokens \
                     without the special ones)"
                ))
            })
        };
        match self.strategy {
            Strategy::OnlyFirst => Ok((shortened(first, other)?, other)),
            Strategy::OnlyFirstOrNone => Ok((shortened(first, other).unwrap_or(first), other)),
            Strategy::OnlySecond if second.is_none() => {
                Err(Failure::input("only the second text is to be cut, but there is none"))
            }
            Strategy::OnlySecond => Ok((first, shortened(other, first)?)),
            Strategy::LongestFirst if second.is_none() => Ok((max, 0)),
            Strategy::LongestFirst => {
                let shorter = first.min(other);
                let longer = if shorter > max { shorter } else { shorter.max(max - shorter) };
                let (shorter, longer) =
                    if shorter + longer > max { (max / 2, max / 2 + max % 2) } else { (shorter, longer) };
                Ok(if first > other { (longer, shorter) } else { (shorter, longer) })
            }
        }
    }

    fn cut(&self, encoding: Cow<Encoding>, length: usize) -> Outcome<Encoding> {
        if length >= encoding.len() {
            return Ok(encoding.into_owned());
        }
        let Some(stride) = self.windows else {
            return Ok(self.kept(&encoding, length));
        };
        if length > 0 && stride >= length {
            return Err(Failure::input(format!(
                "stride {stride} must be less than the {length} tokens of a window (without special tokens)"
            )));
        }
        let mut whole = encoding.into_owned();
        whole.truncate(length, stride, self.direction);
        Ok(whole)
    }

    /// What `Encoding::truncate` keeps, without the copies of all other windows that it makes.
    fn kept(&self, encoding: &Encoding, length: usize) -> Encoding {
        let range = match self.direction {
            TruncationDirection::Right => 0..length,
            TruncationDirection::Left => encoding.len() - length..encoding.len(),
        };
        Encoding::new(
            encoding.get_ids()[range.clone()].to_vec(),
            encoding.get_type_ids()[range.clone()].to_vec(),
            encoding.get_tokens()[range.clone()].to_vec(),
            encoding.get_word_ids()[range.clone()].to_vec(),
            encoding.get_offsets()[range.clone()].to_vec(),
            encoding.get_special_tokens_mask()[range.clone()].to_vec(),
            encoding.get_attention_mask()[range].to_vec(),
            vec![],
            Default::default(),
        )
    }
}

/// Each window of the first text meets each of the second: two long texts would fill the memory.
fn check_windows(first: &Encoding, second: Option<&Encoding>) -> Outcome<()> {
    const MOST: usize = 1 << 16;
    let count = |encoding: &Encoding| encoding.get_overflowing().len() + 1;
    let windows = count(first).saturating_mul(second.map_or(1, count));
    if windows > MOST {
        return Err(Failure::input(format!(
            "the texts make {windows} windows, more than {MOST}: raise max_length or cut only one of the texts"
        )));
    }
    Ok(())
}

fn model_settings(model: &ModelWrapper) -> serde_json::Value {
    use serde_json::json;
    match model {
        ModelWrapper::BPE(bpe) => json!({
            "type": "BPE",
            "unk_token": bpe.unk_token,
            "continuing_subword_prefix": bpe.continuing_subword_prefix,
            "end_of_word_suffix": bpe.end_of_word_suffix,
            "byte_fallback": bpe.byte_fallback,
        }),
        ModelWrapper::WordPiece(word_piece) => json!({
            "type": "WordPiece",
            "unk_token": word_piece.unk_token,
            "continuing_subword_prefix": word_piece.continuing_subword_prefix,
        }),
        ModelWrapper::WordLevel(word_level) => json!({"type": "WordLevel", "unk_token": word_level.unk_token}),
        ModelWrapper::Unigram(_) => json!({"type": "Unigram"}),
    }
}

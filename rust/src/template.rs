//! Chat templates: minijinja set up as transformers sets jinja2 up, with what Python's values can do beside it.
//! Parity: transformers 4.57 chat_template_utils._compile_jinja_template, jinja2 3.1.

use std::fmt::Write;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior};

use crate::border::{Failure, Outcome};
use crate::clock::Time;
use crate::{python, python_methods};

/// A template is a stranger's program: it ends after this many instructions.
const FUEL: u64 = 20_000_000;
const NAME: &str = "chat_template";
const NOW: &str = "__now__";

/// Marks the error that a template raises by itself.
#[derive(Debug)]
struct Raised;

impl std::fmt::Display for Raised {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("raised by the template")
    }
}

impl std::error::Error for Raised {}

pub struct Template {
    environment: Environment<'static>,
}

impl Template {
    pub fn compile(source: &str) -> Outcome<Self> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(Failure::model)?;
        environment.set_syntax(syntax);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment.set_fuel(Some(FUEL));
        environment.set_formatter(|output, _, value| output.write_str(&python::text(value)).map_err(Error::from));
        environment.set_unknown_method_callback(python_methods::call);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", strftime_now);
        environment.add_filter("tojson", tojson);
        environment.add_filter("string", |value: &Value| python::text(value));
        // None has no length and no items, unlike in minijinja.
        environment.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
        environment.add_filter("default", default);
        environment.add_filter("d", default);
        environment.add_template_owned(NAME, prepared(source)).map_err(|error| Failure::model(explained(&error)))?;
        Ok(Self { environment })
    }

    /// `context` is a JSON object: messages, tools and so on, as `render` of jinja2 takes them.
    pub fn render(&self, context: &[u8], now: &str) -> Outcome<String> {
        let mut context: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(context).map_err(Failure::input)?;
        context.insert(NOW.to_string(), now.into());
        let template = self.environment.get_template(NAME).map_err(|error| Failure::model(explained(&error)))?;
        template.render(python::value_of(serde_json::Value::Object(context))).map_err(|error| {
            let own_words = std::error::Error::source(&error).is_some_and(|source| source.is::<Raised>());
            Failure::input(if own_words { error.detail().unwrap_or_default().to_string() } else { explained(&error) })
        })
    }
}

/// jinja2 takes every kind of line end for "\n"; `generation` only marks what the assistant says.
fn prepared(source: &str) -> String {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut result = String::with_capacity(source.len());
    let mut rest = source.as_str();
    while let Some(start) = rest.find("{%") {
        let Some(length) = rest[start..].find("%}") else { break };
        let tag = &rest[start..start + length + 2];
        result.push_str(&rest[..start]);
        let inner = tag[2..tag.len() - 2].trim_matches(|c: char| c == '-' || c == '+' || c.is_whitespace());
        match inner {
            "generation" => result.push_str(&tag.replacen("generation", "if true", 1)),
            "endgeneration" => result.push_str(&tag.replacen("endgeneration", "endif", 1)),
            _ => result.push_str(tag),
        }
        rest = &rest[start + tag.len()..];
    }
    result + rest
}

fn explained(error: &Error) -> String {
    let mut text = String::new();
    if let Some(line) = error.line() {
        let _ = write!(text, "line {line}: ");
    }
    let _ = write!(text, "{}", error.kind());
    if let Some(detail) = error.detail() {
        let _ = write!(text, ": {detail}");
    }
    text
}

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message).with_source(Raised))
}

fn strftime_now(state: &State, format: String) -> Result<String, Error> {
    let now = state.lookup(NOW).and_then(|now| now.as_str().map(str::to_string)).unwrap_or_default();
    let time = if now.is_empty() { Time::now() } else { Time::parse(&now) };
    time.and_then(|time| time.format(&format)).map_err(|message| Error::new(ErrorKind::InvalidOperation, message))
}

fn tojson(value: &Value, arguments: Rest<Value>, kwargs: Kwargs) -> Result<String, Error> {
    let argument = |name: &str, place: usize| -> Result<Value, Error> {
        match arguments.get(place) {
            Some(given) => Ok(given.clone()),
            None => Ok(kwargs.get::<Option<Value>>(name)?.unwrap_or_else(|| Value::from(()))),
        }
    };
    let mut style = python::Json::default();
    style.ensure_ascii = argument("ensure_ascii", 0)?.is_true();
    let indent = argument("indent", 1)?;
    if let Some(text) = indent.as_str() {
        style.indent = Some(text.to_string());
    } else if let Some(count) = indent.as_i64() {
        style.indent = Some(" ".repeat(usize::try_from(count).unwrap_or(0)));
    }
    if style.indent.is_some() {
        style.item_separator = ",".to_string();
    }
    let separators = argument("separators", 2)?;
    if separators.kind() == ValueKind::Seq {
        let parts: Vec<String> = separators.try_iter()?.map(|part| python::text(&part)).collect();
        let [item, key] = <[String; 2]>::try_from(parts)
            .map_err(|_| Error::new(ErrorKind::InvalidOperation, "tojson: separators must be two texts"))?;
        style.item_separator = item;
        style.key_separator = key;
    }
    style.sort_keys = argument("sort_keys", 3)?.is_true();
    kwargs.assert_all_used()?;
    style.dumps(value)
}

fn default(value: &Value, arguments: Rest<Value>, kwargs: Kwargs) -> Result<Value, Error> {
    let other = match arguments.first() {
        Some(other) => other.clone(),
        None => kwargs.get::<Option<Value>>("default_value")?.unwrap_or_else(|| Value::from("")),
    };
    let boolean = match arguments.get(1) {
        Some(boolean) => boolean.is_true(),
        None => kwargs.get::<Option<bool>>("boolean")?.unwrap_or(false),
    };
    kwargs.assert_all_used()?;
    Ok(if value.is_undefined() || (boolean && !value.is_true()) { other } else { value.clone() })
}

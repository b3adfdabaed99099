//! Methods of Python's str, list and dict that templates call and minijinja's own bridge does not have.

use minijinja::value::{from_args, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};
use minijinja_contrib::pycompat;

pub fn call(state: &mut State, value: &Value, method: &str, arguments: &[Value]) -> Result<Value, Error> {
    let result = match value.kind() {
        ValueKind::String => of_text(value.as_str().unwrap_or_default(), method, arguments)?,
        ValueKind::Seq => of_list(value, method, arguments)?,
        _ => None,
    };
    match result {
        Some(result) => Ok(result),
        None => pycompat::unknown_method_callback(state, value, method, arguments),
    }
}

fn of_text(text: &str, method: &str, arguments: &[Value]) -> Result<Option<Value>, Error> {
    Ok(Some(match method {
        "rsplit" => {
            let (separator, most): (Option<&str>, Option<i64>) = from_args(arguments)?;
            let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
            Value::from(rsplit(text, separator, most)?)
        }
        "index" | "rindex" => {
            let (part,): (&str,) = from_args(arguments)?;
            let found = if method == "index" { text.find(part) } else { text.rfind(part) };
            let at = found.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "substring not found"))?;
            Value::from(text[..at].chars().count())
        }
        "partition" | "rpartition" => {
            let (separator,): (&str,) = from_args(arguments)?;
            let (before, after) = match method {
                "partition" => text.split_once(separator).unwrap_or((text, "")),
                _ => text.rsplit_once(separator).unwrap_or(("", text)),
            };
            let found = if text.contains(separator) { separator } else { "" };
            Value::from(vec![Value::from(before), Value::from(found), Value::from(after)])
        }
        "removeprefix" => {
            let (part,): (&str,) = from_args(arguments)?;
            Value::from(text.strip_prefix(part).unwrap_or(text))
        }
        "removesuffix" => {
            let (part,): (&str,) = from_args(arguments)?;
            Value::from(text.strip_suffix(part).unwrap_or(text))
        }
        "zfill" => {
            let (width,): (usize,) = from_args(arguments)?;
            let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
            let missing = missing(text, width)?;
            Value::from(format!("{sign}{}{digits}", "0".repeat(missing)))
        }
        "ljust" | "rjust" | "center" => {
            let (width, fill): (usize, Option<&str>) = from_args(arguments)?;
            let missing = missing(text, width)?;
            // Parity: CPython str.center puts the odd one left when the width is odd.
            let left = match method {
                "ljust" => 0,
                "rjust" => missing,
                _ => missing / 2 + (missing & width & 1),
            };
            let fill = fill.unwrap_or(" ");
            Value::from(format!("{}{text}{}", fill.repeat(left), fill.repeat(missing - left)))
        }
        "swapcase" => Value::from(text.chars().flat_map(swapped).collect::<String>()),
        "casefold" => Value::from(text.to_lowercase().replace('ß', "ss")),
        "isdecimal" => Value::from(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())),
        "istitle" => Value::from(is_title(text)),
        _ => return Ok(None),
    }))
}

fn of_list(list: &Value, method: &str, arguments: &[Value]) -> Result<Option<Value>, Error> {
    if method != "index" {
        return Ok(None);
    }
    let (wanted,): (Value,) = from_args(arguments)?;
    let at = list.try_iter()?.position(|item| item == wanted);
    at.map(|at| Some(Value::from(at)))
        .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("{wanted} is not in list")))
}

/// As many characters as the text lacks of a width. A template must not fill the memory.
fn missing(text: &str, width: usize) -> Result<usize, Error> {
    const MOST: usize = 1 << 20;
    if width > MOST {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("a width of {width} is too large")));
    }
    Ok(width.saturating_sub(text.chars().count()))
}

fn rsplit(text: &str, separator: Option<&str>, most: usize) -> Result<Vec<String>, Error> {
    let mut parts: Vec<String> = match separator {
        Some("") => return Err(Error::new(ErrorKind::InvalidOperation, "empty separator")),
        Some(separator) => text.rsplitn(most.saturating_add(1), separator).map(str::to_string).collect(),
        None => {
            let mut parts = Vec::new();
            let mut rest = text.trim_end();
            while !rest.is_empty() && parts.len() < most {
                let start = rest
                    .rfind(char::is_whitespace)
                    .map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
                parts.push(rest[start..].to_string());
                rest = rest[..start].trim_end();
            }
            if !rest.is_empty() {
                parts.push(rest.to_string());
            }
            parts
        }
    };
    parts.reverse();
    Ok(parts)
}

fn swapped(c: char) -> Vec<char> {
    if c.is_uppercase() {
        c.to_lowercase().collect()
    } else {
        c.to_uppercase().collect()
    }
}

fn is_title(text: &str) -> bool {
    let mut after_letter = false;
    let mut any = false;
    for c in text.chars() {
        if c.is_uppercase() == after_letter && (c.is_uppercase() || c.is_lowercase()) {
            return false;
        }
        after_letter = c.is_uppercase() || c.is_lowercase();
        any |= after_letter;
    }
    any
}

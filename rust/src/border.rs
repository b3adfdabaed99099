//! What every entry of the C interface shares: views of the caller's memory, texts given to the caller, errors and
//! panics as messages.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Once;
use std::{ptr, slice, str};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 0,
    InvalidInput = 1,
    InvalidModel = 2,
    Internal = 3,
}

pub struct Failure {
    pub status: Status,
    pub message: String,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn input(message: impl ToString) -> Self {
        Self { status: Status::InvalidInput, message: message.to_string() }
    }

    pub fn model(message: impl ToString) -> Self {
        Self { status: Status::InvalidModel, message: message.to_string() }
    }
}

/// A text of the caller.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    data: *const u8,
    size: usize,
}

impl View {
    /// # Safety
    /// `data` points to `size` bytes, or `size` is 0.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        array(self.data, self.size)
    }

    /// # Safety
    /// As for `bytes`.
    pub unsafe fn text<'a>(self) -> Outcome<&'a str> {
        str::from_utf8(self.bytes())
            .map_err(|error| Failure::input(format!("the text is not valid UTF-8 at byte {}", error.valid_up_to())))
    }
}

/// A text given to the caller, who hands it back to be freed.
#[repr(C)]
pub struct Text {
    data: *mut u8,
    size: usize,
}

impl Text {
    pub fn new(text: String) -> Self {
        let (data, size) = give(text.into_bytes());
        Self { data, size }
    }

    /// # Safety
    /// The text comes from `new` and was not freed.
    pub unsafe fn free(self) {
        take(self.data, self.size);
    }
}

/// # Safety
/// `data` points to `size` values, or `size` is 0.
pub unsafe fn array<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        &[]
    } else {
        slice::from_raw_parts(data, size)
    }
}

/// Hands the memory of a vector over to the caller.
pub fn give<T>(values: Vec<T>) -> (*mut T, usize) {
    let size = values.len();
    (Box::into_raw(values.into_boxed_slice()) as *mut T, size)
}

/// # Safety
/// `data` and `size` come from `give` and were not taken back.
pub unsafe fn take<T>(data: *mut T, size: usize) {
    if !data.is_null() {
        drop(Box::from_raw(ptr::slice_from_raw_parts_mut(data, size)));
    }
}

/// Runs `f`; its failure becomes a status and a message, and so does its panic, with the status `panicked`.
///
/// # Safety
/// `error` points to a place for a text.
pub unsafe fn guard(error: *mut Text, panicked: Status, f: impl FnOnce() -> Outcome<()>) -> Status {
    silence_panics();
    let failure = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure { status: panicked, message: panic_message(panic.as_ref()) },
    };
    error.write(Text::new(failure.message));
    failure.status
}

/// Runs `f` for a caller who can do without it; a panic gives nothing.
pub fn attempt<T>(f: impl FnOnce() -> T) -> Option<T> {
    silence_panics();
    catch_unwind(AssertUnwindSafe(f)).ok()
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("panic without a message").to_owned()
}

/// The default hook prints each panic; here the caller gets it as an error.
fn silence_panics() {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

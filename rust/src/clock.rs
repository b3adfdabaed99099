//! The local time, written by strftime() of the C library as Python's datetime does.

use std::ffi::{CStr, CString};
use std::mem::zeroed;

/// A local time without a time zone.
pub struct Time {
    fields: libc::tm,
    microseconds: u32,
}

impl Time {
    pub fn now() -> Result<Self, String> {
        // SAFETY: both functions write the structs that they are given.
        unsafe {
            let mut clock: libc::timespec = zeroed();
            let mut fields: libc::tm = zeroed();
            if libc::clock_gettime(libc::CLOCK_REALTIME, &mut clock) != 0
                || libc::localtime_r(&clock.tv_sec, &mut fields).is_null()
            {
                return Err("the clock of this machine cannot be read".to_string());
            }
            Ok(Self { fields, microseconds: u32::try_from(clock.tv_nsec / 1000).unwrap_or(0) })
        }
    }

    /// "2024-07-26T00:00:00", with a part of a second or without; the date alone is its midnight.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not a time such as 2024-07-26T13:45:00");
        let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
        let (time, part) = time.split_once('.').unwrap_or((time, "0"));
        let numbers = |text: &str, separator: char| -> Option<[i32; 3]> {
            let parts: Option<Vec<i32>> = text.split(separator).map(|part| part.parse().ok()).collect();
            parts?.try_into().ok()
        };
        let [year, month, day] = numbers(date, '-').ok_or_else(wrong)?;
        let [hour, minute, second] = numbers(time, ':').ok_or_else(wrong)?;
        let microseconds = format!("{part:0<6}").get(..6).and_then(|part| part.parse().ok()).ok_or_else(wrong)?;
        // SAFETY: timegm fills in the day of the week and of the year, and puts odd days right.
        let mut fields: libc::tm = unsafe { zeroed() };
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year.checked_sub(1900).ok_or_else(wrong)?, month - 1, day);
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (hour, minute, second);
        let given = (month - 1, day, hour, minute, second);
        unsafe { libc::timegm(&mut fields) };
        if (fields.tm_mon, fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec) != given {
            return Err(wrong());
        }
        Ok(Self { fields, microseconds })
    }

    /// Parity: CPython 3.11 datetime.strftime of a time without a zone: %f are microseconds, %z and %Z nothing.
    pub fn format(&self, format: &str) -> Result<String, String> {
        let mut prepared = String::new();
        let mut rest = format.chars();
        while let Some(c) = rest.next() {
            match (c, c == '%') {
                (_, true) => match rest.next() {
                    Some('f') => prepared += &format!("{:06}", self.microseconds),
                    Some('z' | 'Z') => {}
                    Some(other) => prepared.extend(['%', other]),
                    None => prepared.push('%'),
                },
                (c, false) => prepared.push(c),
            }
        }
        if prepared.is_empty() {
            return Ok(prepared);
        }
        let wrong = || format!("strftime_now: \"{format}\" cannot be written");
        let pattern = CString::new(prepared).map_err(|_| wrong())?;
        let mut buffer = vec![0_u8; 256 * (1 + pattern.as_bytes().len())];
        // SAFETY: strftime writes at most buffer.len() bytes, with a zero at the end.
        let size = unsafe { libc::strftime(buffer.as_mut_ptr().cast(), buffer.len(), pattern.as_ptr(), &self.fields) };
        if size == 0 {
            return Err(wrong());
        }
        let text = CStr::from_bytes_until_nul(&buffer).map_err(|_| wrong())?;
        Ok(text.to_string_lossy().into_owned())
    }
}

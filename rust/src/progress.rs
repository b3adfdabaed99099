//! Progress bars on standard error. indicatif draws them, a few times a second however often they move, and draws
//! nothing when standard error is no terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressFinish, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

const DOWNLOAD: &str = "{prefix:36!} {wide_bar} {binary_bytes:>11} of {binary_total_bytes}, {binary_bytes_per_sec}";
const LINES: &str = "{lines} lines, {lines_per_second}/s {wide_bar} {percent:>3}%, {eta} left";
const LINES_WITHOUT_END: &str = "{spinner} {lines} lines, {lines_per_second}/s";

/// Bars below each other.
pub struct Bars(MultiProgress);

pub struct Bar {
    bar: ProgressBar,
    lines: Arc<AtomicU64>,
}

impl Bars {
    pub fn new() -> Self {
        Self(MultiProgress::new())
    }

    /// A file and its bytes.
    pub fn add_download(&self, file: &str, total: u64) -> Bar {
        self.add(total, style(DOWNLOAD), file, Arc::default())
    }

    /// Lines of a text of `total` bytes, or of one without a known end (0).
    pub fn add_lines(&self, total: u64) -> Bar {
        let lines = Arc::<AtomicU64>::default();
        let count = lines.clone();
        let rate = lines.clone();
        let style = style(if total == 0 { LINES_WITHOUT_END } else { LINES })
            .with_key("lines", move |_: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{}", count.load(Ordering::Relaxed));
            })
            .with_key("lines_per_second", move |state: &ProgressState, out: &mut dyn Write| {
                let seconds = state.elapsed().as_secs_f64().max(1e-3);
                let _ = write!(out, "{:.0}", rate.load(Ordering::Relaxed) as f64 / seconds);
            });
        self.add(total, style, "", lines)
    }

    fn add(&self, total: u64, style: ProgressStyle, prefix: &str, lines: Arc<AtomicU64>) -> Bar {
        let bar = if total == 0 { ProgressBar::no_length() } else { ProgressBar::new(total) };
        let bar = bar.with_style(style).with_prefix(prefix.to_owned()).with_finish(ProgressFinish::AndClear);
        let bar = self.0.add(bar);
        bar.tick();
        Bar { bar, lines }
    }
}

impl Bar {
    pub fn set(&self, bytes: u64, lines: u64) {
        self.lines.store(lines, Ordering::Relaxed);
        self.bar.set_position(bytes);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template of this file").progress_chars("━╸ ")
}

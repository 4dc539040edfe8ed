//! Escapes terminal control characters: names, files and the errors of other programs may contain any text.
//!
//! Everything that knee prints goes through [`shown`], in [`crate::error::say`] and [`crate::error::print_out`]; Python
//! has the same function in `knee.store.shown`. The one exception is the output of a program under `knee run`, which
//! passes unchanged, as with `time` and hyperfine's `--show-output`: it is the user's own program, its colours are
//! wanted, and `knee run -- PROGRAM > FILE` has to write what `PROGRAM > FILE` writes.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Characters that control a terminal, reorder a line (Unicode's bidirectional controls), are invisible, or are not
/// allowed in XML. The joiners U+200C and U+200D are not among them, since some scripts and emoji need them.
const ESCAPED: [RangeInclusive<char>; 13] = [
    '\0'..='\u{8}',
    '\u{b}'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{61c}'..='\u{61c}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200b}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
    '\u{fff9}'..='\u{fffb}',
    '\u{fffe}'..='\u{ffff}',
    '\u{e0000}'..='\u{e007f}',
];

/// Whether a character is escaped. Tabs and line breaks are not.
pub(crate) fn is_escaped(letter: char) -> bool {
    ESCAPED.iter().any(|range| range.contains(&letter))
}

/// The text with control characters escaped as in JSON, like `\u001b`. Text that is JSON stays the same data.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_escaped) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_escaped(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(letter);
        }
    }
    safe.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shown("a\x1b[2Jb\u{9b}c\u{202e}d\re\u{7f}"), r"a\u001b[2Jb\u009bc\u202ed\u000de\u007f");
        assert_eq!(shown("tag\u{e0041}"), r"tag\udb40\udc41");
        for plain in ["", "two\nlines\tand a tab", "größer → 日本語", "👩\u{200d}💻", "می\u{200c}خواهم"]
        {
            assert!(matches!(shown(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }

    #[test]
    fn json_stays_the_same_data() {
        let text: String = (0..=0x10_ffff).filter_map(char::from_u32).filter(|letter| is_escaped(*letter)).collect();
        let json = serde_json::to_string(&text).unwrap();
        assert!(!shown(&json).chars().any(is_escaped));
        assert_eq!(serde_json::from_str::<String>(&shown(&json)).unwrap(), text);
    }
}

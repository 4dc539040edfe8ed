//! How large a query may be. The parser has a limit on its own nesting, but not on all that takes it time or stack.

use knee_workload::Error;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::wrong;

/// Longest text of a query, in bytes.
const LONGEST: usize = 64 << 10;
/// Most operators, parentheses and keywords. A chain of them, as in `a + a + a`, is parsed into a tree as deep as the chain
/// is long, and each level takes a few KiB of the stack when the tree is walked.
const JOINTS: usize = 500;
/// Deepest parentheses and brackets. The parser reads the arguments of a function twice where a name and `=` begin them,
/// so that each level can double its time.
const BRACKETS: usize = 10;

/// Refuses a text that is too long.
pub(super) fn of_text(text: &str) -> Result<(), Error> {
    if text.len() > LONGEST {
        let what = format!("the query has {} bytes; at most {LONGEST} are read", text.len());
        return Err(wrong(what).hint("ask in several queries, or write a long list of values as ranges"));
    }
    Ok(())
}

/// Refuses what would take the parser too much of the stack, or too long.
pub(super) fn of_tokens(tokens: &[TokenWithSpan]) -> Result<(), Error> {
    let joints = tokens.iter().filter(|token| is_joint(token)).count();
    if joints > JOINTS {
        let what = format!("the query has {joints} operators, parentheses and keywords; at most {JOINTS} are read");
        return Err(wrong(what).hint("write a chain of OR as IN (...), or ask in several queries"));
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in tokens {
        match token.token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > BRACKETS {
        let what = format!("the query has parentheses {deepest} deep; at most {BRACKETS} are read");
        return Err(wrong(what).hint("leave out parentheses that change nothing"));
    }
    Ok(())
}

/// Whether a token joins others into an expression: what is no name, no constant, and no comma of a list.
fn is_joint(token: &TokenWithSpan) -> bool {
    match &token.token {
        Token::Word(word) => word.keyword != Keyword::NoKeyword,
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Comma | Token::Whitespace(_) | Token::EOF => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse;

    fn refused(text: &str) -> String {
        let error = parse(text).unwrap_err();
        assert!(error.hinted().is_some(), "{error}: there is something to try");
        error.to_string()
    }

    #[test]
    fn what_is_too_deep_is_refused() {
        for (begin, link, end, joints) in [
            ("select sum(a", "+a", ") from t", 1),
            ("select sum(1", "*1", ") from t", 1),
            ("select sum(a) from t where a", "=1", "", 1),
            ("select sum(a) from t where a = 1", " or a = 1", "", 2),
            ("select sum(a::int", "[]", ") from t", 2),
            ("select sum(a) from (select 1", " union select 1", ")", 2),
        ] {
            let links = (LONGEST - begin.len() - end.len()) / link.len();
            let said = refused(&format!("{begin}{}{end}", link.repeat(links)));
            assert!(said.contains("operators, parentheses and keywords; at most 500"), "{said}");
            // Whatever is said of a shorter chain, it has an end.
            let _ = parse(&format!("{begin}{}{end}", link.repeat((JOINTS - 10) / joints)));
        }
        let deep = "select select d, ".to_owned() + &"x.x(c=".repeat(30);
        assert_eq!(refused(&deep), "the query has parentheses 30 deep; at most 10 are read");
        let long = format!("select sum(a) from t where b in ({})", vec!["1.5"; 20_000].join(", "));
        assert!(refused(&long).contains("bytes; at most 65536 are read"));
        let list = vec!["1.5"; 10_000].join(", ");
        parse(&format!("select sum(a) from t where b in ({list})")).unwrap();
    }
}

//! Names of tables in front of columns: a query reads one table, so each of them has to be that one's.

use knee_workload::Error;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::wrong;

/// The words in front of columns, as in `lineitem.l_tax`. What follows FROM is the table itself.
pub(super) fn of_tokens(tokens: &[TokenWithSpan]) -> Vec<String> {
    let is_code = |token: &&Token| !matches!(token, Token::Whitespace(_));
    let tokens: Vec<&Token> = tokens.iter().map(|token| &token.token).filter(is_code).collect();
    let names_table = |before: Option<&&Token>| {
        matches!(before, Some(Token::Period))
            || matches!(before, Some(Token::Word(word)) if word.keyword == Keyword::FROM)
    };
    let qualifier = |at: usize| match tokens[at..] {
        [Token::Word(word), Token::Period, Token::Word(_), ..] => {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            (!names_table(before)).then(|| word.value.clone())
        }
        _ => None,
    };
    (0..tokens.len()).filter_map(qualifier).collect()
}

/// Refuses one that is not the table's name.
pub(super) fn check(qualifiers: &[String], table: &str) -> Result<(), Error> {
    match qualifiers.iter().find(|one| !one.eq_ignore_ascii_case(table)) {
        Some(other) => Err(wrong(format!("unknown table '{other}'; the query reads {table}"))
            .hint("write columns without the name of a table, or with that one")),
        None => Ok(()),
    }
}

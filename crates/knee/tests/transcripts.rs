//! The command line as users see it: every transcript in `tests/cmd` is run and compared.

#[test]
fn transcripts_hold() {
    let cases = trycmd::TestCases::new();
    cases.env("KNEE_PYTHON", "/nonexistent/python3").case("tests/cmd/*.md");
    cases.run();
}

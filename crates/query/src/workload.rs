//! The workload `query`: a scan query over one table.

use std::path::Path;

use knee_runtime::{Bind, Pool, Steal};
use knee_workload::{Args, Check, Error, Layout, Param, Phases, Run, Team, Workload, one_of};

use crate::answer::{Answer, Format};
use crate::error::wrong;
use crate::lanes::Isa;
use crate::load::Wanted;
use crate::oracle;
use crate::plan::{Aggregate, Plan};
use crate::run::Lies;
use crate::scan::{Scan, State};
use crate::sql::{self, NAMED};
use crate::table::{Encoding, Table};

pub(crate) struct Query;

/// Rows up to which an answer is checked by the plain loop, which takes some 50 ns for each.
const CHECKED: usize = 1 << 20;

impl Workload for Query {
    fn name(&self) -> &'static str {
        "query"
    }

    fn summary(&self) -> &'static str {
        "answer a query in SQL over one table"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** A query in SQL over one table: conditions on columns, exact sums, extremes, counts and \
         averages, in groups of few values. The table is TPC-H's lineitem, generated at a scale, with its columns encoded \
         by a rule that knows no query (`plain`, `narrow`, `split`). Phases: `load` (generate), `encode` (choose encodings, \
         write the table to its nodes), `plan` (read the SQL, choose kernels), `scan` (the query); the last two as often \
         as `repeat` says.\n\n\
         **What it stresses.** Memory bandwidth where codes are narrow and the query does little with them (`q6`), \
         arithmetic where it does much (`q1` on plain columns).\n\n\
         **Where it should bend.** `q6` where memory channels are full; `q1` at the cores. Across sockets when the table \
         lies on one node, or when morsels are read from other nodes.\n\n\
         **Source.** Q1 and Q6 of TPC-H, as in Flare's scaling study (Essertel et al., OSDI 2018, and its post of 2016); \
         morsels after Leis et al. (SIGMOD 2014)."
    }

    fn phase(&self) -> &'static str {
        "scan"
    }

    fn params(&self) -> &'static [Param] {
        const NAMES: &str = "what to ask: q1, q6, modes, late, all, rare, or sql for the text that --sql gives";
        const PARAMS: &[Param] = &[
            Param::new("query", NAMES, "q6").positional(),
            Param::new("data", "a Parquet file, or a directory of them; none to generate lineitem", "").positional(),
            Param::new("scale", "scale of TPC-H's lineitem, where it is generated: 6 million rows for each 1", "1"),
            Param::new("cache", "a directory that keeps encoded tables, so that the next start is fast", ""),
            Param::new("sql", "the query's own text", ""),
            Param::new("delta", "q1: days before 1998-12-01", "90"),
            Param::new("date", "q6: first day of the year", "1994-01-01"),
            Param::new("discount", "q6: discount, give or take 0.01", "0.06"),
            Param::new("quantity", "q6: quantities below this", "24"),
            Param::choice("encoding", "how columns are stored", "narrow", Encoding::NAMES),
            Layout::param(&["blocked", "interleaved", "contiguous", "one-node", "replicated"]),
            Param::choice("isa", "instruction set", "auto", Isa::NAMES),
            Param::choice("runtime", "scheduler; serial and loop are the sequential versions", "near", RUNTIMES),
            Param::choice("format", "how the answer is written", "table", Format::NAMES),
            Param::new("repeat", "number of repetitions", "1"),
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let text = text(args)?;
        let select = sql::parse(&text)?;
        let isa = isa(args.text("isa"))?;
        let repeat = args.number("repeat", 1..=1_000_000)?;
        let wanted = Wanted::new(args)?;
        let pool = pool(args, team)?;
        let table = wanted.table(&select, &pool, phases)?;
        // From its text once more, and as often as it is asked: all that a query costs before its scan.
        let (plan, bytes_per_row) = phases.measure("plan", || {
            let once = || {
                let plan = Plan::new(&sql::parse(&text)?.counting_rows(), &table.fields())?;
                let scan = Scan::new(&plan, &table, isa)?;
                scan.check_memory(team.threads())?;
                let bytes_per_row = scan.bytes_per_row();
                Ok::<_, Error>((plan, bytes_per_row))
            };
            (1..repeat).try_for_each(|_| once().map(|_| ()))?;
            once()
        })?;
        let format = Format::named(args.text("format")).expect("values were checked");
        let how = How::named(args.text("runtime"));
        Ok(Box::new(Prepared {
            pool,
            table,
            plan,
            bytes_per_row,
            isa,
            how,
            format,
            repeat,
            answer: None,
            failure: None,
            unknown: None,
        }))
    }
}

/// Ways to go through the morsels.
const RUNTIMES: &[&str] = &["near", "strict", "random", "serial", "loop"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Parallel,
    /// The same kernels on one thread, without a runtime.
    Serial,
    /// Row by row.
    Loop,
}

impl How {
    fn named(runtime: &str) -> Self {
        match runtime {
            "serial" => Self::Serial,
            "loop" => Self::Loop,
            _ => Self::Parallel,
        }
    }
}

/// The text of the query.
pub(crate) fn text(args: &Args) -> Result<String, Error> {
    let (name, own) = (args.text("query"), args.text("sql"));
    match (name, own.is_empty()) {
        ("sql", true) => Err(wrong("the query sql needs its text").hint("--sql \"SELECT ... FROM lineitem\"")),
        ("sql", false) => Ok(own.to_owned()),
        (_, false) => Err(wrong(format!("--sql is given beside the query {name}")).hint("leave out one of them")),
        (name, true) => {
            let query = sql::named(name).ok_or_else(|| unknown(name))?;
            query.sql(|parameter| Some(args.text(parameter).to_owned()))
        }
    }
}

/// The error for a name that no query has: it may be a file, or a query's text.
fn unknown(name: &str) -> Error {
    let names: Vec<_> = NAMED.iter().map(|query| query.name).chain(["sql"]).collect();
    let said = wrong(format!("unknown query '{name}'; expected {}", one_of(&names)));
    if name.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select")) {
        said.hint("give the text of a query after --sql")
    } else if Path::new(name).exists() {
        said.hint(format!("name the query first: q6 {name}, or sql {name} --sql TEXT"))
    } else {
        said
    }
}

pub(crate) fn isa(name: &str) -> Result<Isa, Error> {
    Isa::named(name).ok_or_else(|| {
        let has: Vec<_> = Isa::all().iter().map(|isa| isa.name()).collect();
        wrong(format!("this processor has no {name}")).hint(format!("it has {}", one_of(&has)))
    })
}

/// A pool of the team's workers. The sequential versions have it, too, to generate and encode.
pub(crate) fn pool(args: &Args, team: &Team) -> Result<Pool, Error> {
    let bind = match team.bind() {
        knee_workload::Bind::Each => Bind::Each,
        knee_workload::Bind::Set => Bind::Set,
    };
    let runtime = args.text("runtime");
    let steal = if runtime == "random" { Steal::Random } else { Steal::Near };
    let builder = Pool::builder().workers(team.threads()).cpus(team.cpus()).bind(bind).steal(steal);
    let builder = builder.ignore_places(runtime == "random").strict(runtime == "strict");
    builder.build().map_err(|error| Error::new(error.to_string()))
}

struct Prepared {
    pool: Pool,
    table: Table,
    plan: Plan,
    bytes_per_row: usize,
    isa: Isa,
    how: How,
    format: Format,
    repeat: u64,
    answer: Option<Answer>,
    /// Why there is none.
    failure: Option<Error>,
    /// Why bytes are not counted as read at home or away.
    unknown: Option<String>,
}

impl Prepared {
    fn scan(&self) -> Scan<'_> {
        Scan::new(&self.plan, &self.table, self.isa).expect("it was tried, and depends on nothing else")
    }

    fn written(&mut self, answer: Result<Answer, Error>) -> String {
        match answer {
            Ok(answer) => self.answer.insert(answer).written(self.format),
            Err(error) => {
                self.failure = Some(error);
                String::new()
            }
        }
    }

    fn once(&self, scan: &Scan<'_>, lies: &Lies) -> State {
        if self.how == How::Serial { scan.serial(lies) } else { scan.parallel(&self.pool, lies) }
    }
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        if self.how == How::Loop {
            let once = || oracle::answer(&self.plan, &self.table);
            let answer =
                phases.measure("scan", || (1..self.repeat).try_for_each(|_| once().map(drop)).and_then(|()| once()));
            phases.count("rows", self.table.rows() as u64 * self.repeat);
            return self.written(answer);
        }
        let (scan, mut read) = (self.scan(), (0, 0));
        let lies = Lies::new(&self.table, (self.how == How::Parallel).then_some(&self.pool));
        let answer = phases.measure("scan", || {
            let mut answers = (0..self.repeat).map(|_| {
                let state = self.once(&scan, &lies);
                read = (read.0 + state.read.0, read.1 + state.read.1);
                state.answer(&self.plan, &scan)
            });
            let first = answers.next().expect("it is asked at least once");
            assert!(answers.all(|answer| answer == first), "asked again, the query has another answer");
            first
        });
        phases.count("rows", self.table.rows() as u64 * self.repeat);
        self.unknown = lies.unknown().map(str::to_owned);
        if self.unknown.is_none() {
            phases.count("local-read-bytes", read.0);
            phases.count("remote-read-bytes", read.1);
        }
        self.written(answer)
    }

    fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    /// Answers of tables that are not too large are compared with those of the plain loop.
    fn check(&self, _: &str) -> Check {
        let Some(answer) = self.answer.as_ref().filter(|_| self.table.rows() <= CHECKED && self.how != How::Loop)
        else {
            return Check::Unknown;
        };
        match oracle::answer(&self.plan, &self.table) {
            Ok(expected) if expected.is_close(answer) => Check::Right,
            // What is left of large doubles that cancel out may have fewer digits.
            Ok(_) if self.plan.aggregates.iter().any(|one| matches!(one, Aggregate::FloatSum(_))) => Check::Unknown,
            Ok(expected) => Check::Wrong(expected.written(self.format)),
            Err(_) => Check::Unknown,
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        // The plain loop has no lanes.
        let isa = (self.how != How::Loop).then_some(self.isa);
        let (rows, bytes) = (self.table.rows() as u64, self.table.bytes() as u64);
        facts(rows, self.bytes_per_row, bytes, isa, self.unknown.as_deref())
    }
}

/// What is known of a run: `unknown` is why bytes are not counted as read at home or away.
pub(crate) fn facts(
    rows: u64,
    bytes_per_row: usize,
    encoded_bytes: u64,
    isa: Option<Isa>,
    unknown: Option<&str>,
) -> Vec<(String, String)> {
    let facts = [
        ("rows", rows.to_string()),
        ("bytes_per_row", bytes_per_row.to_string()),
        ("encoded_bytes", encoded_bytes.to_string()),
    ];
    let isa = isa.map(|isa| ("isa", isa.name().to_owned()));
    let home = unknown.map(|reason| ("read_at_home", format!("unknown: {reason}")));
    facts.into_iter().chain(isa).chain(home).map(|(name, value)| (name.to_owned(), value)).collect()
}

//! A query that is asked once: there is no table of all its rows, which nobody would read again.

use knee_workload::{Args, Error, Param, Phases, Team, Workload};

use super::{Stream, Streamed};
use crate::answer::{Answer, Format};
use crate::data::Source;
use crate::known::{needed, sums_doubles};
use crate::load::{Rows, Wanted};
use crate::plan::Plan;
use crate::sql;
use crate::table::MORSEL;
use crate::workload::{self, Query, facts};

/// Rows of a batch of row groups at least. Batches end at the same rows on up to eight threads; more of them share larger
/// ones, so that none waits long for the others at its end.
const OF_FILES: u64 = 1 << 23;
const OF_FILES_EACH: u64 = 1 << 20;

/// Morsels of a batch that was encoded before, for each thread: few enough to stay in a cache until they are asked.
const ENCODED_EACH: usize = 4;

/// Answers a query, and says what else is known; none where a table of all rows is wanted: it is generated, asked more than
/// once, or laid out in another way than usual. Sums of doubles, too, depend on where the rows lie that are added first.
///
/// What cannot be answered in batches is left to a table as well: its sums need 128 bits at the end alone, and its
/// codes may be fewer. It says what is wrong.
pub fn at_once(args: &Args, team: &Team, phases: &mut Phases) -> Option<(String, Facts)> {
    if !is_plain(args) || (args.text("data").is_empty() && args.text("cache").is_empty()) {
        return None;
    }
    let found = streamed(args, team, phases).ok().flatten();
    if found.is_none() {
        phases.forget();
    }
    found
}

fn streamed(args: &Args, team: &Team, phases: &mut Phases) -> Result<Option<(String, Facts)>, Error> {
    let select = sql::parse(&workload::text(args)?)?;
    let isa = workload::isa(args.text("isa"))?;
    let pool = workload::pool(args, team)?;
    let rows = Wanted::new(args)?.rows(&select, &pool, phases)?;
    let wanted = Wanted::new(args)?.following();
    let stream = Stream { wanted: &wanted, pool: &pool, isa, homes: true };
    phases.join();
    let found = match rows {
        Rows::Generated(_) => return Ok(None),
        Rows::Files(files) if sums_doubles(&select, &files.fields())? => return Ok(None),
        Rows::Encoded(dump, _) if sums_doubles(&select, &dump.fields())? => return Ok(None),
        Rows::Files(files) => {
            let files = needed(files, &select)?;
            let batch = OF_FILES.max(OF_FILES_EACH * team.threads() as u64);
            stream.of_source(&select, (&files, 0..files.parts()), batch, phases)?
        }
        Rows::Encoded(dump, hint) => {
            let columns = Plan::new(&select, &dump.fields())?.columns().to_vec();
            // Without bytes there is nothing to keep in a cache.
            let batch = if dump.bytes(&columns) > 0 { ENCODED_EACH * team.threads() } else { usize::MAX / MORSEL };
            stream.of_dump(&select, (&dump, hint), batch, phases)?
        }
    };
    let answer =
        phases.measure("scan", || Ok::<_, Error>(Answer::new(&found.plan, found.partial.rows(&found.plan)?)))?;
    phases.count("rows", found.rows);
    let Streamed { rows, bytes, bytes_per_row, read, unknown, .. } = found;
    if unknown.is_none() {
        phases.count("local-read-bytes", read.0);
        phases.count("remote-read-bytes", read.1);
    }
    let format = Format::named(args.text("format")).expect("values were checked");
    Ok(Some((answer.written(format), facts(rows, bytes_per_row, bytes, Some(isa), unknown.as_deref()))))
}

/// Whether nothing is wanted of a table but the answer.
fn is_plain(args: &Args) -> bool {
    let usual = |param: &&Param| param.default == Some(args.text(param.name));
    Query.params().iter().filter(|param| OF_TABLES.contains(&param.name)).all(|param| usual(&param))
}

/// Parameters that a table of all rows is for.
const OF_TABLES: [&str; 3] = ["repeat", "layout", "runtime"];

/// What is known of an answer, by name.
type Facts = Vec<(String, String)>;

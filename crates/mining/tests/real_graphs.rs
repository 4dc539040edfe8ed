//! Known counts of real graphs, by formulas and by plans, from converted files and from the original files.

#[path = "../../machine/tests/shared/mod.rs"]
mod shared;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use knee_mining::graph::EdgeList;
use knee_mining::pattern::motifs;
use knee_mining::{Graph, Induced, Method, Pattern, Question, Scheduler};

/// Name, vertices, edges, highest degree, triangles, diamonds, 4-cliques.
const KNOWN: [(&str, usize, usize, usize, u128, u128, u128); 7] = [
    ("wikivote", 7_115, 100_762, 1_065, 608_389, 40_544_543, 2_077_903),
    ("enron", 36_692, 183_831, 1_383, 727_044, 36_528_276, 2_341_639),
    ("astroph", 17_903, 196_972, 504, 1_350_014, 72_334_291, 9_576_850),
    ("brightkite", 56_739, 212_945, 1_134, 494_408, 29_260_255, 2_851_090),
    ("cornell5", 18_660, 790_777, 3_156, 6_112_650, 424_965_628, 36_489_220),
    ("egotwitter", 81_306, 1_342_296, 3_383, 13_082_506, 1_200_274_418, 104_929_938),
    ("cnr2000", 325_557, 2_738_969, 18_236, 20_977_629, 43_933_401_996, 159_814_399),
];

fn check(name: &str, list: &EdgeList) {
    let &(_, vertices, edges, highest, triangles, diamonds, cliques) =
        KNOWN.iter().find(|known| known.0 == name).unwrap();
    assert_eq!((list.vertices, list.edges.len()), (vertices, edges), "{name}");
    let graph = Graph::from_edges(list);
    // The vertex of highest degree has the highest rank.
    assert_eq!(graph.degree(u32::try_from(vertices - 1).unwrap()), highest, "{name}");
    for method in [Method::Auto, Method::Explore] {
        let counts = ["triangle", "diamond", "4-clique"].map(|pattern| count(&graph, pattern, Induced::Edge, method));
        assert_eq!(counts, [triangles, diamonds, cliques], "{name} {method:?}");
    }
}

/// Workers for all tests.
fn scheduler() -> &'static Scheduler {
    static SCHEDULER: OnceLock<Scheduler> = OnceLock::new();
    SCHEDULER.get_or_init(|| Scheduler::unpinned(2).unwrap())
}

fn count(graph: &Graph, pattern: &str, induced: Induced, method: Method) -> u128 {
    Question::new(&Pattern::parse(pattern).unwrap(), induced, method).unwrap().count(graph, scheduler())[0]
}

#[test]
fn every_known_graph_has_its_known_counts() {
    let Some(graphs) = shared::folder("every_known_graph_has_its_known_counts", "graphs") else { return };
    for (name, ..) in KNOWN {
        check(name, &EdgeList::read(&graphs.join(format!("{name}.el.zst"))).unwrap());
    }
}

/// All other counts that the test data's own description gives, edge-induced.
const EDGE_INDUCED: &str = "
                 5-clique      square          paw           claw       path-4
    wikivote      4514137    57654491    421175645     1475572967   1903444290
    enron         5809356    36262229    493704847     4909606844   2313216642
    astroph      64988872    44905820    352859685      545662862    986699515
    brightkite   19481265    23379930    196859717     1455805560    878481002
    cornell5    212201618   427509564   4125269674    21338667709  23844494466
    egotwitter  784699022  1023837230   9293377097    63466076770  33502966773
    cnr2000    1252511081 81330781033 253245169941 41558033579633 576249705767";

/// The same, vertex-induced.
const VERTEX_INDUCED: &str = "
                   diamond      square         paw           claw      path-4
    wikivote      28077125    23343657   283932309     1127174796  1048807458
    enron         22478442     6758870   375691411     4479591993  1371828020
    astroph       14873191     1302079   178444721      299164359   420440411
    brightkite    12153715     2672945   114031777     1306061993   532590298
    cornell5     206030308   112011596  2863277802    17917372411 15995839990
    egotwitter   570694790   138352626  5751438681    56153528757 16763350911
    cnr2000    42974515602 37876822234 79429334745 41392015956088  6118880941";

/// Pattern and count, for each column of a table.
fn row(table: &'static str, name: &str) -> Vec<(&'static str, u128)> {
    let mut rows = table.trim_start().lines().map(str::split_whitespace);
    let patterns = rows.next().unwrap();
    let mut counts = rows.find(|row| row.clone().next() == Some(name)).unwrap();
    counts.next();
    patterns.zip(counts.map(|count| count.parse().unwrap())).collect()
}

/// Formulas count in all graphs. Plans do so in the small ones, and among the slow proofs in the others as well.
#[test]
fn any_pattern_has_its_known_count() {
    let Some(graphs) = shared::folder("any_pattern_has_its_known_count", "graphs") else { return };
    let proofs = std::env::var_os("KNEE_PROOFS").is_some();
    for (name, _, edges, ..) in KNOWN {
        let graph = Graph::from_edges(&EdgeList::read(&graphs.join(format!("{name}.el.zst"))).unwrap());
        let methods = if proofs || edges < 250_000 { &[Method::Auto, Method::Explore][..] } else { &[Method::Auto] };
        for (table, induced) in [(EDGE_INDUCED, Induced::Edge), (VERTEX_INDUCED, Induced::Vertex)] {
            for (pattern, expected) in row(table, name) {
                for &method in methods {
                    let found = count(&graph, pattern, induced, method);
                    assert_eq!(found, expected, "{name} {pattern} {induced:?} {method:?}");
                }
            }
        }
        if name == "wikivote" {
            assert_eq!(count(&graph, "house", Induced::Edge, Method::Explore), 9_488_779_111);
        }
    }
}

/// As `knee mine motifs` and `knee mine cliques` ask.
#[test]
fn patterns_that_are_asked_for_together_have_their_known_counts() {
    let Some(graphs) = shared::folder("patterns_that_are_asked_for_together", "graphs") else { return };
    for (name, .., triangles, _, cliques) in KNOWN {
        let graph = Graph::from_edges(&EdgeList::read(&graphs.join(format!("{name}.el.zst"))).unwrap());
        let all = |patterns: &[Pattern], induced| {
            Question::all(patterns, induced, Method::Auto).unwrap().count(&graph, scheduler())
        };
        let (names, patterns): (Vec<_>, Vec<_>) = motifs(4).into_iter().unzip();
        let mut expected: BTreeMap<_, _> = row(VERTEX_INDUCED, name).into_iter().collect();
        expected.insert("4-clique", cliques);
        let found = names.iter().map(String::as_str).zip(all(&patterns, Induced::Vertex)).collect::<BTreeMap<_, _>>();
        assert_eq!(found, expected, "{name}");
        let patterns = ["triangle", "4-clique", "5-clique"].map(|pattern| Pattern::parse(pattern).unwrap());
        let largest = row(EDGE_INDUCED, name)[0].1;
        assert_eq!(all(&patterns, Induced::Edge), [triangles, cliques, largest], "{name}");
    }
}

#[test]
fn raw_files_are_read_as_they_came() {
    let Some(graphs) = shared::folder("raw_files_are_read_as_they_came", "graphs") else { return };
    for (file, name) in [
        ("wiki-vote_input", "wikivote"),
        ("email-Enron.txt.zst", "enron"),
        ("ca-AstroPh.txt.zst", "astroph"),
        ("soc-brightkite.txt.zst", "brightkite"),
    ] {
        check(name, &EdgeList::read(&graphs.join("raw").join(file)).unwrap());
    }
}

#[test]
fn a_truncated_archive_is_an_error_not_a_smaller_graph() {
    let Some(graphs) = shared::folder("a_truncated_archive_is_an_error", "graphs") else { return };
    let whole = std::fs::read(graphs.join("wikivote.el.zst")).unwrap();
    let cut = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(cut.path(), &whole[..whole.len() / 2]).unwrap();
    let error = EdgeList::read(cut.path()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read graph: ") && error.contains(&cut.path().display().to_string()), "{error}");
}

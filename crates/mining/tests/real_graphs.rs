//! Known counts of real graphs, by formulas and by plans, from converted files and from the original files.

#[path = "../../machine/tests/shared/mod.rs"]
mod shared;

use std::sync::OnceLock;

use knee_mining::graph::EdgeList;
use knee_mining::{Graph, Induced, Method, Pattern, Question, Scheduler};

/// Name, vertices, edges, triangles, diamonds, 4-cliques.
const KNOWN: [(&str, usize, usize, u128, u128, u128); 7] = [
    ("wikivote", 7_115, 100_762, 608_389, 40_544_543, 2_077_903),
    ("enron", 36_692, 183_831, 727_044, 36_528_276, 2_341_639),
    ("astroph", 17_903, 196_972, 1_350_014, 72_334_291, 9_576_850),
    ("brightkite", 56_739, 212_945, 494_408, 29_260_255, 2_851_090),
    ("cornell5", 18_660, 790_777, 6_112_650, 424_965_628, 36_489_220),
    ("egotwitter", 81_306, 1_342_296, 13_082_506, 1_200_274_418, 104_929_938),
    ("cnr2000", 325_557, 2_738_969, 20_977_629, 43_933_401_996, 159_814_399),
];

fn check(name: &str, list: &EdgeList) {
    let &(_, vertices, edges, triangles, diamonds, cliques) = KNOWN.iter().find(|known| known.0 == name).unwrap();
    assert_eq!((list.vertices, list.edges.len()), (vertices, edges), "{name}");
    let graph = Graph::from_edges(list);
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

/// Counts that the test data's own description gives: 5-cliques, then squares, paws, claws and paths of four vertices, each
/// edge-induced and vertex-induced, then vertex-induced diamonds.
const OTHERS: [(&str, [u128; 10]); 4] = [
    (
        "wikivote",
        [
            4_514_137,
            57_654_491,
            23_343_657,
            421_175_645,
            283_932_309,
            1_475_572_967,
            1_127_174_796,
            1_903_444_290,
            1_048_807_458,
            28_077_125,
        ],
    ),
    (
        "astroph",
        [
            64_988_872,
            44_905_820,
            1_302_079,
            352_859_685,
            178_444_721,
            545_662_862,
            299_164_359,
            986_699_515,
            420_440_411,
            14_873_191,
        ],
    ),
    (
        "brightkite",
        [
            19_481_265,
            23_379_930,
            2_672_945,
            196_859_717,
            114_031_777,
            1_455_805_560,
            1_306_061_993,
            878_481_002,
            532_590_298,
            12_153_715,
        ],
    ),
    (
        "enron",
        [
            5_809_356,
            36_262_229,
            6_758_870,
            493_704_847,
            375_691_411,
            4_909_606_844,
            4_479_591_993,
            2_313_216_642,
            1_371_828_020,
            22_478_442,
        ],
    ),
];

#[test]
fn any_pattern_has_its_known_count() {
    let Some(graphs) = shared::folder("any_pattern_has_its_known_count", "graphs") else { return };
    let read = |name: &str| Graph::from_edges(&EdgeList::read(&graphs.join(format!("{name}.el.zst"))).unwrap());
    for (name, expected) in OTHERS {
        let graph = read(name);
        for method in [Method::Auto, Method::Explore] {
            let count = |pattern: &str, induced| count(&graph, pattern, induced, method);
            let mut counts = vec![count("5-clique", Induced::Edge)];
            for pattern in ["square", "paw", "claw", "path-4"] {
                counts.extend([Induced::Edge, Induced::Vertex].map(|induced| count(pattern, induced)));
            }
            counts.push(count("diamond", Induced::Vertex));
            assert_eq!(counts, expected, "{name} {method:?}");
        }
    }
    assert_eq!(count(&read("wikivote"), "house", Induced::Edge, Method::Explore), 9_488_779_111);
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

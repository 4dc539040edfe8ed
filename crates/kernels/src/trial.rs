//! Tests of kernels: run with every scheduler; each check must reject a wrong answer.

use knee_workload::{Args, Bind, Check, Phases, Team, Workload};

use crate::scheduler::RUNTIME;

/// Arguments from words as on a command line, and a team of three.
pub(crate) fn arguments(workload: &dyn Workload, words: &str) -> (Args, Team) {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let named = Args::named(workload.params(), &words).unwrap();
    // Pinned, since thieves that stay on their socket have to know it.
    let cpus: Vec<u32> = knee_machine::sys::affinity().iter().take(3).collect();
    (Args::complete(workload.params(), &named).unwrap(), Team::new(3, &cpus, Bind::Each))
}

/// The one answer of all schedulers. Each must pass its check, measure its phase, and know another answer as wrong.
pub(crate) fn answer(workload: &dyn Workload, words: &str) -> String {
    let answers: Vec<_> = RUNTIME.values.iter().map(|runtime| answer_of(workload, words, runtime)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{words}: {answers:?}");
    answers[0].clone()
}

fn answer_of(workload: &dyn Workload, words: &str, runtime: &str) -> String {
    let (args, team) = arguments(workload, &format!("{words} --runtime {runtime}"));
    let mut phases = Phases::default();
    let mut run = workload.prepare(&args, &team, &mut phases).unwrap();
    let answer = run.run(&mut phases);
    assert_eq!(run.check(&answer), Check::Right, "{words}, {runtime}: {answer}");
    assert!(matches!(run.check(&format!("{answer}1")), Check::Wrong(_)), "{words}, {runtime}");
    assert!(phases.done().iter().any(|phase| phase.name == workload.phase()), "{words}, {runtime}");
    answer
}

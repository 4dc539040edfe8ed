//! Kernels on trial: run with every scheduler there is, checked, and lied to.

use knee_workload::{Args, Bind, Check, Phases, Run, Team, Workload};

use crate::crew::RUNTIME;

/// A workload made ready with words as on a command line, for three workers.
pub(crate) fn ready(workload: &dyn Workload, words: &str) -> Box<dyn Run> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let named = Args::named(workload.params(), &words).unwrap();
    let args = Args::complete(workload.params(), &named).unwrap();
    workload.prepare(&args, &Team::new(3, &[], Bind::Set), &mut Phases::default()).unwrap()
}

/// The one answer of all schedulers. Each must pass its check, measure its phase, and know another answer as wrong.
pub(crate) fn answer(workload: &dyn Workload, words: &str) -> String {
    let answers: Vec<_> = RUNTIME.values.iter().map(|runtime| answer_of(workload, words, runtime)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{words}: {answers:?}");
    answers[0].clone()
}

fn answer_of(workload: &dyn Workload, words: &str, runtime: &str) -> String {
    let mut run = ready(workload, &format!("{words} --runtime {runtime}"));
    let mut phases = Phases::default();
    let answer = run.run(&mut phases);
    assert_eq!(run.check(&answer), Check::Right, "{words}, {runtime}: {answer}");
    assert!(matches!(run.check(&format!("{answer}1")), Check::Wrong(_)), "{words}, {runtime}");
    assert!(phases.done().iter().any(|phase| phase.name == workload.phase()), "{words}, {runtime}");
    answer
}

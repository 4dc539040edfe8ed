//! A sweep of which a step fails.

use knee_probes::{Given, Row, Trial};
use knee_workload::{Args, Error, Param};

use super::*;

/// Of its two measurements the second fails.
struct Half;

impl Probe for Half {
    fn name(&self) -> &'static str {
        "half"
    }

    fn summary(&self) -> &'static str {
        ""
    }

    fn about(&self) -> &'static str {
        ""
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[Param::new("n", "", "1")];
        PARAMS
    }

    fn plan(&self, _: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        Ok(["1", "2"].map(|n| Step::new(given, &[("n", n.into())], &[0], 0.1)).to_vec())
    }

    fn prepare(&self, _: &Context<'_>, args: &Args, _: &[u32]) -> Result<Box<dyn Trial>, Error> {
        if args.text("n") == "2" { Err(Error::new("no memory is left")) } else { Ok(Box::new(Self)) }
    }
}

impl Trial for Half {
    fn rows(&self) -> Vec<Row> {
        vec![Row { measure: "time", unit: "ns", at: vec![] }]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        Ok(vec![1.0])
    }
}

#[test]
fn what_was_measured_before_a_step_that_fails_is_kept() {
    let machine = Topology::from_synthetic("pack:1 [numa] core:1 pu:1").unwrap();
    let context = Context::quick(&machine);
    let steps = Half.plan(&context, &Given::new()).unwrap();
    let made = |steps: &[Step]| {
        let planned = [(&Half as &dyn Probe, steps.to_vec())];
        measure(&context, &planned, BTreeMap::new(), true, &AtomicBool::new(false))
    };
    let found = made(&steps).unwrap();
    assert_eq!(found.figures.len(), 1);
    assert!(text::told(&found).contains("half: not all measured: no memory is left"));
    assert_eq!(made(&steps[1..]).unwrap_err().to_string(), "no memory is left");
}

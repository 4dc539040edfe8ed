//! Which memory is at home for threads that read it: what they read from other nodes can be counted without hardware.

use knee_machine::{CpuSet, Topology};

/// On which nodes threads run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// There is only one node.
    Everything,
    /// The node of each thread, and the nodes whose memory this process may use.
    Nodes(Vec<u32>, CpuSet),
    /// Why that is not known.
    Unknown(String),
}

impl Reach {
    /// From the nodes that threads are pinned to; one that is not pinned to any may run wherever the process may.
    #[must_use]
    pub fn of(pinned: &[Option<u32>]) -> Self {
        match Topology::this_machine() {
            Ok(machine) => Self::on(&machine, pinned),
            Err(error) => Self::Unknown(error.to_string()),
        }
    }

    fn on(machine: &Topology, pinned: &[Option<u32>]) -> Self {
        if machine.nodes.len() <= 1 {
            return Self::Everything;
        }
        let mut nodes: Vec<_> = machine.allowed.cpus.iter().map(|cpu| machine.node_of(cpu)).collect();
        nodes.dedup();
        let only = if let [node] = nodes[..] { node } else { None };
        match pinned.iter().map(|node| node.or(only)).collect() {
            Some(nodes) => Self::Nodes(nodes, machine.allowed.nodes.clone()),
            None => Self::Unknown("threads may run on several nodes; a placement pins them".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_at_home_where_they_are_pinned_or_where_all_may_run() {
        let one = Topology::from_synthetic("pack:1 [numa] core:2 pu:1").unwrap();
        assert_eq!(Reach::on(&one, &[None]), Reach::Everything);
        let mut two = Topology::from_synthetic("pack:2 [numa] core:2 pu:1").unwrap();
        let nodes = |reach| if let Reach::Nodes(nodes, _) = reach { nodes } else { panic!("{reach:?}") };
        assert_eq!(nodes(Reach::on(&two, &[Some(1), Some(0)])), [1, 0]);
        assert!(matches!(Reach::on(&two, &[Some(1), None]), Reach::Unknown(_)));
        two.allowed.cpus = two.nodes[1].cpus.clone();
        assert_eq!(nodes(Reach::on(&two, &[None])), [1]);
    }
}

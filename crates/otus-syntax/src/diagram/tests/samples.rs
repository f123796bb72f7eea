//! Trees for the tests of this folder: all small trees, and some deep ones.

use crate::ast::{
    Declaration, Declarations, Interaction, LoopKind, Node, NodeId, NodeKind, Operator, Passing,
    Section, SpecFile, Target,
};
use crate::name::{Name, Names};
use crate::source::{Span, offset};

/// An arena under construction.
#[derive(Default, Clone)]
pub(in crate::diagram) struct Samples {
    names: Names,
    nodes: Vec<Node>,
}

impl Samples {
    pub(in crate::diagram) fn name(&mut self, text: &str) -> Name {
        Name { symbol: self.names.intern(text), span: Span::at(0) }
    }

    pub(in crate::diagram) fn node(&mut self, kind: NodeKind) -> NodeId {
        self.nodes.push(Node { span: Span::at(0), kind });
        NodeId(offset(self.nodes.len() - 1))
    }

    pub(in crate::diagram) fn apply(&mut self, operator: Operator, operands: &[NodeId]) -> NodeId {
        self.node(NodeKind::Operator(operator, operands.to_vec()))
    }

    /// No target is the environment, several are a broadcast.
    pub(in crate::diagram) fn passing(
        &mut self,
        origin: Option<&str>,
        message: &str,
        targets: &[&str],
        synchronous: bool,
    ) -> NodeId {
        let origin = origin.map(|text| self.name(text));
        let message = self.name(message);
        let targets: Vec<Name> = targets.iter().map(|text| self.name(text)).collect();
        let target = match targets[..] {
            [] => Target::Environment,
            [only] => Target::Lifeline(only),
            [..] => Target::Broadcast(targets),
        };
        self.node(NodeKind::Passing(Passing {
            origin,
            message,
            guard: Vec::new(),
            target,
            synchronous,
        }))
    }

    pub(in crate::diagram) fn tree(mut self, root: NodeId) -> SpecFile {
        self.nodes.truncate(root.index() + 1);
        SpecFile {
            names: self.names,
            interaction: Some(Interaction { nodes: self.nodes, root }),
            ..SpecFile::default()
        }
    }
}

pub(in crate::diagram) fn declare(
    tree: &mut SpecFile,
    lifelines: &[(&str, Option<&str>)],
    messages: &[&str],
) {
    let mut declaration = |text: &str, label: Option<&str>| Declaration {
        name: Name { symbol: tree.names.intern(text), span: Span::at(0) },
        label: label.map(str::to_owned),
    };
    let messages = messages.iter().map(|text| declaration(text, None)).collect();
    let lifelines = lifelines.iter().map(|(text, label)| declaration(text, *label)).collect();
    tree.sections = vec![
        Section::Messages(Declarations { span: Span::at(0), names: messages }),
        Section::Lifelines(Declarations { span: Span::at(0), names: lifelines }),
    ];
}

/// All operators over all leaves to depth 2, and a fixed sample of depth 3.
pub(in crate::diagram) fn small_trees(visit: &mut dyn FnMut(&SpecFile)) {
    let mut samples = Samples::default();
    let a = samples.name("a");
    let b = samples.name("b");
    let leaves = vec![
        samples.node(NodeKind::Empty),
        samples.passing(Some("a"), "m", &["b"], false),
        samples.passing(Some("b"), "n", &["a"], true),
        samples.passing(Some("a"), "m", &[], false),
        samples.passing(None, "n", &["b"], false),
        samples.passing(Some("a"), "m", &["a"], false),
        samples.passing(Some("a"), "m", &["a", "b"], false),
        samples.passing(Some("a"), "n", &["b", "c"], true),
        samples.passing(None, "n", &["b", "a"], false),
        samples.node(NodeKind::Invalid),
        samples.passing(None, "n", &[], false),
    ];
    let binary = [
        Operator::Seq,
        Operator::Strict,
        Operator::Par,
        Operator::Alt,
        Operator::Coreg(vec![a]),
        Operator::Coreg(vec![]),
        Operator::Coreg(vec![b, a]),
    ];
    let unary = [
        Operator::Loop(LoopKind::Strict),
        Operator::Loop(LoopKind::Weak),
        Operator::Loop(LoopKind::HeadFirst),
        Operator::Loop(LoopKind::Parallel),
        Operator::Loop(LoopKind::Coregion(vec![a, b])),
        Operator::Loop(LoopKind::Coregion(vec![])),
        Operator::Seq,
        Operator::Alt,
    ];
    for &leaf in &leaves {
        visit(&samples.clone().tree(leaf));
    }
    // Depth 2: every operator over leaves; three operands for the n-ary ones.
    let mut second = leaves.clone();
    for operator in &unary {
        for &leaf in &leaves {
            second.push(samples.apply(operator.clone(), &[leaf]));
        }
    }
    for operator in &binary {
        second.push(samples.apply(operator.clone(), &[]));
        for &x in &leaves[..6] {
            for &y in &leaves[..6] {
                second.push(samples.apply(operator.clone(), &[x, y]));
            }
        }
        second.push(samples.apply(operator.clone(), &[leaves[1], leaves[0], leaves[2]]));
        second.push(samples.apply(operator.clone(), &[leaves[1], leaves[3], leaves[0]]));
    }
    // Depth 3: a fixed walk through the pairs, coprime to their number.
    let mut count: usize = 0;
    for operator in &unary {
        for &x in &second {
            let mut arena = samples.clone();
            let root = arena.apply(operator.clone(), &[x]);
            visit(&arena.tree(root));
        }
    }
    for operator in &binary {
        for &x in &second {
            for &y in &second {
                count += 1;
                let is_sampled = count.is_multiple_of(37) || x == y;
                if !is_sampled {
                    continue;
                }
                let mut arena = samples.clone();
                let root = arena.apply(operator.clone(), &[x, y]);
                visit(&arena.tree(root));
                if count.is_multiple_of(5) {
                    let mut arena = samples.clone();
                    let root = arena.apply(operator.clone(), &[y, leaves[1], x]);
                    visit(&arena.tree(root));
                }
            }
        }
    }
}

/// One deep tree for each operator and side.
pub(in crate::diagram) fn deep_trees(depth: usize) -> Vec<SpecFile> {
    let mut trees = Vec::new();
    for operator in [
        Operator::Seq,
        Operator::Strict,
        Operator::Par,
        Operator::Alt,
        Operator::Loop(LoopKind::Strict),
    ] {
        for is_left in [true, false] {
            let mut samples = Samples::default();
            let leaf = samples.passing(Some("a"), "m", &["b"], false);
            let mut root = leaf;
            for _ in 0..depth {
                root = match (&operator, is_left) {
                    (Operator::Loop(_), true) => samples.apply(operator.clone(), &[root]),
                    (Operator::Loop(_), false) => samples.apply(Operator::Seq, &[root]),
                    (_, true) => samples.apply(operator.clone(), &[root, leaf]),
                    (_, false) => samples.apply(operator.clone(), &[leaf, root]),
                };
            }
            trees.push(samples.tree(root));
        }
    }
    trees
}

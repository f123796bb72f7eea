//! Who answers whom: the calls that `return` replies to.
//!
//! PlantUML keeps one stack for the whole diagram: an activation pushes the message before it, a
//! deactivation pops, and `return` replies to the top, or to the very last message when nothing
//! is active. It walks straight through `else`, so a second operand that returns from the same call
//! as the first is drawn as something else. A picture that surely was not meant is no
//! specification; this module therefore keeps a second state that goes back at each `else`, and
//! tells when the two disagree.

use crate::diagram::statement::End;

/// A message that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// Who sent it.
    pub(super) from: End,
    /// Who answers.
    pub(super) to: End,
}

impl Call {
    /// Whether two calls have the same ends, wherever they were written.
    fn joins_the_same_as(self, other: Call) -> bool {
        let who = |end| match end {
            End::Lifeline(name) => Some(name.symbol),
            End::Environment => None,
        };
        who(self.from) == who(other.from) && who(self.to) == who(other.to)
    }
}

/// The calls at one place of a diagram.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls that were pushed, each with the state of the stack below it.
    pushed: Vec<(Call, Option<usize>)>,
    /// As PlantUML draws it.
    drawn: State,
    /// As the operand by itself has it.
    operand: State,
    /// The operand's state where each open fragment began.
    begun: Vec<State>,
    /// `autoactivate on`
    pub(super) automatic: bool,
}

/// What a `return` replies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    /// To this call.
    To(Call),
    /// There is no call.
    Nowhere,
    /// PlantUML draws the reply to the first, the operand by itself has the second.
    Disputed(Option<Call>, Option<Call>),
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// The top of the stack.
    top: Option<usize>,
    last: Last,
}

/// What stands last in the picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Message(Call),
    Fragment,
}

impl Calls {
    /// A message was sent.
    pub(super) fn message(&mut self, call: Call) {
        self.drawn.last = Last::Message(call);
        self.operand.last = Last::Message(call);
    }

    /// `activate` or `++`: the last message is a call.
    pub(super) fn activate(&mut self) {
        let pushed = &mut self.pushed;
        for state in [&mut self.drawn, &mut self.operand] {
            if let Last::Message(call) = state.last {
                pushed.push((call, state.top));
                state.top = Some(pushed.len() - 1);
            }
        }
    }

    /// `deactivate` or `--`.
    pub(super) fn deactivate(&mut self) {
        for state in [&mut self.drawn, &mut self.operand] {
            if state.last != Last::Nothing {
                state.top = state.top.and_then(|top| self.pushed[top].1);
            }
        }
    }

    /// `return`: whom it replies to. The reply is the last message from now on.
    pub(super) fn reply(&mut self) -> Reply {
        let drawn = self.callee(self.drawn);
        let operand = self.callee(self.operand);
        match (drawn, operand) {
            (Some(call), Some(other)) if call.joins_the_same_as(other) => {
                self.message(Call { from: call.to, to: call.from });
                for state in [&mut self.drawn, &mut self.operand] {
                    state.top = state.top.and_then(|top| self.pushed[top].1);
                }
                Reply::To(call)
            }
            (None, None) => Reply::Nowhere,
            (drawn, operand) => Reply::Disputed(drawn, operand),
        }
    }

    /// A fragment begins.
    pub(super) fn open(&mut self) {
        self.begun.push(self.operand);
    }

    /// The next operand of a fragment begins.
    pub(super) fn next(&mut self) {
        if let Some(begun) = self.begun.last() {
            self.operand = *begun;
        }
    }

    /// A fragment ends.
    pub(super) fn close(&mut self) {
        if self.begun.pop().is_some() {
            self.drawn.last = Last::Fragment;
            self.operand.last = Last::Fragment;
        }
    }

    fn callee(&self, state: State) -> Option<Call> {
        match (state.top, state.last) {
            (Some(top), _) => Some(self.pushed[top].0),
            (None, Last::Message(call)) => Some(call),
            (None, Last::Nothing | Last::Fragment) => None,
        }
    }
}

//! The call stack that determines which call a `return` answers.
//!
//! PlantUML keeps one stack for the whole diagram: an activation pushes the previous message, a
//! deactivation pops, and `return` replies to the top, or to the last message if the stack is empty.
//! It does not restore the stack at `else`, so if two operands return from the same call, the second
//! reply is drawn to another participant. Such a picture is hardly intended. This module therefore keeps
//! a second state, which is restored at each `else`, and reports a `return` for which the two differ.

use crate::name::Name;

/// A message that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// The caller.
    pub(super) from: Option<Name>,
    /// The callee, who answers.
    pub(super) to: Option<Name>,
}

impl Call {
    /// Whether two calls have the same ends, up to spans.
    fn has_same_ends(self, other: Call) -> bool {
        let symbol = |end: Option<Name>| end.map(|name| name.symbol);
        symbol(self.from) == symbol(other.from) && symbol(self.to) == symbol(other.to)
    }
}

/// The calls at the current position of a diagram.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// All pushed calls, each with the index of the call below it in the stack.
    pushed: Vec<(Call, Option<usize>)>,
    /// The state that PlantUML keeps, which it does not restore at `else`.
    drawn: CallState,
    /// The state that is restored at each `else`.
    operand: CallState,
    /// For each open fragment: the operand's state at its beginning.
    begun: Vec<CallState>,
    /// `autoactivate on`
    pub(super) automatic: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct CallState {
    top: Option<usize>,
    last: Last,
}

/// The last element of the picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Message(Call),
    Fragment,
}

impl Calls {
    pub(super) fn message(&mut self, call: Call) {
        self.drawn.last = Last::Message(call);
        self.operand.last = Last::Message(call);
    }

    /// `activate` or `++`: pushes the last message.
    pub(super) fn activate(&mut self) {
        let pushed = &mut self.pushed;
        for state in [&mut self.drawn, &mut self.operand] {
            if let Last::Message(call) = state.last {
                pushed.push((call, state.top));
                state.top = Some(pushed.len() - 1);
            }
        }
    }

    /// `deactivate` or `--`: pops.
    pub(super) fn deactivate(&mut self) {
        for state in [&mut self.drawn, &mut self.operand] {
            if state.last != Last::Nothing {
                state.top = state.top.and_then(|top| self.pushed[top].1);
            }
        }
    }

    /// `return`: the call that it answers. The reply becomes the last message.
    ///
    /// The error has two calls: the one that PlantUML would answer, and the one that the operand alone would
    /// answer. They differ, or do not exist.
    pub(super) fn reply(&mut self) -> Result<Call, [Option<Call>; 2]> {
        match [self.drawn, self.operand].map(|state| self.callee(state)) {
            [Some(call), Some(other)] if call.has_same_ends(other) => {
                self.answer(call);
                Ok(call)
            }
            disputed => Err(disputed),
        }
    }

    /// Records that a `return` whose call was ambiguous answers this call.
    pub(super) fn answer(&mut self, call: Call) {
        self.message(Call { from: call.to, to: call.from });
        self.deactivate();
    }

    /// Begins a fragment.
    pub(super) fn open(&mut self) {
        self.begun.push(self.operand);
    }

    /// Begins the next operand of a fragment.
    pub(super) fn next(&mut self) {
        if let Some(begun) = self.begun.last() {
            self.operand = *begun;
        }
    }

    /// Ends a fragment.
    pub(super) fn close(&mut self) {
        if self.begun.pop().is_some() {
            self.drawn.last = Last::Fragment;
            self.operand.last = Last::Fragment;
        }
    }

    fn callee(&self, state: CallState) -> Option<Call> {
        match (state.top, state.last) {
            (Some(top), _) => Some(self.pushed[top].0),
            (None, Last::Message(call)) => Some(call),
            (None, Last::Nothing | Last::Fragment) => None,
        }
    }
}

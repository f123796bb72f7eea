//! The alternating bit protocol between a sender and a receiver, over channels that lose messages.
//!
//! ```text
//! sender     sent_msg := b, again and again, until the acknowledgement of b comes; then b := 1 − b
//! receiver   received_msg := b for each message that comes, and sent_ack := b after it
//! ```
//!
//! Channels keep the order of the messages that they do not lose. In every round with 0, a 0 is received before the trace
//! ends, so the paper's formula holds: such a round starts only if enough events are left to finish it, and once just
//! enough are left, no message is lost and both processes only send and receive.

use std::collections::VecDeque;

use otus_trace::order::PartialOrder;

use super::simulation::{Simulation, Stamp, Step};
use super::work;

/// The number of messages that are lost, out of a thousand.
const LOST: u32 = 300;
/// The number of steps in which the sender works locally, out of a thousand.
const BUSY: u32 = 500;
/// The number of steps in which the receiver works locally, out of a thousand.
const IDLE: u32 = 600;

pub(super) fn trace(events: usize, rng: &mut fastrand::Rng) -> PartialOrder {
    let (sender, receiver) = (0, 1);
    let mut simulation = Simulation::new(2);
    let own = simulation.variables("work", 0);
    let sent = simulation.variable("sent_msg", 1);
    let received = simulation.variable("received_msg", 1);
    let acknowledges = simulation.variable("sent_ack", 1);
    let acknowledged = simulation.variable("received_ack", 1);
    let mut messages: VecDeque<(i64, Stamp)> = VecDeque::new();
    let mut answers: VecDeque<(i64, Stamp)> = VecDeque::new();
    let mut bit = 0_i64;
    // The acknowledgement that the receiver has not sent yet.
    let mut owes: Option<i64> = None;
    // Whether a 0 was sent in this round and none was received.
    let mut is_open = false;
    let mut was_received = false;
    while simulation.events() < events {
        let left = events - simulation.events();
        // A message takes two events of the receiver: its reception and the acknowledgement.
        let ahead = messages.iter().position(|(message, _)| *message == 0);
        let room = 2 * ahead.map_or(messages.len() + 1, |at| at + 1) + 4;
        let is_pressed = is_open && left <= room;
        let is_lost = rng.u32(0..1000) < LOST && !is_pressed;
        let sends = if is_pressed { ahead.is_none() } else { rng.bool() };
        if is_pressed && sends {
            let stamp = simulation.step(sender, &Step::write(sent, 0));
            messages.push_back((0, stamp));
        } else if sends {
            if rng.u32(0..1000) < BUSY {
                work(&mut simulation, sender, own[sender], left);
            } else if let Some((answer, stamp)) = answers.pop_front() {
                let step = Step { receives: Some(&stamp), ..Step::write(acknowledged, answer) };
                simulation.step(sender, &step);
                if answer == bit {
                    bit = 1 - bit;
                    was_received = false;
                }
            } else if bit == 0 && !is_open && left <= room + 2 {
                work(&mut simulation, sender, own[sender], left);
            } else {
                let stamp = simulation.step(sender, &Step::write(sent, bit));
                // After the acknowledgement of 0 the bit is 1. So this 0 begins a round or repeats one, unless it was
                // received and only its acknowledgement is awaited.
                is_open |= bit == 0 && !was_received;
                if !is_lost {
                    messages.push_back((bit, stamp));
                }
            }
        } else if let Some(answer) = owes.take() {
            let stamp = simulation.step(receiver, &Step::write(acknowledges, answer));
            if !is_lost {
                answers.push_back((answer, stamp));
            }
        } else if (is_pressed || rng.u32(0..1000) >= IDLE)
            && let Some((message, stamp)) = messages.pop_front()
        {
            simulation
                .step(receiver, &Step { receives: Some(&stamp), ..Step::write(received, message) });
            owes = Some(message);
            if message == 0 && is_open {
                (is_open, was_received) = (false, true);
            }
        } else {
            work(&mut simulation, receiver, own[receiver], left);
        }
    }
    simulation.finish()
}

//! The alternating bit protocol between a sender and a receiver, over channels that lose messages.
//!
//! ```text
//! sender     sent_msg := b, again and again, until the acknowledgement of b comes; then b := 1 − b
//! receiver   received_msg := b for each message that comes, and sent_ack := b after it
//! ```
//!
//! Channels keep the order of what they do not lose. No message with 0 is left without its receipt by the mere end of
//! observation: a round with 0 is begun only if there is room to end it, and once there is only just enough room
//! nothing is lost and nobody does anything else.

use std::collections::VecDeque;

use otus_trace::order::PartialOrder;

use super::work;
use super::world::{Stamp, Step, World};

/// Of a thousand messages, how many are lost.
const LOST: u32 = 300;
/// Of a thousand steps of the sender, in how many it does something else than wait or send.
const BUSY: u32 = 500;
/// Of a thousand steps of the receiver, in how many it does something else than look for messages.
const IDLE: u32 = 600;

pub(super) fn trace(events: usize, rng: &mut fastrand::Rng) -> PartialOrder {
    let (sender, receiver) = (0, 1);
    let mut world = World::new(2);
    let own = world.variables("work", 0);
    let sent = world.variable("sent_msg", 1);
    let received = world.variable("received_msg", 1);
    let acknowledges = world.variable("sent_ack", 1);
    let acknowledged = world.variable("received_ack", 1);
    let mut messages: VecDeque<(i64, Stamp)> = VecDeque::new();
    let mut answers: VecDeque<(i64, Stamp)> = VecDeque::new();
    let mut bit = 0_i64;
    // The receiver's answer that is still to be sent.
    let mut owes: Option<i64> = None;
    // Whether a 0 was sent in this round, and none received.
    let mut is_open = false;
    let mut was_received = false;
    while world.events() < events {
        let left = events - world.events();
        let write = |variable, value: i64| Step {
            writes: Some((variable, value.into())),
            ..Step::default()
        };
        // A message takes two events of the receiver, its receipt and the answer.
        let ahead = messages.iter().position(|(message, _)| *message == 0);
        let room = 2 * ahead.map_or(messages.len() + 1, |at| at + 1) + 4;
        let is_pressed = is_open && left <= room;
        let is_lost = rng.u32(0..1000) < LOST && !is_pressed;
        let sends = if is_pressed { ahead.is_none() } else { rng.bool() };
        if is_pressed && sends {
            let stamp = world.step(sender, &write(sent, 0));
            messages.push_back((0, stamp));
        } else if sends {
            if rng.u32(0..1000) < BUSY {
                work(&mut world, sender, own[sender], left);
            } else if let Some((answer, stamp)) = answers.pop_front() {
                let step = Step { hears: Some(&stamp), ..write(acknowledged, answer) };
                world.step(sender, &step);
                if answer == bit {
                    bit = 1 - bit;
                    was_received = false;
                }
            } else if bit == 0 && !is_open && left <= room + 2 {
                work(&mut world, sender, own[sender], left);
            } else {
                let stamp = world.step(sender, &write(sent, bit));
                // After the acknowledgement of 0 the bit is 1; so this 0 is of a new round or of one that is open, or its
                // receipt is there and only the answer is awaited.
                is_open |= bit == 0 && !was_received;
                if !is_lost {
                    messages.push_back((bit, stamp));
                }
            }
        } else if let Some(answer) = owes.take() {
            let stamp = world.step(receiver, &write(acknowledges, answer));
            if !is_lost {
                answers.push_back((answer, stamp));
            }
        } else if (is_pressed || rng.u32(0..1000) >= IDLE)
            && let Some((message, stamp)) = messages.pop_front()
        {
            world.step(receiver, &Step { hears: Some(&stamp), ..write(received, message) });
            owes = Some(message);
            if message == 0 && is_open {
                (is_open, was_received) = (false, true);
            }
        } else {
            work(&mut world, receiver, own[receiver], left);
        }
    }
    world.finish()
}

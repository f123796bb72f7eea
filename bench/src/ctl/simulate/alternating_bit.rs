//! The alternating bit protocol between a sender and a receiver, over channels that lose messages.
//!
//! ```text
//! sender     sent_msg := b, again and again, until the acknowledgement of b comes; then b := 1 − b
//! receiver   received_msg := b for each message that comes, and sent_ack := b after it
//! ```
//!
//! Channels keep the order of what they do not lose. Towards the end no round with 0 is begun, so that no message with 0
//! is left without an answer by the mere end of observation.

use std::collections::VecDeque;

use otus_trace::order::PartialOrder;

use super::work;
use crate::ctl::world::{Stamp, Step, World};

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
    while world.events() < events {
        let left = events - world.events();
        let write = |variable, value: i64| Step {
            writes: Some((variable, value.into())),
            ..Step::default()
        };
        let is_lost = rng.u32(0..1000) < LOST;
        if rng.bool() {
            if rng.u32(0..1000) < BUSY {
                work(&mut world, sender, own[sender], left);
            } else if let Some((answer, stamp)) = answers.pop_front() {
                let step = Step { hears: Some(&stamp), ..write(acknowledged, answer) };
                world.step(sender, &step);
                if answer == bit {
                    bit = 1 - bit;
                }
            } else if bit == 0 && left < 60 {
                work(&mut world, sender, own[sender], left);
            } else {
                let stamp = world.step(sender, &write(sent, bit));
                if !is_lost {
                    messages.push_back((bit, stamp));
                }
            }
        } else if let Some(answer) = owes.take() {
            let stamp = world.step(receiver, &write(acknowledges, answer));
            if !is_lost {
                answers.push_back((answer, stamp));
            }
        } else if rng.u32(0..1000) >= IDLE
            && let Some((message, stamp)) = messages.pop_front()
        {
            world.step(receiver, &Step { hears: Some(&stamp), ..write(received, message) });
            owes = Some(message);
        } else {
            work(&mut world, receiver, own[receiver], left);
        }
    }
    world.finish()
}

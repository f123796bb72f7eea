//! Calls of libraries that panic where they should say that their input is damaged.
//!
//! No input may end Otus, so a panic of such a library becomes a message. The message of the panic itself would only confuse
//! the user; a shell that calls [`quiet_panics`] does not print it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Whether this thread is in such a call.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Makes a call. The error is the message of a panic.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    let before = IS_GUARDED.replace(true);
    // What the call borrowed is dropped or not used any more after a panic.
    let result = catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(before);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "it cannot be decoded".to_owned())
    })
}

/// Prints no messages of panics that become messages of Otus. For programs, which own the hook of panics.
#[doc(hidden)]
pub fn quiet_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_GUARDED.get() {
            before(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_becomes_a_message() {
        assert_eq!(guarded(|| 3), Ok(3));
        let count = std::hint::black_box(7);
        assert_eq!(guarded(|| assert!(count < 5, "{count} items")), Err("7 items".to_owned()));
        assert_eq!(guarded(|| assert!(count < 5, "items")), Err("items".to_owned()));
    }
}

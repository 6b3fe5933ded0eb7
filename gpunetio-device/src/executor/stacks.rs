//! Stacks of fibers, kept between blocks and shared by the OS threads of an executor.

use std::sync::{Mutex, MutexGuard, PoisonError};

use corosensei::stack::DefaultStack;

use super::{FIBER_STACK_BYTES, MAX_IDLE_STACKS};

/// Stacks that no fiber uses. Each is two mappings (stack and guard page), and a process may have 65,530, so what is kept is
/// bounded over all threads: a thread that kept its own would hold stacks that others must map anew.
#[derive(Default)]
pub(super) struct Stacks {
    idle: Mutex<Vec<DefaultStack>>,
}

impl Stacks {
    /// `count` stacks.
    ///
    /// # Errors
    /// The OS error that refused one; none is taken then.
    pub(super) fn take(&self, count: usize) -> std::io::Result<Vec<DefaultStack>> {
        let mut taken = {
            let mut idle = self.lock();
            let from = idle.len().saturating_sub(count);
            idle.split_off(from)
        };
        while taken.len() < count {
            match DefaultStack::new(FIBER_STACK_BYTES) {
                Ok(stack) => taken.push(stack),
                Err(e) => {
                    self.give(taken);
                    return Err(e);
                }
            }
        }
        Ok(taken)
    }

    /// Takes stacks back; those past the cap are unmapped.
    pub(super) fn give(&self, mut stacks: Vec<DefaultStack>) {
        let mut idle = self.lock();
        let room = MAX_IDLE_STACKS.saturating_sub(idle.len()).min(stacks.len());
        idle.extend(stacks.drain(..room));
        drop(idle);
        // The rest is unmapped here, outside the lock.
        drop(stacks);
    }

    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DefaultStack>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stacks_are_used_again_and_no_more_are_kept_than_the_cap() {
        let stacks = Stacks::default();
        let few = stacks.take(3).unwrap();
        stacks.give(few);
        assert_eq!(stacks.idle(), 3);
        let again = stacks.take(2).unwrap();
        assert_eq!(stacks.idle(), 1);
        stacks.give(again);
        let many = stacks.take(MAX_IDLE_STACKS + 5).unwrap();
        assert_eq!(stacks.idle(), 0);
        stacks.give(many);
        assert_eq!(stacks.idle(), MAX_IDLE_STACKS);
    }
}

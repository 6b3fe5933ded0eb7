//! Tables of objects under the numbers that commands and doorbells carry.

use std::collections::VecDeque;

/// Freed numbers that wait before the one freed first is given out again.
const QUARANTINE: usize = 4096;

/// Objects under numbers from `base`, found in constant time.
///
/// A freed number is given out again only once more than [`QUARANTINE`] wait, or all others are taken: a stale number meets
/// an empty place rather than a stranger, and the table does not grow with the objects that it ever held.
#[derive(Debug)]
pub struct Slab<T> {
    base: u32,
    limit: usize,
    places: Vec<Option<T>>,
    free: VecDeque<u32>,
    live: usize,
}

impl<T> Slab<T> {
    /// A table of at most `limit` objects, numbered from `base`.
    pub fn new(base: u32, limit: usize) -> Self {
        Self { base, limit, places: Vec::new(), free: VecDeque::new(), live: 0 }
    }

    /// Stores what `make` builds from its number; `None` if the table is full.
    pub fn insert_with(&mut self, make: impl FnOnce(u32) -> T) -> Option<u32> {
        let full = self.places.len() == self.limit;
        let place = if full || self.free.len() > QUARANTINE {
            self.free.pop_front()?
        } else {
            self.places.push(None);
            self.places.len() as u32 - 1
        };
        let number = self.base + place;
        self.places[place as usize] = Some(make(number));
        self.live += 1;
        Some(number)
    }

    /// The object under `number`.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.places.get(number.checked_sub(self.base)? as usize)?.as_ref()
    }

    /// The object under `number`, to change.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.places.get_mut(number.checked_sub(self.base)? as usize)?.as_mut()
    }

    /// Removes the object under `number`.
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let place = number.checked_sub(self.base)?;
        let object = self.places.get_mut(place as usize)?.take()?;
        self.free.push_back(place);
        self.live -= 1;
        Some(object)
    }

    /// Objects with their numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let base = self.base;
        self.places
            .iter()
            .enumerate()
            .filter_map(move |(place, object)| Some((base + place as u32, object.as_ref()?)))
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.live
    }

    /// True without objects.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_does_not_grow_with_what_came_and_went() {
        let mut slab = Slab::new(1, 1 << 20);
        let first = slab.insert_with(|n| n).unwrap();
        slab.remove(first);
        for round in 0..3 * QUARANTINE {
            let number = slab.insert_with(|n| n).unwrap();
            assert!(number != first || round >= QUARANTINE, "back after {round} others");
            slab.remove(number);
        }
        assert!(slab.places.len() <= QUARANTINE + 1, "{} places for one object", slab.places.len());
    }

    #[test]
    fn a_freed_number_comes_back_only_when_all_are_used() {
        let mut slab = Slab::new(0x100, 3);
        let first = slab.insert_with(|n| n).unwrap();
        assert_eq!((first, slab.remove(first)), (0x100, Some(0x100)));
        assert_eq!(slab.insert_with(|n| n), Some(0x101));
        assert_eq!(slab.insert_with(|n| n), Some(0x102));
        assert_eq!(slab.insert_with(|n| n), Some(0x100));
        assert_eq!(slab.insert_with(|n| n), None);
        assert_eq!((slab.get(0xff), slab.get(0x103)), (None, None));
        assert_eq!(slab.remove(0x200), None);
        assert_eq!(slab.len(), 3);
    }
}

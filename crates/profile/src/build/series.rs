//! Series that are added: iterations with the same number become one.

use alloc::vec::Vec;

use crate::NoMemory;
use crate::model::{MetricSeries, Series};

impl Series {
    /// Visits that an entry stands for.
    pub fn visits_of(&self, entry: usize) -> u64 {
        let of_one = || {
            let each = self.each.max(1);
            let first = each.saturating_mul(entry as u64);
            let is_last = entry + 1 >= self.time_ns.len();
            // The last one has what is left.
            if is_last { self.iterations.saturating_sub(first).clamp(1, each) } else { each }
        };
        self.visits.get(entry).copied().unwrap_or_else(of_one)
    }

    /// Adds the series of another execution, which came later.
    pub(crate) fn add(&mut self, mut other: Self) -> Result<(), NoMemory> {
        self.count_visits()?;
        other.count_visits()?;
        let each = self.each.max(other.each);
        self.widen(each);
        other.widen(each);
        self.iterations = self.iterations.max(other.iterations);
        add(&mut self.time_ns, &other.time_ns)?;
        add(&mut self.visits, &other.visits)?;
        let len = self.time_ns.len();
        for (own, others) in [
            (&mut self.bytes_read, &other.bytes_read),
            (&mut self.bytes_written, &other.bytes_written),
            (&mut self.io_ns, &other.io_ns),
        ] {
            add(own, others)?;
            // A column has all entries or none.
            grow(own, if own.is_empty() { 0 } else { len }, 0)?;
        }
        for (metric, values) in other.metrics {
            match self.metrics.iter_mut().find(|(known, _)| *known == metric) {
                Some((_, known)) => known.add(&values)?,
                None => crate::push(&mut self.metrics, (metric, values))?,
            }
        }
        Ok(())
    }

    /// Notes how many visits each entry has.
    fn count_visits(&mut self) -> Result<(), NoMemory> {
        let mut visits = Vec::new();
        grow(&mut visits, self.time_ns.len(), 0)?;
        visits.iter_mut().enumerate().for_each(|(at, visits)| *visits = self.visits_of(at));
        self.visits = visits;
        Ok(())
    }

    /// Puts neighbours together so that an entry stands for so many iterations.
    fn widen(&mut self, each: u64) {
        let step = usize::try_from(each / self.each.max(1)).unwrap_or(usize::MAX).max(1);
        self.each = each;
        if step == 1 {
            return;
        }
        for column in [
            &mut self.time_ns,
            &mut self.visits,
            &mut self.bytes_read,
            &mut self.bytes_written,
            &mut self.io_ns,
        ] {
            join(column, step, u64::saturating_add);
        }
        for (_, values) in &mut self.metrics {
            match values {
                MetricSeries::Count(list) => join(list, step, sum),
                MetricSeries::Value(list) => join(list, step, |value, later| later.or(value)),
            }
        }
    }
}

impl MetricSeries {
    /// Adds what came later. Numbers of another kind are left out.
    fn add(&mut self, other: &Self) -> Result<(), NoMemory> {
        match (self, other) {
            (Self::Count(list), Self::Count(others)) => {
                grow(list, others.len(), None)?;
                list.iter_mut().zip(others).for_each(|(own, other)| *own = sum(*own, *other));
            }
            (Self::Value(list), Self::Value(others)) => {
                grow(list, others.len(), None)?;
                list.iter_mut().zip(others).for_each(|(own, other)| *own = other.or(*own));
            }
            (Self::Count(_), Self::Value(_)) | (Self::Value(_), Self::Count(_)) => {}
        }
        Ok(())
    }
}

fn sum(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

fn add(list: &mut Vec<u64>, others: &[u64]) -> Result<(), NoMemory> {
    grow(list, others.len(), 0)?;
    list.iter_mut().zip(others).for_each(|(own, other)| *own = own.saturating_add(*other));
    Ok(())
}

/// Makes a list at least so long.
fn grow<T: Copy>(list: &mut Vec<T>, len: usize, empty: T) -> Result<(), NoMemory> {
    if let Some(more) = len.checked_sub(list.len()) {
        list.try_reserve_exact(more).map_err(|_| NoMemory)?;
        list.resize(len, empty);
    }
    Ok(())
}

/// Puts so many neighbours together.
pub(crate) fn join<T: Copy>(list: &mut Vec<T>, step: usize, join: impl Fn(T, T) -> T) {
    let len = list.len().div_ceil(step);
    for entry in 0..len {
        let from = entry * step;
        let until = from.saturating_add(step).min(list.len());
        let first = list[from];
        list[entry] = list[from + 1..until].iter().fold(first, |sum, next| join(sum, *next));
    }
    list.truncate(len);
}

//! Many QPs, or many groups, whose queues share four slabs: CQ entries, CQ records, send queues, send records.

use super::slab::{RECORD_STRIDE, Slab};
use super::{HighLevelAttr, HighLevelQp, Parts, QpGroup, group};
use crate::error::{Error, Refused, Result};
use crate::export::DeviceQps;

/// Queue pairs over shared memory.
#[derive(Debug)]
pub struct QpList {
    qps: Vec<HighLevelQp>,
}

/// Groups over shared memory.
#[derive(Debug)]
pub struct QpGroupList {
    groups: Vec<QpGroup>,
}

/// The slabs of `count` queue pairs.
struct Slabs {
    cq: Slab,
    cq_dbr: Slab,
    sq: Slab,
    sq_dbr: Slab,
}

impl Slabs {
    fn new(attr: &HighLevelAttr<'_>, count: usize) -> Result<Self> {
        // Who rings is the same for every page, so one page of the first QP decides where records lie.
        let handler = attr.handler(&*attr.doorbell_page()?)?;
        let queues = attr.queue_kind();
        Ok(Self {
            cq: Slab::new(attr, queues, attr.cq_bytes(), count)?,
            cq_dbr: Slab::new(attr, queues, RECORD_STRIDE, count)?,
            sq: Slab::new(attr, queues, attr.sq_bytes(), count)?,
            sq_dbr: Slab::new(attr, attr.dbr_kind(handler), RECORD_STRIDE, count)?,
        })
    }

    fn member(
        &self,
        attr: &HighLevelAttr<'_>,
        index: usize,
        core_direct_master: bool,
    ) -> Result<HighLevelQp> {
        let page = attr.doorbell_page()?;
        let parts = Parts {
            cq_entries: self.cq.at(index),
            cq_dbr: Some(self.cq_dbr.at(index)),
            cq_uar: Some(page.clone()),
            core_direct_master,
        };
        HighLevelQp::assemble(attr, parts, Some(page), |_| {
            Ok((self.sq.at(index), self.sq_dbr.at(index)))
        })
    }
}

fn check_count(count: usize, what: &str) -> Result<()> {
    if count == 0 {
        return Err(Error::invalid(format!("number of {what}"), 0, "ask for at least one"));
    }
    Ok(())
}

/// Closes all if none is in use; goes on after an error and gives the first.
fn destroy_all<T>(
    all: &[T],
    check_unused: impl Fn(&T) -> Result<()>,
    close: impl Fn(&T) -> Result<()>,
) -> Result<()> {
    all.iter().try_for_each(check_unused)?;
    all.iter().map(close).fold(Ok(()), Result::and)
}

impl QpList {
    /// Creates `count` queue pairs. The slabs live until the last of them goes.
    pub fn create(attr: &HighLevelAttr<'_>, count: usize) -> Result<Self> {
        attr.check()?;
        check_count(count, "qps")?;
        let slabs = Slabs::new(attr, count)?;
        let qps = (0..count).map(|i| slabs.member(attr, i, false)).collect::<Result<_>>()?;
        Ok(Self { qps })
    }

    /// The queue pairs.
    pub fn qps(&self) -> &[HighLevelQp] {
        &self.qps
    }

    /// The images of all, in order, as one array for kernels.
    pub fn export(&self, attr: &HighLevelAttr<'_>) -> Result<DeviceQps> {
        let exported: Vec<_> = self.qps.iter().map(HighLevelQp::exported).collect();
        DeviceQps::create(attr.gpu, &exported)
    }

    /// Destroys every queue pair, as [`HighLevelQp::destroy`]: none while one of them is in use. One that fails does not keep
    /// the others; the first error is reported, and the list holds what is left.
    pub fn destroy(self) -> Result<(), Refused<Self>> {
        destroy_all(&self.qps, HighLevelQp::check_unused, HighLevelQp::close)
            .map_err(|error| Refused::new(self, error))
    }
}

impl QpGroupList {
    /// Creates `count` groups. The slabs live until the last of them goes.
    pub fn create(attr: &HighLevelAttr<'_>, count: usize) -> Result<Self> {
        group::check(attr)?;
        check_count(count, "qp groups")?;
        let slabs = Slabs::new(attr, count.saturating_mul(2))?;
        let group = |i: usize| {
            Ok(QpGroup {
                main: slabs.member(attr, 2 * i, false)?,
                companion: slabs.member(attr, 2 * i + 1, true)?,
            })
        };
        Ok(Self { groups: (0..count).map(group).collect::<Result<_>>()? })
    }

    /// The groups.
    pub fn groups(&self) -> &[QpGroup] {
        &self.groups
    }

    /// Destroys every group, as [`QpList::destroy`].
    pub fn destroy(self) -> Result<(), Refused<Self>> {
        destroy_all(&self.groups, QpGroup::check_unused, QpGroup::close)
            .map_err(|error| Refused::new(self, error))
    }
}

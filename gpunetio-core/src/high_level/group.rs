//! A main QP with a companion, on which kernels order work behind the main one's (WAIT).

use super::{HighLevelAttr, HighLevelQp, Parts};
use crate::error::{Error, Refused, Result};
use gpunetio_device::image::NicHandler;
use gpunetio_prm::doorbell::{CQ_DBR_BYTES, QP_DBR_BYTES};

/// Main and companion queue pair. The companion is a CORE-Direct master: it can wait for the main one's completions.
#[derive(Debug)]
pub struct QpGroup {
    /// Where kernels post.
    pub main: HighLevelQp,
    /// Where kernels post what waits.
    pub companion: HighLevelQp,
}

impl QpGroup {
    /// Creates a group.
    pub fn create(attr: &HighLevelAttr<'_>) -> Result<Self> {
        check(attr)?;
        Ok(Self { main: member(attr, false)?, companion: member(attr, true)? })
    }

    /// Destroys both queue pairs, as [`HighLevelQp::destroy`]: neither while one of them is in use.
    pub fn destroy(self) -> Result<(), Refused<Self>> {
        self.check_unused().and_then(|()| self.close()).map_err(|error| Refused::new(self, error))
    }

    pub(super) fn check_unused(&self) -> Result<()> {
        self.main.check_unused().and_then(|()| self.companion.check_unused())
    }

    /// Ends the companion, which waits for the main one, then the main one.
    pub(super) fn close(&self) -> Result<()> {
        self.companion.close().and_then(|()| self.main.close())
    }
}

/// What only groups refuse.
pub(super) fn check(attr: &HighLevelAttr<'_>) -> Result<()> {
    attr.check()?;
    if attr.nic_handler == NicHandler::GPU_SM_BF {
        return Err(Error::invalid(
            "nic handler of a qp group",
            "GPU_SM_BF",
            "a WAIT is not a BlueFlame write: use AUTO, GPU_SM_DB or CPU_PROXY",
        ));
    }
    Ok(())
}

fn member(attr: &HighLevelAttr<'_>, core_direct_master: bool) -> Result<HighLevelQp> {
    let page = attr.doorbell_page()?;
    let parts = Parts {
        cq_entries: (attr.region(attr.queue_kind(), attr.cq_bytes() + CQ_DBR_BYTES)?, 0),
        cq_dbr: None,
        cq_uar: Some(page.clone()),
        core_direct_master,
    };
    HighLevelQp::assemble(attr, parts, Some(page), |kind| {
        let sq = attr.region(attr.queue_kind(), attr.sq_bytes())?;
        Ok(((sq, 0), (attr.region(kind, QP_DBR_BYTES)?, 0)))
    })
}

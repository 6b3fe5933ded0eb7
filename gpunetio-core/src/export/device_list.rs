//! Images of many QPs, one behind the other.

use std::sync::Arc;

use gpunetio_device::image::QpImage;

use super::{ExportInner, ExportedQp, ImageSlot, image_bytes, lock};
use crate::error::{Error, Result};
use crate::gpu::{Gpu, MemoryInner, MemoryKind};

/// An array of QP images in GPU memory, which kernels index.
#[derive(Debug)]
pub struct DeviceQps {
    memory: Arc<MemoryInner>,
    qps: Vec<Arc<ExportInner>>,
}

impl DeviceQps {
    /// Puts the images of `qps` into one array. A QP has one image, so none may have one yet.
    pub fn create(gpu: &Gpu, qps: &[&ExportedQp]) -> Result<Self> {
        let qps: Vec<_> = qps.iter().map(|qp| Arc::clone(&qp.inner)).collect();
        if qps.is_empty() {
            return Err(Error::invalid("number of qps", 0, "list at least one"));
        }
        for qp in &qps {
            if !Arc::ptr_eq(&qp.gpu, &gpu.inner) {
                return Err(Error::Foreign {
                    object: format!("exported qp {}", qp.qp.qpn),
                    owner: qp.gpu.label(),
                    here: gpu.inner.label(),
                });
            }
        }
        let seen_by_cpu = qps.iter().any(|qp| qp.image_kind() == MemoryKind::CpuGpu);
        let kind = if seen_by_cpu { MemoryKind::CpuGpu } else { MemoryKind::Gpu };
        let memory = gpu.inner.allocate(kind, qps.len() * size_of::<QpImage>(), 0)?.inner;
        let mut images = Vec::with_capacity(memory.allocation.size);
        for qp in &qps {
            images.extend_from_slice(image_bytes(&qp.fresh_image()?));
        }
        memory.write(0, &images)?;
        let mut list = Self { memory, qps: Vec::with_capacity(qps.len()) };
        for (index, qp) in qps.into_iter().enumerate() {
            {
                let mut slot = lock(&qp.slot);
                if slot.is_some() {
                    // What was placed so far is taken back when `list` drops.
                    return Err(Error::InUse {
                        object: format!("image of qp {}", qp.qp.qpn),
                        users: 1,
                    });
                }
                let (memory, offset) = (Arc::clone(&list.memory), index * size_of::<QpImage>());
                *slot = Some(ImageSlot { memory, offset });
            }
            list.qps.push(qp);
        }
        Ok(list)
    }

    /// The first image as kernels see it; the next follows [`DeviceQps::STRIDE`] bytes behind.
    pub fn gpu_address(&self) -> usize {
        self.memory.allocation.gpu
    }

    /// Bytes of an image.
    pub const STRIDE: usize = size_of::<QpImage>();

    /// Number of images.
    pub fn len(&self) -> usize {
        self.qps.len()
    }

    /// Never true: a list has at least one QP.
    pub fn is_empty(&self) -> bool {
        self.qps.is_empty()
    }
}

impl Drop for DeviceQps {
    fn drop(&mut self) {
        for qp in &self.qps {
            *lock(&qp.slot) = None;
        }
    }
}

//! A CUDA GPU: memory of its kinds, dma-bufs, doorbell pages in host memory, and the whole path with the software NIC, whose
//! queues then lie in pinned host memory. Skipped loudly where there is no GPU.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod rig;

use std::os::fd::AsRawFd;

use gpunetio_core::*;
use gpunetio_device::image::{MemType, NicHandler};
use gpunetio_prm::cqe::{CqeOpcode, Syndrome};
use rig::{Poster, Rig};

fn cuda() -> Option<Gpu> {
    match Gpu::open("0") {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            eprintln!("SKIPPED: this test needs a CUDA GPU: {error}");
            None
        }
    }
}

#[test]
fn memory_is_aligned_zeroed_and_copied() {
    let Some(gpu) = cuda() else { return };
    println!("{}", gpu.name());
    for kind in [MemoryKind::Gpu, MemoryKind::CpuGpu] {
        for alignment in [1, 256, 4096, 65536, 2 << 20] {
            // Small pieces first: the driver packs them.
            let small: Vec<_> = (0..9).map(|_| gpu.allocate(kind, 8, alignment).unwrap()).collect();
            assert!(small.iter().all(|m| m.gpu_address().is_multiple_of(alignment)));
            let memory = gpu.allocate(kind, 10_000, alignment).unwrap();
            assert!(memory.gpu_address().is_multiple_of(alignment));
            let mut back = vec![1u8; 10_000];
            memory.read(0, &mut back).unwrap();
            assert!(back.iter().all(|b| *b == 0));
            let data: Vec<u8> = (0..1000).map(|i| i as u8).collect();
            memory.write(500, &data).unwrap();
            memory.fill(0, 0xff, 100).unwrap();
            memory.read(0, &mut back).unwrap();
            assert_eq!(back[500..1500], data);
            assert!(back[..100].iter().all(|b| *b == 0xff) && back[100] == 0);
            assert_eq!(memory.cpu_ptr().is_some(), kind == MemoryKind::CpuGpu);
        }
    }
    let message = gpu.allocate(MemoryKind::Gpu, 1 << 50, 0).unwrap_err().to_string();
    assert!(message.contains(&(1u64 << 50).to_string()), "{message}");
    assert!(gpu.allocate(MemoryKind::GpuCpu, 64, 0).unwrap_err().to_string().contains("GDRCopy"));
    gpu.destroy().unwrap();
}

#[test]
fn gpu_memory_has_a_dmabuf() {
    let Some(gpu) = cuda() else { return };
    let memory = gpu.allocate(MemoryKind::Gpu, 65536, 65536).unwrap();
    let fd = gpu.dmabuf_fd(memory.gpu_address(), 65536).unwrap();
    assert!(fd.as_raw_fd() >= 0);
    assert!(gpu.dmabuf_fd(memory.gpu_address(), 1 << 30).is_err(), "past the allocation");
    // Memory of any size and alignment has one: of the whole pages around it, which no other allocation shares.
    for (size, alignment) in [(100, 1), (5000, 256), (100, 65536), (1, 0), (2 << 20, 1)] {
        let memory = gpu.allocate(MemoryKind::Gpu, size, alignment).unwrap();
        let dmabuf = gpu.dmabuf(memory.gpu_address(), size).unwrap();
        assert_eq!(dmabuf.offset, 0, "{size} bytes aligned to {alignment}");
    }
    assert_eq!(gpu.dmabuf(memory.gpu_address() + 300, 100).unwrap().offset, 300);
}

#[test]
fn unknown_ids_are_named() {
    if cuda().is_none() {
        return;
    }
    for id in ["99", "0000:ff:1f.7", "nonsense"] {
        let message = Gpu::open(id).unwrap_err().to_string();
        assert!(message.contains(id), "{message}");
    }
}

#[test]
fn queues_for_a_cuda_gpu_work_on_the_software_nic() {
    let Some(gpu) = cuda() else { return };
    let rig = Rig::new();
    for handler in [NicHandler::AUTO, NicHandler::CPU_PROXY] {
        let attr = HighLevelAttr { nic_handler: handler, ..HighLevelAttr::new(&gpu, &rig.net, 64) };
        let (a, _b) = rig.pair(&attr);
        let image = a.exported().device_image().unwrap();
        assert_ne!(image, 0);
        let copied = a.exported().read_image().unwrap().unwrap();
        // The software NIC's threads must see the queues, so they lie in host memory, and its pages are host memory that
        // the GPU maps.
        assert_eq!(copied.mem_type, MemType::HOST);
        if handler == NicHandler::AUTO {
            assert_eq!(a.exported().nic_handler(), NicHandler::GPU_SM_DB);
        }
        let memory = gpu.allocate(MemoryKind::CpuGpu, 8192, 0).unwrap();
        let region = MemoryRegion::register(&rig.pd, &memory, Access::ALL).unwrap();
        memory.write(0, b"through pinned memory").unwrap();
        let mut poster = Poster::new(&a);
        let from = (region.iova(), region.lkey().0);
        let to = (region.iova() + 4096, region.rkey().0);
        let index = poster.write(from, to, 21);
        if a.exported().needs_cpu_proxy() {
            assert!(a.exported().proxy_progress().unwrap());
        }
        assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
        let mut back = [0; 21];
        memory.read(4096, &mut back).unwrap();
        assert_eq!(&back, b"through pinned memory");
    }
    gpu.destroy().unwrap();
}

#[test]
fn neighbouring_doorbell_pages_in_host_memory_are_mapped_again_and_again() {
    let Some(gpu) = cuda() else { return };
    let host = Gpu::open("cpu").unwrap();
    let memory = host.allocate(MemoryKind::CpuGpu, 8 * 4096, 65536).unwrap();
    let register = |page: usize| (memory.gpu_address() + page * 4096 + 0x800) as *mut u64;
    for round in 0..3 {
        for page in 0..8 {
            // SAFETY: the memory lives to the end of the test.
            let mapped = unsafe { gpu.map_register(register(page), sys::UarMemory::Host) };
            let mapped =
                mapped.unwrap_or_else(|error| panic!("round {round}, page {page}: {error}"));
            assert_eq!(mapped as usize & 0xfff, 0x800);
        }
        for page in 0..8 {
            // SAFETY: mapped above, and no kernel runs.
            unsafe { gpu.unmap_register(register(page)).unwrap() };
        }
    }
}

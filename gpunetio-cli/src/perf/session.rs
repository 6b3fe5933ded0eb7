//! What a run stands on: GPU, NIC, connected queue pairs, registered memory; and one launch on it.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::time::Duration;

use gpunetio_core::{
    Access, ConnectAttr, DeviceQps, Environment, Gpu, HighLevelAttr, Memory, MemoryKind,
    MemoryRegion, Mtu, NetDevice, Nic, Pd, ProxyService, QpErrorInfo, QpList, Qpn,
};
use gpunetio_device::executor::{CpuExecutor, LaunchConfig};
use gpunetio_device::image::{ExecScope, NicHandler, QpImage, SendDbrMode, SharingMode};

use super::PerfError;
use super::plan::Plan;
use crate::args::{Handler, Scope, Sharing};
use crate::kernels::{self, Pass, PerfParams};

/// Time that a launch may take beyond what its payload needs.
const LAUNCH_GRACE: Duration = Duration::from_secs(120);
/// Payload rate, in bytes a second, below which a launch counts as hung.
const SLOWEST_RATE: f64 = 50e6;
/// Operations that each thread does before those that count: a NIC that sleeps wakes, pages and caches fill.
const WARMUP: u32 = 16;
/// Bytes of a signal word.
const SIGNAL_BYTES: usize = 8;

/// The GPU and the NIC that a run uses.
pub(crate) struct Machine {
    gpu: Gpu,
    nic: Nic,
    why: String,
}

/// Everything that stays for all sizes.
pub(crate) struct Session<'m> {
    // Fields drop in order: who uses others goes first.
    executor: CpuExecutor,
    _proxy: Option<ProxyService>,
    device_qps: DeviceQps,
    initiators: QpList,
    _targets: QpList,
    pd: Pd,
    gpu: &'m Gpu,
    software: bool,
    plan: Plan,
}

/// What one launch gave.
pub(crate) struct Outcome {
    /// Operations of all threads.
    pub(crate) operations: u64,
    /// From the first unit's start to the last unit's end.
    pub(crate) elapsed_ns: u64,
    /// One sample an operation of each unit; empty in a throughput pass.
    pub(crate) latencies_ns: Vec<u64>,
    /// Target memory (and signals) hold exactly what they should.
    pub(crate) verified: bool,
}

/// Memory that the NIC can name.
struct Registered {
    region: MemoryRegion,
    memory: Memory,
}

impl Machine {
    /// Opens what the plan names.
    pub(crate) fn open(plan: &Plan, environment: &Environment) -> Result<Self, PerfError> {
        let gpu = Gpu::open(&plan.gpu)?;
        if !gpu.memory_is_host() {
            return Err(PerfError::Option {
                option: "--gpu",
                value: plan.gpu.clone(),
                reason: format!(
                    "perf does not launch kernels on a CUDA GPU ({}) in this version; use --gpu cpu",
                    gpu.name()
                ),
            });
        }
        let nics = crate::nics::discover(environment)?;
        let nic = match &plan.nic {
            Some(name) => nics.open(name)?,
            None => nics.open_first()?,
        };
        Ok(Self { gpu, nic, why: nics.why().to_owned() })
    }

    /// Name of the GPU for people.
    pub(crate) fn gpu_name(&self) -> String {
        self.gpu.name().to_owned()
    }

    /// Provider and name of the NIC for people.
    pub(crate) fn nic_name(&self) -> String {
        format!("{} {}", self.nic.provider_name(), self.nic.name())
    }

    /// Why NICs come from this provider.
    pub(crate) fn why(&self) -> &str {
        &self.why
    }
}

impl<'m> Session<'m> {
    /// Creates the plan's QPs and connects each to one of its own on the same port.
    pub(crate) fn connect(machine: &'m Machine, plan: &Plan) -> Result<Self, PerfError> {
        let Machine { gpu, nic, .. } = machine;
        let pd = nic.alloc_pd()?;
        let net = NetDevice::open(&pd)?;
        let attr = HighLevelAttr {
            nic_handler: match plan.handler {
                Handler::Doorbell => NicHandler::GPU_SM_DB,
                Handler::Blueflame => NicHandler::GPU_SM_BF,
                Handler::NoDbr => NicHandler::GPU_SM_NO_DBR,
                Handler::Proxy => NicHandler::CPU_PROXY,
            },
            send_dbr_mode: match plan.handler {
                Handler::NoDbr => SendDbrMode::NO_DBR_HW,
                _ => SendDbrMode::VALID_DBR,
            },
            ..HighLevelAttr::new(gpu, &net, plan.depth)
        };
        let initiators = QpList::create(&attr, plan.qps as usize)?;
        let targets = QpList::create(&HighLevelAttr::new(gpu, &net, 1), plan.qps as usize)?;
        let (sgid_index, gid) = nic.roce_v2_gid()?;
        let connect = ConnectAttr {
            sgid_index,
            path_mtu: Mtu::from_bytes(nic.port()?.active_mtu)?,
            rd_atomic: net.attributes().max_qp_rd_atom,
            ..ConnectAttr::default()
        };
        for (initiator, target) in initiators.qps().iter().zip(targets.qps()) {
            let (ours, theirs) = (initiator.qp(), target.qp());
            theirs.connect(&ours.endpoint(gid, connect.psn), &connect)?;
            ours.connect(&theirs.endpoint(gid, connect.psn), &connect)?;
        }
        let proxy = match plan.handler {
            Handler::Proxy => {
                let service = ProxyService::start()?;
                for qp in initiators.qps() {
                    service.add(qp.exported())?;
                }
                Some(service)
            }
            _ => None,
        };
        let device_qps = initiators.export(&attr)?;
        Ok(Self {
            executor: CpuExecutor::new(),
            _proxy: proxy,
            device_qps,
            initiators,
            _targets: targets,
            pd,
            gpu,
            software: nic.provider_name() == crate::nics::SOFTWARE,
            plan: plan.clone(),
        })
    }

    fn register(&self, bytes: u64) -> Result<Registered, PerfError> {
        let size = usize::try_from(bytes.max(SIGNAL_BYTES as u64)).unwrap_or(usize::MAX);
        let memory = self.gpu.allocate(MemoryKind::Gpu, size, 0)?;
        let region = MemoryRegion::register(&self.pd, &memory, Access::ALL)?;
        Ok(Registered { region, memory })
    }

    /// Runs one kernel and verifies what it did: `iters` operations of `size` bytes by each thread, each thread and QP on
    /// memory of its own.
    pub(crate) fn run(
        &self,
        mode: kernels::Mode,
        pass: Pass,
        size: u64,
        iters: u32,
    ) -> Result<Outcome, PerfError> {
        self.run_adjusted(mode, pass, size, iters, |_| {})
    }

    /// [`Session::run`] with a last change to what the kernel is told, by which tests make it go wrong.
    fn run_adjusted(
        &self,
        mode: kernels::Mode,
        pass: Pass,
        size: u64,
        iters: u32,
        adjust: impl FnOnce(&mut PerfParams),
    ) -> Result<Outcome, PerfError> {
        let plan = &self.plan;
        let (threads, units) = (plan.all_threads(), plan.units() as usize);
        let places = plan.places(iters);
        let total = places.checked_mul(size).ok_or_else(|| PerfError::Option {
            option: "--size",
            value: size.to_string(),
            reason: format!("{places} of it, for each thread and QP, do not fit in memory"),
        })?;
        let (local, remote) = (self.register(total)?, self.register(total)?);
        let (results, signals) = (
            self.register(threads * SIGNAL_BYTES as u64)?,
            self.register(threads * SIGNAL_BYTES as u64)?,
        );
        let (source, target) =
            if mode == kernels::Mode::Get { (&remote, &local) } else { (&local, &remote) };
        let pattern = Pattern::new(size, iters);
        pattern.fill(&source.memory, total)?;
        pattern.fill_inverse(&target.memory, total)?;

        let samples = if pass == Pass::Latency { units * iters as usize } else { 0 };
        let mut latencies_ns = vec![0u64; samples];
        let (mut start_ns, mut end_ns) = (vec![0u64; units], vec![0u64; units]);
        let mut status = vec![0u32; threads as usize];
        let mut params = PerfParams {
            qps: self.device_qps.gpu_address() as *mut QpImage,
            size,
            laddr: local.memory.gpu_address() as u64,
            raddr: remote.memory.gpu_address() as u64,
            place_stride: size,
            sig_laddr: results.memory.gpu_address() as u64,
            sig_raddr: signals.memory.gpu_address() as u64,
            lkey: local.region.lkey().to_be(),
            rkey: remote.region.rkey().to_be(),
            sig_lkey: results.region.lkey().to_be(),
            sig_rkey: signals.region.rkey().to_be(),
            num_qps: plan.qps,
            iters,
            warmup: WARMUP,
            reserved: 0,
            lat_ns: latencies_ns.as_mut_ptr(),
            start_ns: start_ns.as_mut_ptr(),
            end_ns: end_ns.as_mut_ptr(),
            status: status.as_mut_ptr(),
        };
        adjust(&mut params);
        let sharing = match plan.sharing {
            Sharing::Exclusive => SharingMode::EXCLUSIVE,
            Sharing::Cta => SharingMode::CTA,
            Sharing::Gpu => SharingMode::GPU,
        };
        let scope = match plan.scope {
            Scope::Thread => ExecScope::THREAD,
            Scope::Warp => ExecScope::WARP,
        };
        let kernel = kernels::cpu_kernel(mode, pass, sharing, scope);
        let limit = LAUNCH_GRACE
            + Duration::from_secs_f64(
                threads as f64 * size as f64 * f64::from(iters) / SLOWEST_RATE,
            );
        // SAFETY: the kernel takes one `PerfParams`; what it points to lives in this frame and in `self` until the launch
        // has been joined. A launch that does not end makes us end the process without unwinding this frame.
        let launch = unsafe {
            let config = LaunchConfig::line(plan.blocks, plan.threads);
            self.executor.launch(kernel, config, &[(&raw mut params).cast::<c_void>()])?
        };
        match launch.join_timeout(limit) {
            Some(ended) => ended?,
            None => {
                let error = PerfError::Hung { size, limit };
                eprintln!("gpunetio: {}", error.with_causes());
                std::process::exit(1);
            }
        }
        self.check_completions(size, &status)?;
        let elapsed_ns =
            end_ns.iter().max().copied().unwrap_or(0) - start_ns.iter().min().copied().unwrap_or(0);
        let operations = threads * u64::from(iters);
        let mut verified =
            pattern.matches(&target.memory, total)? && pattern.matches(&source.memory, total)?;
        if mode == kernels::Mode::PutSignal {
            verified &= words(&signals.memory, threads)?
                .iter()
                .all(|count| *count == u64::from(iters) + u64::from(WARMUP));
        }
        Ok(Outcome { operations, elapsed_ns, latencies_ns, verified })
    }

    /// The first completion error of a thread, as its QP reports it.
    fn check_completions(&self, size: u64, status: &[u32]) -> Result<(), PerfError> {
        if status.iter().all(|outcome| *outcome == 0) {
            return Ok(());
        }
        for qp in self.initiators.qps() {
            let info = qp.exported().last_error()?;
            if info.has_error {
                return Err(self.completion_error(qp.qpn(), size, info));
            }
        }
        // A thread saw an error on a QP, so one must report it.
        let qpn = self.initiators.qps()[0].qpn();
        Err(self.completion_error(qpn, size, Default::default()))
    }

    fn completion_error(&self, qpn: Qpn, size: u64, info: QpErrorInfo) -> PerfError {
        // Vendor syndromes are the vendor's; the software NIC's have texts.
        let text = match self.software {
            true => gpunetio_softnic::engine::Vendor(info.vendor_err_synd).text(),
            false => None,
        };
        PerfError::Completion {
            qpn,
            size,
            info,
            text: text.map_or_else(String::new, |t| format!(": {t}")),
        }
    }
}

fn words(memory: &Memory, count: u64) -> Result<Vec<u64>, PerfError> {
    let mut bytes = vec![0; count as usize * SIGNAL_BYTES];
    memory.read(0, &mut bytes)?;
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |acc, byte| acc << 8 | u64::from(*byte));
    Ok(bytes.chunks(SIGNAL_BYTES).map(word).collect())
}

/// Bytes that differ from place to place, size to size and pass to pass, so that neither a stale nor a shifted target
/// passes.
struct Pattern {
    seed: u64,
}

/// Bytes that are made or compared at a time.
const CHUNK: usize = 1 << 20;

impl Pattern {
    fn new(size: u64, iters: u32) -> Self {
        Self { seed: size.rotate_left(32) ^ u64::from(iters) ^ 0x9e37_79b9_7f4a_7c15 }
    }

    /// The bytes from `offset` on; a word mixes seed and position (the finaliser of splitmix64).
    fn bytes(&self, offset: u64, out: &mut [u8]) {
        for (i, chunk) in out.chunks_mut(8).enumerate() {
            let mut word = self.seed.wrapping_add(offset / 8 + i as u64);
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(word ^ word >> 31).to_le_bytes()[..chunk.len()]);
        }
    }

    fn each_chunk(
        &self,
        total: u64,
        mut visit: impl FnMut(usize, &mut [u8]) -> Result<bool, PerfError>,
    ) -> Result<bool, PerfError> {
        let mut buffer = vec![0; CHUNK];
        let mut offset = 0;
        while offset < total {
            let len = CHUNK.min((total - offset) as usize);
            self.bytes(offset, &mut buffer[..len]);
            if !visit(offset as usize, &mut buffer[..len])? {
                return Ok(false);
            }
            offset += len as u64;
        }
        Ok(true)
    }

    fn fill(&self, memory: &Memory, total: u64) -> Result<(), PerfError> {
        self.each_chunk(total, |offset, bytes| Ok(memory.write(offset, bytes).map(|()| true)?))?;
        Ok(())
    }

    /// Fills with bytes of which every one is wrong.
    fn fill_inverse(&self, memory: &Memory, total: u64) -> Result<(), PerfError> {
        self.each_chunk(total, |offset, bytes| {
            bytes.iter_mut().for_each(|byte| *byte = !*byte);
            Ok(memory.write(offset, bytes).map(|()| true)?)
        })?;
        Ok(())
    }

    fn matches(&self, memory: &Memory, total: u64) -> Result<bool, PerfError> {
        let mut found = vec![0; CHUNK];
        self.each_chunk(total, |offset, bytes| {
            memory.read(offset, &mut found[..bytes.len()])?;
            Ok(found[..bytes.len()] == *bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte_anywhere_is_found() {
        let gpu = Gpu::open("cpu").unwrap();
        let total = (CHUNK + 13) as u64;
        let memory = gpu.allocate(MemoryKind::Gpu, total as usize, 0).unwrap();
        let pattern = Pattern::new(13, 1);
        pattern.fill(&memory, total).unwrap();
        assert!(pattern.matches(&memory, total).unwrap());
        for at in [0, 7, CHUNK - 1, CHUNK, CHUNK + 12] {
            let mut byte = [0];
            memory.read(at, &mut byte).unwrap();
            memory.write(at, &[byte[0] ^ 1]).unwrap();
            assert!(!pattern.matches(&memory, total).unwrap(), "byte {at}");
            memory.write(at, &byte).unwrap();
        }
        pattern.fill_inverse(&memory, total).unwrap();
        assert!(!pattern.matches(&memory, total).unwrap());
        assert!(!Pattern::new(14, 1).matches(&memory, total).unwrap());
    }

    /// Every test takes the same environment, for the software NIC is one for the process: two devices, one of which goes.
    fn session<R>(nic: &str, body: impl FnOnce(&Session<'_>) -> R) -> R {
        let words = ["gpunetio", "perf", "put", "--qps", "2", "--threads", "2", "--nic", nic];
        let crate::args::Command::Perf(args) =
            <crate::args::Cli as clap::Parser>::parse_from(words).command
        else {
            panic!("not a perf line")
        };
        let environment = Environment::from_lookup(|name| match name {
            "GPUNETIO_NIC" => Some("softnic".into()),
            "GPUNETIO_SOFTNIC_DEVICES" => Some("2".into()),
            _ => None,
        });
        let plan = Plan::of(&args).unwrap();
        let machine = Machine::open(&plan, &environment.unwrap()).unwrap();
        body(&Session::connect(&machine, &plan).unwrap())
    }

    #[test]
    fn a_kernel_that_waits_ends_when_the_nic_is_gone_and_so_does_the_next() {
        session("mlx5_1", |session| {
            let put = |iters| session.run(kernels::Mode::Put, Pass::Throughput, 8, iters);
            assert!(put(100).unwrap().verified);
            let endless = std::thread::scope(|scope| {
                let run = scope.spawn(|| put(u32::MAX));
                std::thread::sleep(Duration::from_millis(100));
                gpunetio_softnic::control().remove_device(1).unwrap();
                run.join().unwrap()
            });
            assert!(matches!(endless, Err(PerfError::Completion { .. } | PerfError::Core(_))));
            assert!(put(100).is_err());
        });
    }

    #[test]
    fn a_target_that_is_not_what_was_sent_is_not_verified() {
        session("mlx5_0", |session| {
            let put = |adjust: &dyn Fn(&mut PerfParams)| {
                session
                    .run_adjusted(kernels::Mode::Put, Pass::Throughput, 64, 50, |p| adjust(p))
                    .unwrap()
                    .verified
            };
            assert!(put(&|_| {}));
            // Every put goes to the first thread's place; every put is a byte short.
            assert!(!put(&|p| p.place_stride = 0));
            assert!(!put(&|p| p.size -= 1));
            let counted =
                session.run_adjusted(kernels::Mode::PutSignal, Pass::Throughput, 64, 50, |p| {
                    p.warmup -= 1
                });
            assert!(!counted.unwrap().verified);
        });
    }

    /// Keeps what is logged, for tests of messages.
    struct Kept(std::sync::Mutex<Vec<String>>);

    impl log::Log for Kept {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            true
        }
        fn log(&self, record: &log::Record<'_>) {
            self.0.lock().unwrap().push(record.args().to_string());
        }
        fn flush(&self) {}
    }

    static KEPT: Kept = Kept(std::sync::Mutex::new(Vec::new()));

    #[test]
    fn an_error_names_the_qp_the_syndrome_and_the_value_that_was_wrong() {
        log::set_logger(&KEPT).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
        type Adjust = fn(&mut PerfParams);
        let wrong: [(Adjust, &str, &str, &str); 3] = [
            (|p| p.rkey = 0x7777_7777u32.to_be(), "REMOTE_ACCESS_ERR", "NAK", "key 0x77777777"),
            (|p| p.raddr = 0x1234_5678, "REMOTE_ACCESS_ERR", "NAK", "0x12345678"),
            (|p| p.lkey = 0x6666_6666u32.to_be(), "LOCAL_PROT_ERR", "lkey", "key 0x66666666"),
        ];
        for (adjust, syndrome, meaning, value) in wrong {
            session("mlx5_0", |session| {
                let failed = session.run_adjusted(kernels::Mode::Put, Pass::Latency, 64, 5, adjust);
                let text = failed.err().unwrap().with_causes();
                assert!(text.contains(syndrome) && text.contains("qp 0x"), "{text}");
                assert!(text.contains(meaning), "{text}");
                let kept = KEPT.0.lock().unwrap().clone();
                assert!(kept.iter().any(|line| line.contains(value)), "{value}: {kept:?}");
                // A QP in error takes no more puts, and says so again.
                let again = session.run(kernels::Mode::Put, Pass::Latency, 64, 5);
                assert!(matches!(again, Err(PerfError::Completion { .. })));
            });
        }
    }
}

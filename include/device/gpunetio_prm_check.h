/* Rendered from gpunetio-prm by its test `c_header`; do not edit. Run the test with GPUNETIO_BLESS=1 to renew. */
#ifndef GPUNETIO_PRM_CHECK_H
#define GPUNETIO_PRM_CHECK_H

static_assert(sizeof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg) == 16, "doca_gpunetio_ib_mlx5_wqe_ctrl_seg");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg, opmod_idx_opcode) == 0, "doca_gpunetio_ib_mlx5_wqe_ctrl_seg.opmod_idx_opcode");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg, qpn_ds) == 4, "doca_gpunetio_ib_mlx5_wqe_ctrl_seg.qpn_ds");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg, signature) == 8, "doca_gpunetio_ib_mlx5_wqe_ctrl_seg.signature");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg, fm_ce_se) == 11, "doca_gpunetio_ib_mlx5_wqe_ctrl_seg.fm_ce_se");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg, imm) == 12, "doca_gpunetio_ib_mlx5_wqe_ctrl_seg.imm");
static_assert(sizeof(struct doca_gpunetio_ib_mlx5_wqe_raddr_seg) == 16, "doca_gpunetio_ib_mlx5_wqe_raddr_seg");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_raddr_seg, raddr) == 0, "doca_gpunetio_ib_mlx5_wqe_raddr_seg.raddr");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_raddr_seg, rkey) == 8, "doca_gpunetio_ib_mlx5_wqe_raddr_seg.rkey");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_raddr_seg, reserved) == 12, "doca_gpunetio_ib_mlx5_wqe_raddr_seg.reserved");
static_assert(sizeof(struct doca_gpunetio_ib_mlx5_wqe_data_seg) == 16, "doca_gpunetio_ib_mlx5_wqe_data_seg");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_data_seg, byte_count) == 0, "doca_gpunetio_ib_mlx5_wqe_data_seg.byte_count");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_data_seg, lkey) == 4, "doca_gpunetio_ib_mlx5_wqe_data_seg.lkey");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_data_seg, addr) == 8, "doca_gpunetio_ib_mlx5_wqe_data_seg.addr");
static_assert(sizeof(struct doca_gpunetio_ib_mlx5_wqe_atomic_seg) == 16, "doca_gpunetio_ib_mlx5_wqe_atomic_seg");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_atomic_seg, swap_add) == 0, "doca_gpunetio_ib_mlx5_wqe_atomic_seg.swap_add");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_atomic_seg, compare) == 8, "doca_gpunetio_ib_mlx5_wqe_atomic_seg.compare");
static_assert(sizeof(struct doca_gpunetio_ib_mlx5_wqe_wait_seg) == 16, "doca_gpunetio_ib_mlx5_wqe_wait_seg");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_wait_seg, max_index) == 8, "doca_gpunetio_ib_mlx5_wqe_wait_seg.max_index");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_wqe_wait_seg, qpn_cqn) == 12, "doca_gpunetio_ib_mlx5_wqe_wait_seg.qpn_cqn");
static_assert(sizeof(struct doca_gpunetio_ib_mlx5_cqe64) == 64, "doca_gpunetio_ib_mlx5_cqe64");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, wqe_id) == 2, "doca_gpunetio_ib_mlx5_cqe64.wqe_id");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, flags_rqpn) == 24, "doca_gpunetio_ib_mlx5_cqe64.flags_rqpn");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, srqn_uidx) == 32, "doca_gpunetio_ib_mlx5_cqe64.srqn_uidx");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, imm_inval_pkey) == 36, "doca_gpunetio_ib_mlx5_cqe64.imm_inval_pkey");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, byte_cnt) == 44, "doca_gpunetio_ib_mlx5_cqe64.byte_cnt");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, timestamp) == 48, "doca_gpunetio_ib_mlx5_cqe64.timestamp");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, sop_drop_qpn) == 56, "doca_gpunetio_ib_mlx5_cqe64.sop_drop_qpn");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, wqe_counter) == 60, "doca_gpunetio_ib_mlx5_cqe64.wqe_counter");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_cqe64, op_own) == 63, "doca_gpunetio_ib_mlx5_cqe64.op_own");
static_assert(sizeof(struct doca_gpunetio_ib_mlx5_err_cqe_ex) == 64, "doca_gpunetio_ib_mlx5_err_cqe_ex");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, srqn) == 32, "doca_gpunetio_ib_mlx5_err_cqe_ex.srqn");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, hw_err_synd) == 52, "doca_gpunetio_ib_mlx5_err_cqe_ex.hw_err_synd");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, hw_synd_type) == 53, "doca_gpunetio_ib_mlx5_err_cqe_ex.hw_synd_type");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, vendor_err_synd) == 54, "doca_gpunetio_ib_mlx5_err_cqe_ex.vendor_err_synd");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, syndrome) == 55, "doca_gpunetio_ib_mlx5_err_cqe_ex.syndrome");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, s_wqe_opcode_qpn) == 56, "doca_gpunetio_ib_mlx5_err_cqe_ex.s_wqe_opcode_qpn");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, wqe_counter) == 60, "doca_gpunetio_ib_mlx5_err_cqe_ex.wqe_counter");
static_assert(__builtin_offsetof(struct doca_gpunetio_ib_mlx5_err_cqe_ex, op_own) == 63, "doca_gpunetio_ib_mlx5_err_cqe_ex.op_own");

#endif

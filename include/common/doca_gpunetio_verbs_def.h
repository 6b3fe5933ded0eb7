/*
 * Constants and mlx5 work-queue formats that host and device share.
 *
 * Names, values and layouts are those of the public 4.1 API. Plain C; C++ adds static assertions. Nothing here needs a
 * C library header under NVRTC.
 */
#ifndef DOCA_GPUNETIO_VERBS_DEF_H
#define DOCA_GPUNETIO_VERBS_DEF_H

#ifdef __CUDACC_RTC__
/* NVRTC has no <stdint.h>. The same types as libcu++ gives it, so that both can be included. */
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#else
#include <stdint.h>
#include <stddef.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif
#endif

/* Big-endian values, under the kernel's names and as its <linux/types.h> defines them. */
typedef unsigned short __be16;
typedef unsigned int __be32;
typedef unsigned long long __be64;

/* An enum of one byte, as the exported structs hold it. */
#ifdef __cplusplus
#define GPUNETIO_ENUM_U8(name) enum name : uint8_t
#define GPUNETIO_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define GPUNETIO_ENUM_U8(name) enum __attribute__((__packed__)) name
#define GPUNETIO_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/* Version of the API that these headers offer. */
#define DOCA_GPUNETIO_VERSION_MAJOR 4
#define DOCA_GPUNETIO_VERSION_MINOR 1
#define DOCA_GPUNETIO_VERSION_PATCH 0
#define DOCA_GPUNETIO_VERSION_MAJOR_SHIFT 16
#define DOCA_GPUNETIO_VERSION_MINOR_SHIFT 8
#define DOCA_GPUNETIO_VERSION_PATCH_SHIFT 0
#define DOCA_GPUNETIO_VERSION                                             \
    ((DOCA_GPUNETIO_VERSION_MAJOR << DOCA_GPUNETIO_VERSION_MAJOR_SHIFT) | \
     (DOCA_GPUNETIO_VERSION_MINOR << DOCA_GPUNETIO_VERSION_MINOR_SHIFT) | \
     (DOCA_GPUNETIO_VERSION_PATCH << DOCA_GPUNETIO_VERSION_PATCH_SHIFT))
#define DOCA_GPUNETIO_DEVICE_CODE_VERSION DOCA_GPUNETIO_VERSION
#define DOCA_GPUNETIO_HOST_CODE_VERSION DOCA_GPUNETIO_VERSION
/* Oldest counterpart that may be mixed with this one. */
#define DOCA_GPUNETIO_MIN_COMPAT_DEVICE_CODE_VERSION_MAJOR 2
#define DOCA_GPUNETIO_MIN_COMPAT_DEVICE_CODE_VERSION_MINOR 0
#define DOCA_GPUNETIO_MIN_COMPAT_DEVICE_CODE_VERSION_PATCH 0
#define DOCA_GPUNETIO_MIN_COMPAT_HOST_CODE_VERSION_MAJOR 4
#define DOCA_GPUNETIO_MIN_COMPAT_HOST_CODE_VERSION_MINOR 0
#define DOCA_GPUNETIO_MIN_COMPAT_HOST_CODE_VERSION_PATCH 0

#define DOCA_GPUNETIO_VERBS_WARP_SIZE 32
#define DOCA_GPUNETIO_VERBS_WARP_FULL_MASK 0xffffffff
#define DOCA_GPUNETIO_VERBS_PAGE_SIZE 65536
/* A CQ consumer index has 24 bits, a WQE index 16. */
#define DOCA_GPUNETIO_VERBS_CQE_CI_MASK 0xFFFFFF
#define DOCA_GPUNETIO_VERBS_WQE_PI_MASK 0xFFFF
#define DOCA_GPUNETIO_IB_MLX5_WQE_SQ_SHIFT 6
/* Memory keys are passed big-endian. */
#define DOCA_GPUNETIO_VERBS_MKEY_SWAPPED 1
#define DOCA_GPUNETIO_VERBS_EXP_NIC_FENCE_ACQUIRE_CTA 1
#ifndef DOCA_GPUNETIO_VERBS_ENABLE_DEBUG
#define DOCA_GPUNETIO_VERBS_ENABLE_DEBUG 0
#endif
/* Bytes of inline data in one 64-byte WQE. */
#define DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE 28
#define DOCA_GPUNETIO_VERBS_MLX5_CQE_OPCODE_SHIFT 4
#define DOCA_GPUNETIO_VERBS_CQE_SIZE 64
#define DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT 8
/* One WQE moves at most 1 GiB; longer transfers are split. */
#define DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT 30
/* opmod byte of masked atomics, in place in the first control dword. */
#define DOCA_GPUNETIO_4_BYTE_ATOMIC_EXT_OPMOD 0x08000000
#define DOCA_GPUNETIO_8_BYTE_ATOMIC_EXT_OPMOD 0x09000000

/** Send-queue opcodes: low byte of the first control dword. */
enum {
    DOCA_GPUNETIO_IB_MLX5_OPCODE_NOP = 0x00,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_SEND_INVAL = 0x01,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE = 0x08,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE_IMM = 0x09,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_SEND = 0x0a,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_SEND_IMM = 0x0b,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_TSO = 0x0e,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_READ = 0x10,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_CS = 0x11,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_FA = 0x12,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_MASKED_CS = 0x14,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_MASKED_FA = 0x15,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_FMR = 0x19,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_LOCAL_INVAL = 0x1b,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_WAIT = 0x0f,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_CONFIG_CMD = 0x1f,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_SET_PSV = 0x20,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_DUMP = 0x23,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_UMR = 0x25,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_TAG_MATCHING = 0x28,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_FLOW_TBL_ACCESS = 0x2c,
    DOCA_GPUNETIO_IB_MLX5_OPCODE_MMO = 0x2F,
};

/** When a WQE makes a CQE (control segment, ce field). */
enum {
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ON_CQE_ERROR = 0x0,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ON_FIRST_CQE_ERROR = 0x1,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ALWAYS = 0x2,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_AND_EQE = 0x3,
};

/** Fence modes (control segment, fm field). */
enum {
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_NO_FENCE = 0x0,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_INITIATOR_SMALL_FENCE = 0x1,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_FENCE = 0x2,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_STRONG_ORDERING = 0x3,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_FENCE_AND_INITIATOR_SMALL_FENCE = 0x4,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_CUSTOM = 0x100,
};

/** The fm_ce_se byte of the control segment, as the prepare functions take it. */
enum doca_gpu_dev_verbs_wqe_ctrl_flags {
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ALWAYS << 2,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_ERROR_UPDATE = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ON_CQE_ERROR << 2,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_FIRST_CQE_ERROR = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ON_FIRST_CQE_ERROR << 2,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_SOLICITED = 1 << 1,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FENCE = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_FENCE << 5,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_INITIATOR_SMALL_FENCE << 5,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_STRONG_ORDERING = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_STRONG_ORDERING << 5,
    DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE_FENCE = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CE_CQE_ALWAYS << 2 |
        DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_FM_FENCE << 5,
};

/** Dword of a doorbell record that belongs to the receive and to the send queue. */
enum {
    DOCA_GPUNETIO_IB_MLX5_RCV_DBR = 0,
    DOCA_GPUNETIO_IB_MLX5_SND_DBR = 1,
};

/** Where a queue lives, seen from the GPU. */
enum doca_gpu_dev_verbs_mem_type {
    DOCA_GPUNETIO_VERBS_MEM_TYPE_AUTO = 0,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_HOST = 1,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU = 2,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_MAX = 0x7fffffff,
};

/** Whether the NIC reads the send doorbell record, and who writes it when it does not. */
enum doca_gpu_verbs_send_dbr_mode_ext {
    DOCA_GPUNETIO_VERBS_SEND_DBR_MODE_EXT_VALID_DBR = 0,
    DOCA_GPUNETIO_VERBS_SEND_DBR_MODE_EXT_NO_DBR_HW = 1,
    DOCA_GPUNETIO_VERBS_SEND_DBR_MODE_EXT_NO_DBR_SW_EMULATED = 2,
};

/** Which work queue of a QP a call works on. */
enum doca_gpu_dev_verbs_qp_type {
    DOCA_GPUNETIO_VERBS_QP_SQ = 0,
};

/** Who calls: one thread for itself, or all lanes of a warp together. */
enum doca_gpu_dev_verbs_exec_scope {
    DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD = 0,
    DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP = 1,
};

/** How far a fence reaches. */
enum doca_gpu_dev_verbs_sync_scope {
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS = 0,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU = 1,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA = 2,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_THREAD = 3,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_MAX = 0x7fffffff,
};

/** Who may post to one QP at the same time. */
enum doca_gpu_dev_verbs_resource_sharing_mode {
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE = 0,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA = 1,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU = 2,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_MAX = 0x7fffffff,
};

/** Bits that make up a NIC handler. */
enum {
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_CPU_PROXY = 1 << 0,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_GPU_SM = 1 << 1,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_BF = 1 << 2,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_NO_DBR = 1 << 3,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_FREE_FLOW = 1 << 4,
};

/** Who tells the NIC of new work, and how. AUTO: what the host wrote into the QP image. */
enum doca_gpu_dev_verbs_nic_handler {
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO = 0,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY = DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_CPU_PROXY,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB = DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_GPU_SM,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_BF = DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_GPU_SM |
        DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_BF,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR = DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_GPU_SM |
        DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_NO_DBR,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY_FREE_FLOW = DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_CPU_PROXY |
        DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_FREE_FLOW,
};

/** Options of one call (the code_opt argument). */
enum doca_gpu_dev_verbs_gpu_code_opt {
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT = 0,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_ASYNC_STORE_RELEASE = (1 << 0),
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK = (1 << 1),
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING = (1 << 2),
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_CPU_PROXY_UPDATE_PI = (1 << 3),
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_MAX = 0x7fffffff,
};

/** Bits that make up a CQ type. */
enum {
    DOCA_GPUNETIO_VERBS_CQ_FLAG_COLLAPSED = 1 << 0,
    DOCA_GPUNETIO_VERBS_CQ_FLAG_HOST = 1 << 1,
    DOCA_GPUNETIO_VERBS_CQ_FLAG_UNKNOWN = 1 << 7,
};

/** Shape and place of a completion queue. UNKNOWN: what the host wrote into the CQ image. */
GPUNETIO_ENUM_U8(doca_gpu_dev_verbs_cq_type){
    DOCA_GPUNETIO_VERBS_CQ_64B = 0,
    DOCA_GPUNETIO_VERBS_CQ_64B_COLLAPSED = DOCA_GPUNETIO_VERBS_CQ_FLAG_COLLAPSED,
    DOCA_GPUNETIO_VERBS_CQ_64B_COLLAPSED_HOST = DOCA_GPUNETIO_VERBS_CQ_FLAG_COLLAPSED |
                                                DOCA_GPUNETIO_VERBS_CQ_FLAG_HOST,
    DOCA_GPUNETIO_VERBS_CQ_UNKNOWN = DOCA_GPUNETIO_VERBS_CQ_FLAG_UNKNOWN,
};

/** What a signal does to the remote word. */
enum doca_gpu_dev_verbs_signal_op {
    DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD = 0,
};

/** Whether a read is followed by a DUMP. */
enum doca_gpu_dev_verbs_dump_mode {
    DOCA_GPUNETIO_VERBS_DUMP = 0,
    DOCA_GPUNETIO_VERBS_NODUMP = 1,
    DOCA_GPUNETIO_VERBS_DUMP_AUTO = 2,
};

/** Whether a get returns before its data has arrived. */
enum doca_gpu_dev_verbs_blocking_mode {
    DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED = 0,
    DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED = 1,
};

/** Whether a get is followed by a one-byte DUMP, which makes its data visible on platforms that need it. */
enum doca_gpu_dev_verbs_mcst_mode {
    DOCA_GPUNETIO_VERBS_MCST_DISABLED = 0,
    DOCA_GPUNETIO_VERBS_MCST_ENABLED = 1,
};

/** 16-byte segments of a WQE (control segment, ds field). */
enum {
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_RDMA_WRITE_INL_MIN = 3,
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_RDMA_WRITE_INL_MAX = 4,
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_ATOMIC_FA_CAS = 4,
    DOCA_GPUNETIO_VERBS_WQE_SEG_CNT_WAIT = 2,
};

/** Top bit of a byte count: the data follows in the WQE. */
enum {
    DOCA_GPUNETIO_IB_MLX5_INLINE_SEG = 0x80000000,
};

/** Owner bit of op_own. */
enum {
    DOCA_GPUNETIO_IB_MLX5_CQE_OWNER_MASK = 1,
};

/** CQE opcodes: high nibble of op_own. */
enum {
    DOCA_GPUNETIO_IB_MLX5_CQE_REQ = 0,
    DOCA_GPUNETIO_IB_MLX5_CQE_RESP_WR_IMM = 1,
    DOCA_GPUNETIO_IB_MLX5_CQE_RESP_SEND = 2,
    DOCA_GPUNETIO_IB_MLX5_CQE_RESP_SEND_IMM = 3,
    DOCA_GPUNETIO_IB_MLX5_CQE_RESP_SEND_INV = 4,
    DOCA_GPUNETIO_IB_MLX5_CQE_RESIZE_CQ = 5,
    DOCA_GPUNETIO_IB_MLX5_CQE_NO_PACKET = 6,
    DOCA_GPUNETIO_IB_MLX5_CQE_SIG_ERR = 12,
    DOCA_GPUNETIO_IB_MLX5_CQE_REQ_ERR = 13,
    DOCA_GPUNETIO_IB_MLX5_CQE_RESP_ERR = 14,
    DOCA_GPUNETIO_IB_MLX5_CQE_INVALID = 15,
};

/** Operand size of a masked atomic. */
enum doca_gpu_dev_verbs_atomic_ext_bytes {
    DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_4 = 4,
    DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8 = 8,
};

/** How posters publish their WQEs in order. */
enum doca_gpu_dev_verbs_qp_ready_mode {
    DOCA_GPUNETIO_VERBS_READY_MODE_DEFAULT = 0,
    DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS = 1,
    DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST = 2,
};

/** Data segment: where the bytes lie. */
struct doca_gpunetio_ib_mlx5_wqe_data_seg {
    __be32 byte_count;
    __be32 lkey;
    __be64 addr;
};

/** Control segment: opmod:8, WQE index:16, opcode:8 | QPN:24, ds:8 | signature, stream, fm_ce_se | immediate. */
struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg {
    __be32 opmod_idx_opcode;
    __be32 qpn_ds;
    union {
        struct __attribute__((__packed__)) {
            uint8_t signature;
            __be16 dci_stream_channel_id;
            uint8_t fm_ce_se;
        };
        __be32 signature_fm_ce_se;
    };
    __be32 imm;
};

/** Remote address segment of RDMA and atomic WQEs. */
struct doca_gpunetio_ib_mlx5_wqe_raddr_seg {
    __be64 raddr;
    __be32 rkey;
    __be32 reserved;
};

/** Operands of an 8-byte atomic. */
struct doca_gpunetio_ib_mlx5_wqe_atomic_seg {
    __be64 swap_add;
    __be64 compare;
};

/** What a WAIT WQE waits for: that CQ qpn_cqn has passed entry max_index. */
struct doca_gpunetio_ib_mlx5_wqe_wait_seg {
    uint32_t resv[2];
    __be32 max_index;
    __be32 qpn_cqn;
};

/** Tag-matching part of a CQE. */
struct doca_gpunetio_ib_mlx5_tm_cqe {
    __be32 success;
    __be16 hw_phase_cnt;
    uint8_t rsvd0[12];
};

/** Tag-matching header. */
struct doca_gpunetio_ib_ibv_tmh {
    uint8_t opcode;
    uint8_t reserved[3];
    __be32 app_ctx;
    __be64 tag;
};

/** A 64-byte completion queue entry. The NIC writes the last four bytes last. */
struct doca_gpunetio_ib_mlx5_cqe64 {
    union {
        struct {
            uint8_t rsvd0[2];
            __be16 wqe_id;
            uint8_t rsvd4[13];
            uint8_t ml_path;
            uint8_t rsvd20[4];
            __be16 slid;
            __be32 flags_rqpn;
            uint8_t hds_ip_ext;
            uint8_t l4_hdr_type_etc;
            __be16 vlan_info;
        };
        struct doca_gpunetio_ib_mlx5_tm_cqe tm_cqe;
        struct doca_gpunetio_ib_ibv_tmh tmh;
    };
    __be32 srqn_uidx;
    __be32 imm_inval_pkey;
    uint8_t app;
    uint8_t app_op;
    __be16 app_info;
    __be32 byte_cnt;
    __be64 timestamp;
    __be32 sop_drop_qpn;
    union {
        struct {
            __be16 wqe_counter;
            uint8_t signature;
            uint8_t op_own;
        };
        __be32 wqe_counter_sig_op_own_raw;
    };
};

/** The same entry when its opcode is an error. */
struct doca_gpunetio_ib_mlx5_err_cqe_ex {
    uint8_t rsvd0[32];
    __be32 srqn;
    uint8_t rsvd1[16];
    uint8_t hw_err_synd;
    uint8_t hw_synd_type;
    uint8_t vendor_err_synd;
    uint8_t syndrome;
    __be32 s_wqe_opcode_qpn;
    __be16 wqe_counter;
    uint8_t signature;
    uint8_t op_own;
};

GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_wqe_data_seg) == 16, "data segment");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg) == 16, "control segment");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_wqe_raddr_seg) == 16, "raddr segment");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_wqe_atomic_seg) == 16, "atomic segment");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_wqe_wait_seg) == 16, "wait segment");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_tm_cqe) == 20, "tag-matching CQE");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_ibv_tmh) == 16, "tag-matching header");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_cqe64) == 64, "CQE");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpunetio_ib_mlx5_err_cqe_ex) == 64, "error CQE");
GPUNETIO_STATIC_ASSERT(sizeof(enum doca_gpu_dev_verbs_cq_type) == 1, "CQ type is one byte");

#endif

/*
 * The QP and CQ images that the host exports and a kernel works on.
 *
 * Layouts are those of the public 4.1 API: kernels built against either header tree run on the same image. The Rust mirror
 * is gpunetio-device's `image` module.
 */
#ifndef DOCA_GPUNETIO_VERBS_DEV_H
#define DOCA_GPUNETIO_VERBS_DEV_H

#include "doca_gpunetio_verbs_def.h"

/** Index of the last WQE of a post; what poll and wait take. Counts from 0 and never wraps. */
typedef uint64_t doca_gpu_dev_verbs_ticket_t;

/** A registered buffer: address and memory key, the key big-endian. */
struct doca_gpu_dev_verbs_addr {
    uint64_t addr;
    __be32 key;
};

/** One 64-byte slot of a send queue. */
struct doca_gpu_dev_verbs_wqe {
    union {
        uint8_t inl_data[64];
        struct {
            struct doca_gpunetio_ib_mlx5_wqe_data_seg dseg0;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg dseg1;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg dseg2;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg dseg3;
        };
        struct {
            struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg rw_cseg;
            struct doca_gpunetio_ib_mlx5_wqe_raddr_seg rw_rseg;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg rw_dseg0;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg rw_dseg1;
        };
        struct {
            struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg at_cseg;
            struct doca_gpunetio_ib_mlx5_wqe_raddr_seg at_rseg;
            struct doca_gpunetio_ib_mlx5_wqe_atomic_seg at_seg;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg at_dseg;
        };
        struct {
            struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg snd_cseg;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg snd_dseg0;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg snd_dseg1;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg snd_dseg2;
        };
        struct {
            struct doca_gpunetio_ib_mlx5_wqe_ctrl_seg wait_cseg;
            struct doca_gpunetio_ib_mlx5_wqe_wait_seg wait_dseg;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg padding0;
            struct doca_gpunetio_ib_mlx5_wqe_data_seg padding1;
        };
    };
};

/** Completion queue image. */
struct doca_gpu_dev_verbs_cq {
    uint8_t *cqe_daddr; /**< first entry */
    uint32_t cq_num;
    uint32_t cqe_num; /**< entries, a power of two */
    __be32 *dbrec;
    uint64_t cqe_ci; /**< every entry below this index is known to be a success */
    uint32_t cqe_mask;
    uint8_t cqe_size;
    enum doca_gpu_dev_verbs_cq_type cq_type;
    uint8_t reserved1[2];
    uint64_t cqe_rsvd; /**< next entry that poll_cq(count) hands out */
    enum doca_gpu_dev_verbs_mem_type mem_type;
    uint8_t reserved2[12]; /**< first error seen (gpunetio_dev_verbs_cq_error), 4 bytes; index of the second slot of the
                                latest WQE of two slots, 8 bytes */
};

/** Queue pair image. */
struct doca_gpu_dev_verbs_qp {
    uint64_t sq_rsvd_index;  /**< next slot to hand out */
    uint64_t sq_ready_index; /**< every WQE below this index is written */
    uint64_t sq_wqe_pi;      /**< every WQE below this index has been rung */
    uint32_t sq_num;
    uint32_t sq_num_shift8;
    uint32_t sq_num_shift8_be;
    uint32_t sq_num_shift8_be_1ds; /**< second control dword of a WQE of one segment; two to five follow */
    uint32_t sq_num_shift8_be_2ds;
    uint32_t sq_num_shift8_be_3ds;
    uint32_t sq_num_shift8_be_4ds;
    uint32_t sq_num_shift8_be_5ds;
    int sq_lock;         /**< who rings */
    uint16_t sq_wqe_num; /**< slots, a power of two */
    uint16_t sq_wqe_mask;
    uint8_t *sq_wqe_daddr;
    __be32 *sq_dbrec; /**< the send dword of the doorbell record */
    uint64_t *sq_db;  /**< doorbell register, BlueFlame register, proxy word or proxy ready ring, by nic_handler */
    uint8_t reserved1[8];
    uint8_t reserved2[64];
    struct doca_gpu_dev_verbs_cq cq_sq;
    uint8_t reserved3[64];
    enum doca_gpu_dev_verbs_nic_handler nic_handler;
    enum doca_gpu_dev_verbs_mem_type mem_type;
};

#ifdef __CUDACC_RTC__
/* NVRTC has no offsetof; nvcc checks the same layout. */
#define GPUNETIO_ASSERT_OFFSET(type, field, at) GPUNETIO_STATIC_ASSERT(true, "")
#else
#define GPUNETIO_ASSERT_OFFSET(type, field, at) \
    GPUNETIO_STATIC_ASSERT(__builtin_offsetof(struct type, field) == (at), #type "." #field)
#endif
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_cq, cqe_ci, 0x18);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_cq, cq_type, 0x25);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_cq, cqe_rsvd, 0x28);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_cq, mem_type, 0x30);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_qp, sq_lock, 0x38);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_qp, sq_wqe_daddr, 0x40);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_qp, sq_db, 0x50);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_qp, cq_sq, 0xa0);
GPUNETIO_ASSERT_OFFSET(doca_gpu_dev_verbs_qp, nic_handler, 0x120);
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpu_dev_verbs_addr) == 16, "doca_gpu_dev_verbs_addr");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpu_dev_verbs_wqe) == 64, "doca_gpu_dev_verbs_wqe");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpu_dev_verbs_cq) == 64, "doca_gpu_dev_verbs_cq");
GPUNETIO_STATIC_ASSERT(sizeof(struct doca_gpu_dev_verbs_qp) == 296, "doca_gpu_dev_verbs_qp");

#endif

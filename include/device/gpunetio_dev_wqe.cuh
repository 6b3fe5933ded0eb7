/*
 * Writing WQEs into slots of a send queue: doca_gpu_dev_verbs_wqe_prepare_* and what they are made of.
 *
 * Each segment is one 16-byte store. Nothing here is visible to the NIC until the slot is published and rung. Keys and
 * immediates are stored as given, big-endian by contract; addresses, sizes and operands are given in host order.
 */
#ifndef GPUNETIO_DEV_WQE_CUH
#define GPUNETIO_DEV_WQE_CUH

#include "gpunetio_dev_cq_check.cuh"

/** Stores one 16-byte segment. */
GPUNETIO_API void doca_gpu_dev_verbs_store_wqe_seg(uint64_t *ptr, uint64_t *val) {
    gpunetio_store_16(ptr, val[0], val[1]);
}
/** The slot of WQE wqe_idx; only the index's low bits count. */
GPUNETIO_API struct doca_gpu_dev_verbs_wqe *doca_gpu_dev_verbs_get_wqe_ptr(struct doca_gpu_dev_verbs_qp *qp,
                                                                           uint16_t wqe_idx) {
    uint32_t slot = wqe_idx & qp->sq_wqe_mask;
    return (struct doca_gpu_dev_verbs_wqe *)(qp->sq_wqe_daddr + ((size_t)slot << DOCA_GPUNETIO_IB_MLX5_WQE_SQ_SHIFT));
}

/* Two dwords, in memory order, as the 8-byte word that a store needs. */
GPUNETIO_DEVICE uint64_t gpunetio_dwords(uint32_t first, uint32_t second) {
    return ((uint64_t)second << 32) | first;
}
/* Segment number at of a slot. */
GPUNETIO_DEVICE void gpunetio_store_segment(struct doca_gpu_dev_verbs_wqe *wqe, int at, uint64_t lo, uint64_t hi) {
    gpunetio_store_16((uint64_t *)wqe + 2 * at, lo, hi);
}
/* qpn_ds is big-endian; the WQE index in the segment has 16 bits, whatever the caller counts with. */
GPUNETIO_DEVICE void gpunetio_store_ctrl(struct doca_gpu_dev_verbs_wqe *wqe, uint16_t wqe_idx, uint32_t opcode,
                                         uint32_t qpn_ds, uint32_t ctrl_flags, uint32_t immediate) {
    uint32_t head = gpunetio_bswap32(((uint32_t)wqe_idx << DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT) | opcode);
    gpunetio_store_segment(wqe, 0, gpunetio_dwords(head, qpn_ds),
                           gpunetio_dwords(gpunetio_bswap32(ctrl_flags & 0xff), immediate));
}
GPUNETIO_DEVICE void gpunetio_store_raddr(struct doca_gpu_dev_verbs_wqe *wqe, uint64_t raddr, uint32_t rkey) {
    gpunetio_store_segment(wqe, 1, gpunetio_bswap64(raddr), rkey);
}
GPUNETIO_DEVICE void gpunetio_store_data(struct doca_gpu_dev_verbs_wqe *wqe, int at, uint64_t laddr, uint32_t lkey,
                                         uint32_t bytes) {
    gpunetio_store_segment(wqe, at, gpunetio_dwords(gpunetio_bswap32(bytes), lkey), gpunetio_bswap64(laddr));
}

/** NOP: completes and does nothing. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_nop(struct doca_gpu_dev_verbs_qp *qp,
                                                     struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
                                                     enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags) {
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, DOCA_GPUNETIO_IB_MLX5_OPCODE_NOP, qp->sq_num_shift8_be_1ds, ctrl_flags, 0);
}
/** RDMA WRITE (opcode says with or without immediate) of one local buffer. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_write(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
    const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0) {
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, opcode, qp->sq_num_shift8_be_3ds, ctrl_flags, immediate);
    gpunetio_store_raddr(wqe_ptr, raddr, rkey);
    gpunetio_store_data(wqe_ptr, 2, laddr0, lkey0, bytes0);
}
/** RDMA WRITE of two local buffers, one after the other at the remote address. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_write(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
    const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0,
    const uint64_t laddr1, const uint32_t lkey1, const uint32_t bytes1) {
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, opcode, qp->sq_num_shift8_be_4ds, ctrl_flags, immediate);
    gpunetio_store_raddr(wqe_ptr, raddr, rkey);
    gpunetio_store_data(wqe_ptr, 2, laddr0, lkey0, bytes0);
    gpunetio_store_data(wqe_ptr, 3, laddr1, lkey1, bytes1);
}
/** Control, address and inline header of an inline RDMA WRITE of bytes (at most 28); the data is stored apart. */
GPUNETIO_API void doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey,
    const uint32_t bytes) {
    /* Three segments hold up to 12 bytes after the 4-byte inline header. */
    uint32_t qpn_ds = bytes <= 12 ? qp->sq_num_shift8_be_3ds : qp->sq_num_shift8_be_4ds;
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE, qpn_ds, ctrl_flags, 0);
    gpunetio_store_raddr(wqe_ptr, raddr, rkey);
    gpunetio_at<GPUNETIO_SCOPE_THREAD>::store((uint32_t *)wqe_ptr + 8,
                                              gpunetio_bswap32(bytes | (uint32_t)DOCA_GPUNETIO_IB_MLX5_INLINE_SEG));
}
/** The data of an inline RDMA WRITE: sizeof(T) bytes, at most 28. */
template <typename T>
GPUNETIO_API void doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_data(struct doca_gpu_dev_verbs_qp *qp,
                                                                     struct doca_gpu_dev_verbs_wqe *wqe_ptr, T data) {
    static_assert(sizeof(T) <= DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE, "inline data is at most 28 bytes");
    (void)qp;
    uint8_t *to = wqe_ptr->inl_data + 36;
    /* The place is a multiple of 4 and no more, so wider values go in dwords. */
    if constexpr (sizeof(T) % 4 == 0) {
        for (size_t i = 0; i < sizeof(T) / 4; i++) {
            const uint8_t *b = (const uint8_t *)&data + 4 * i;
            gpunetio_at<GPUNETIO_SCOPE_THREAD>::store(
                (uint32_t *)to + i, b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
        }
    } else {
        for (size_t i = 0; i < sizeof(T); i++)
            gpunetio_at<GPUNETIO_SCOPE_THREAD>::store(to + i, ((const uint8_t *)&data)[i]);
    }
}
/** Inline RDMA WRITE of bytes (at most 28) that the kernel reads at laddr. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_write_inl(struct doca_gpu_dev_verbs_qp *qp,
                                                           struct doca_gpu_dev_verbs_wqe *wqe_ptr,
                                                           const uint16_t wqe_idx,
                                                           enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
                                                           const uint64_t raddr, const uint32_t rkey,
                                                           const uint64_t laddr, const uint32_t bytes) {
    doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header(qp, wqe_ptr, wqe_idx, ctrl_flags, raddr, rkey, bytes);
    const uint8_t *from = (const uint8_t *)laddr;
    for (uint32_t i = 0; i < bytes; i++)
        gpunetio_at<GPUNETIO_SCOPE_THREAD>::store(&wqe_ptr->inl_data[36 + i], from[i]);
}
/** RDMA READ into one local buffer. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_read(struct doca_gpu_dev_verbs_qp *qp,
                                                      struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
                                                      enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
                                                      const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0,
                                                      const uint32_t lkey0, const uint32_t bytes0) {
    doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_READ, ctrl_flags, 0,
                                         raddr, rkey, laddr0, lkey0, bytes0);
}
/** RDMA READ into two local buffers. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_read(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0,
    const uint32_t lkey0, const uint32_t bytes0, const uint64_t laddr1, const uint32_t lkey1, const uint32_t bytes1) {
    doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_READ, ctrl_flags, 0,
                                         raddr, rkey, laddr0, lkey0, bytes0, laddr1, lkey1, bytes1);
}
/** 8-byte fetch-and-add (of compare_add) or compare-and-swap (compare_add against, swap_add in); the old value goes to laddr. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_atomic(struct doca_gpu_dev_verbs_qp *qp,
                                                        struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
                                                        const uint32_t opcode,
                                                        enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
                                                        const uint64_t raddr, const uint32_t rkey, const uint64_t laddr,
                                                        const uint32_t lkey, const uint32_t bytes,
                                                        const uint64_t compare_add, const uint64_t swap_add) {
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, opcode, qp->sq_num_shift8_be_4ds, ctrl_flags, 0);
    gpunetio_store_raddr(wqe_ptr, raddr, rkey);
    uint64_t first = opcode == DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_FA ? compare_add : swap_add;
    gpunetio_store_segment(wqe_ptr, 2, gpunetio_bswap64(first), gpunetio_bswap64(compare_add));
    gpunetio_store_data(wqe_ptr, 3, laddr, lkey, bytes);
}
/**
 * Masked atomic of 4 or 8 bytes. Masked fetch-and-add uses add_data and field_boundary (stored as given); masked
 * compare-and-swap the four operands after them.
 *
 * The 8-byte compare-and-swap takes two slots, wqe_idx and the one after it: its data segment is the first of wqe_ptr1. It makes
 * one CQE, for wqe_idx. On a CQ of many entries the numbers of entries and of slots part from then on, so looks search all entries
 * by their WQE counter; that works for CQs of at most 16,384 entries. A collapsed CQ does not pay for it. BlueFlame rings such a
 * WQE by a plain doorbell. Reserve both slots before this call: it notes the WQE in the image, by its place before the next index
 * to be reserved.
 */
template <enum doca_gpu_dev_verbs_atomic_ext_bytes bytes = DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_4>
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_atomic_ext(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr0, struct doca_gpu_dev_verbs_wqe *wqe_ptr1,
    const uint16_t wqe_idx, const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t lkey, const uint64_t add_data,
    const uint64_t field_boundary, const uint64_t swap_data, const uint64_t compare_data, const uint64_t swap_mask,
    const uint64_t compare_mask) {
    const bool wide = bytes == DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8;
    const bool swap = opcode == DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_MASKED_CS;
    const uint32_t opmod = wide ? DOCA_GPUNETIO_8_BYTE_ATOMIC_EXT_OPMOD : DOCA_GPUNETIO_4_BYTE_ATOMIC_EXT_OPMOD;
    const uint32_t qpn_ds = swap && wide ? qp->sq_num_shift8_be_5ds : qp->sq_num_shift8_be_4ds;
    gpunetio_store_ctrl(wqe_ptr0, wqe_idx, opmod | opcode, qpn_ds, ctrl_flags, 0);
    gpunetio_store_raddr(wqe_ptr0, raddr, rkey);
    if (swap && wide) {
        gpunetio_store_segment(wqe_ptr0, 2, gpunetio_bswap64(swap_data), gpunetio_bswap64(compare_data));
        gpunetio_store_segment(wqe_ptr0, 3, gpunetio_bswap64(swap_mask), gpunetio_bswap64(compare_mask));
        gpunetio_store_data(wqe_ptr1, 0, laddr, lkey, bytes);
        gpunetio_note_two_slots(qp, wqe_idx);
        return;
    }
    if (swap)
        gpunetio_store_segment(
            wqe_ptr0, 2,
            gpunetio_dwords(gpunetio_bswap32((uint32_t)swap_data), gpunetio_bswap32((uint32_t)compare_data)),
            gpunetio_dwords(gpunetio_bswap32((uint32_t)swap_mask), gpunetio_bswap32((uint32_t)compare_mask)));
    else if (wide)
        gpunetio_store_segment(wqe_ptr0, 2, gpunetio_bswap64(add_data), field_boundary);
    else
        gpunetio_store_segment(wqe_ptr0, 2,
                               gpunetio_dwords(gpunetio_bswap32((uint32_t)add_data), (uint32_t)field_boundary), 0);
    gpunetio_store_data(wqe_ptr0, 3, laddr, lkey, bytes);
}
/** WAIT: the send queue stops here until CQ qpn_cqn has passed entry max_index. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_wait(struct doca_gpu_dev_verbs_qp *qp,
                                                      struct doca_gpu_dev_verbs_wqe *wqe_ptr, uint16_t wqe_idx,
                                                      enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
                                                      const uint32_t max_index, const uint32_t qpn_cqn) {
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, DOCA_GPUNETIO_IB_MLX5_OPCODE_WAIT, qp->sq_num_shift8_be_2ds, ctrl_flags, 0);
    gpunetio_store_segment(wqe_ptr, 1, 0, gpunetio_dwords(gpunetio_bswap32(max_index), gpunetio_bswap32(qpn_cqn)));
}
/** DUMP: the NIC reads a local buffer and drops it, after the WQEs before it. */
GPUNETIO_API void doca_gpu_dev_verbs_wqe_prepare_dump(struct doca_gpu_dev_verbs_qp *qp,
                                                      struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx,
                                                      enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
                                                      const uint64_t laddr, const uint32_t lkey, const uint32_t bytes) {
    gpunetio_store_ctrl(wqe_ptr, wqe_idx, DOCA_GPUNETIO_IB_MLX5_OPCODE_DUMP, qp->sq_num_shift8_be_2ds, ctrl_flags, 0);
    gpunetio_store_data(wqe_ptr, 1, laddr, lkey, bytes);
}

#endif

//! The declarations of `gpunetio_core::sys` against the public verbs headers: size and offset of every field, constants,
//! and the prototype of every function that a table holds.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fmt::Write as _;
use std::mem::{offset_of, size_of};
use std::process::Command;

use gpunetio_core::sys;

/// Rows of (C expression, value that our declaration has).
struct Rows(Vec<(String, u64)>);

macro_rules! fields {
    ($rows:ident, $ours:ty, $theirs:literal, sized; $($field:ident),*) => {
        $rows.0.push((format!("sizeof({})", $theirs), size_of::<$ours>() as u64));
        fields!($rows, $ours, $theirs; $($field),*);
    };
    ($rows:ident, $ours:ty, $theirs:literal; $($field:ident),*) => {
        $($rows.0.push((
            format!("offsetof({}, {})", $theirs, stringify!($field)),
            offset_of!($ours, $field) as u64,
        ));)*
    };
}

fn rows() -> Vec<(String, u64)> {
    let mut rows = Rows(Vec::new());
    fields!(rows, sys::ibv_device, "struct ibv_device", sized; _ops, node_type, transport_type, name, dev_name,
        dev_path, ibdev_path);
    fields!(rows, sys::ibv_context, "struct ibv_context", sized; device, ops, cmd_fd, async_fd, num_comp_vectors,
        mutex, abi_compat);
    fields!(rows, sys::ibv_pd, "struct ibv_pd", sized; context, handle);
    fields!(rows, sys::ibv_mr, "struct ibv_mr", sized; context, pd, addr, length, handle, lkey, rkey);
    fields!(rows, sys::ibv_gid, "union ibv_gid", sized; raw);
    fields!(rows, sys::ibv_global_route, "struct ibv_global_route", sized; dgid, flow_label, sgid_index, hop_limit,
        traffic_class);
    fields!(rows, sys::ibv_ah_attr, "struct ibv_ah_attr", sized; grh, dlid, sl, src_path_bits, static_rate, is_global,
        port_num);
    fields!(rows, sys::ibv_device_attr, "struct ibv_device_attr", sized; fw_ver, node_guid, sys_image_guid,
        max_mr_size, page_size_cap, vendor_id, vendor_part_id, hw_ver, max_qp, max_qp_wr, device_cap_flags, max_sge,
        max_sge_rd, max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom, max_res_rd_atom,
        max_qp_init_rd_atom, max_ee_init_rd_atom, atomic_cap, max_ee, max_rdd, max_mw, max_raw_ipv6_qp,
        max_raw_ethy_qp, max_mcast_grp, max_mcast_qp_attach, max_total_mcast_qp_attach, max_ah, max_fmr,
        max_map_per_fmr, max_srq, max_srq_wr, max_srq_sge, max_pkeys, local_ca_ack_delay, phys_port_cnt);
    // The header's struct is longer: ours is the part that the versioned symbol fills.
    fields!(rows, sys::ibv_port_attr_compat, "struct ibv_port_attr"; state, max_mtu, active_mtu, gid_tbl_len,
        port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr, pkey_tbl_len, lid, sm_lid, lmc, max_vl_num, sm_sl,
        subnet_timeout, init_type_reply, active_width, active_speed, phys_state, link_layer, flags);
    rows.0.push((
        "offsetof(struct ibv_port_attr, port_cap_flags2)".to_owned(),
        offset_of!(sys::ibv_port_attr_compat, flags) as u64 + 1,
    ));
    fields!(rows, sys::mlx5dv_devx_umem, "struct mlx5dv_devx_umem", sized; umem_id);
    fields!(rows, sys::mlx5dv_devx_umem_in, "struct mlx5dv_devx_umem_in", sized; addr, size, access, pgsz_bitmap,
        comp_mask, dmabuf_fd);
    fields!(rows, sys::mlx5dv_devx_uar, "struct mlx5dv_devx_uar", sized; reg_addr, base_addr, page_id, mmap_off,
        comp_mask);
    fields!(rows, sys::mlx5dv_devx_event_channel, "struct mlx5dv_devx_event_channel", sized; fd);
    fields!(rows, sys::mlx5dv_devx_async_event_hdr, "struct mlx5dv_devx_async_event_hdr", sized; cookie);
    fields!(rows, sys::mlx5dv_context_attr, "struct mlx5dv_context_attr", sized; flags, comp_mask);
    fields!(rows, sys::mlx5_wqe_av, "struct mlx5_wqe_av", sized; key, dqp_dct, stat_rate_sl, fl_mlid, rlid, reserved0,
        rmac, tclass, hop_limit, grh_gid_fl, rgid);
    fields!(rows, sys::mlx5dv_ah, "struct mlx5dv_ah", sized; av, comp_mask);
    fields!(rows, sys::mlx5dv_pd, "struct mlx5dv_pd", sized; pdn, comp_mask);
    fields!(rows, sys::mlx5dv_obj, "struct mlx5dv_obj", sized; qp, cq, srq, rwq, dm, ah, pd);
    rows.0.push((
        "offsetof(struct mlx5dv_obj, ah.out)".to_owned(),
        (offset_of!(sys::mlx5dv_obj, ah)
            + offset_of!(sys::mlx5dv_obj_pair<sys::ibv_ah, sys::mlx5dv_ah>, output)) as u64,
    ));
    let constants = [
        ("IBV_PORT_ACTIVE", sys::IBV_PORT_ACTIVE as u64),
        ("IBV_LINK_LAYER_ETHERNET", sys::IBV_LINK_LAYER_ETHERNET.into()),
        ("IBV_LINK_LAYER_INFINIBAND", sys::IBV_LINK_LAYER_INFINIBAND.into()),
        ("IBV_ACCESS_LOCAL_WRITE", sys::IBV_ACCESS_LOCAL_WRITE as u64),
        ("IBV_ACCESS_REMOTE_WRITE", sys::IBV_ACCESS_REMOTE_WRITE as u64),
        ("IBV_ACCESS_REMOTE_READ", sys::IBV_ACCESS_REMOTE_READ as u64),
        ("IBV_ACCESS_REMOTE_ATOMIC", sys::IBV_ACCESS_REMOTE_ATOMIC as u64),
        ("IBV_ACCESS_RELAXED_ORDERING", sys::IBV_ACCESS_RELAXED_ORDERING as u64),
        ("MLX5DV_UMEM_MASK_DMABUF", sys::MLX5DV_UMEM_MASK_DMABUF),
        ("MLX5DV_CONTEXT_FLAGS_DEVX", sys::MLX5DV_CONTEXT_FLAGS_DEVX.into()),
        ("MLX5DV_OBJ_AH", sys::MLX5DV_OBJ_AH),
        ("MLX5DV_OBJ_PD", sys::MLX5DV_OBJ_PD),
        ("MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF", sys::MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF.into()),
        ("MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC", sys::MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC.into()),
    ];
    rows.0.extend(constants.map(|(name, value)| (name.to_owned(), value)));
    rows.0
}

/// Prototypes as the tables have them; the compiler refuses one that the header does not agree with.
const PROTOTYPES: &str = r#"
struct ibv_device **(*p0)(int *) = ibv_get_device_list;
void (*p1)(struct ibv_device **) = ibv_free_device_list;
const char *(*p2)(struct ibv_device *) = ibv_get_device_name;
struct ibv_context *(*p3)(struct ibv_device *) = ibv_open_device;
int (*p4)(struct ibv_context *) = ibv_close_device;
struct ibv_pd *(*p5)(struct ibv_context *) = ibv_alloc_pd;
int (*p6)(struct ibv_pd *) = ibv_dealloc_pd;
struct ibv_mr *(*p7)(struct ibv_pd *, void *, size_t, int) = (ibv_reg_mr);
struct ibv_mr *(*p8)(struct ibv_pd *, void *, size_t, uint64_t, unsigned) = ibv_reg_mr_iova2;
struct ibv_mr *(*p9)(struct ibv_pd *, uint64_t, size_t, uint64_t, int, int) = ibv_reg_dmabuf_mr;
int (*p10)(struct ibv_mr *) = ibv_dereg_mr;
int (*p11)(struct ibv_context *, struct ibv_device_attr *) = ibv_query_device;
int (*p12)(struct ibv_context *, uint8_t, struct _compat_ibv_port_attr *) = (ibv_query_port);
int (*p13)(struct ibv_context *, uint8_t, int, union ibv_gid *) = ibv_query_gid;
struct ibv_ah *(*p14)(struct ibv_pd *, struct ibv_ah_attr *) = ibv_create_ah;
int (*p15)(struct ibv_ah *) = ibv_destroy_ah;
bool (*q0)(struct ibv_device *) = mlx5dv_is_supported;
struct ibv_context *(*q1)(struct ibv_device *, struct mlx5dv_context_attr *) = mlx5dv_open_device;
int (*q2)(struct mlx5dv_obj *, uint64_t) = mlx5dv_init_obj;
struct mlx5dv_devx_obj *(*q3)(struct ibv_context *, const void *, size_t, void *, size_t) = mlx5dv_devx_obj_create;
int (*q4)(struct mlx5dv_devx_obj *, const void *, size_t, void *, size_t) = mlx5dv_devx_obj_query;
int (*q5)(struct mlx5dv_devx_obj *, const void *, size_t, void *, size_t) = mlx5dv_devx_obj_modify;
int (*q6)(struct mlx5dv_devx_obj *) = mlx5dv_devx_obj_destroy;
int (*q7)(struct ibv_context *, const void *, size_t, void *, size_t) = mlx5dv_devx_general_cmd;
int (*q8)(struct ibv_context *, uint32_t, uint32_t *) = mlx5dv_devx_query_eqn;
struct mlx5dv_devx_umem *(*q9)(struct ibv_context *, void *, size_t, uint32_t) = mlx5dv_devx_umem_reg;
struct mlx5dv_devx_umem *(*q10)(struct ibv_context *, struct mlx5dv_devx_umem_in *) = mlx5dv_devx_umem_reg_ex;
int (*q11)(struct mlx5dv_devx_umem *) = mlx5dv_devx_umem_dereg;
struct mlx5dv_devx_uar *(*q12)(struct ibv_context *, uint32_t) = mlx5dv_devx_alloc_uar;
void (*q13)(struct mlx5dv_devx_uar *) = mlx5dv_devx_free_uar;
void (*q15)(struct mlx5dv_devx_event_channel *) = mlx5dv_devx_destroy_event_channel;
int (*q16)(struct mlx5dv_devx_event_channel *, struct mlx5dv_devx_obj *, uint16_t, uint16_t *, uint64_t) =
    mlx5dv_devx_subscribe_devx_event;
ssize_t (*q17)(struct mlx5dv_devx_event_channel *, struct mlx5dv_devx_async_event_hdr *, size_t) = mlx5dv_devx_get_event;
"#;

fn compile(dir: &std::path::Path, source: &str) -> Result<std::path::PathBuf, String> {
    let (c, exe) = (dir.join("probe.c"), dir.join("probe"));
    std::fs::write(&c, source).unwrap();
    let out = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-Werror=incompatible-pointer-types"])
        .args(["-Wl,--unresolved-symbols=ignore-all", "-no-pie"])
        .arg(&c)
        .arg("-o")
        .arg(&exe)
        .output()
        .map_err(|error| format!("cc cannot be run: {error}"))?;
    match out.status.success() {
        true => Ok(exe),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

#[test]
fn declarations_agree_with_the_public_headers() {
    let dir = std::env::temp_dir().join(format!("gpunetio-abi-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let includes = "#include <infiniband/verbs.h>\n#include <infiniband/mlx5dv.h>\n";
    if let Err(reason) = compile(&dir, &format!("{includes}int main(void) {{ return 0; }}\n")) {
        eprintln!(
            "SKIPPED: the verbs headers are needed (apt-get install libibverbs-dev gcc): {reason}"
        );
        return;
    }
    let compile_only = format!("{includes}#include <stdbool.h>\n{PROTOTYPES}");
    std::fs::write(dir.join("prototypes.c"), compile_only).unwrap();
    let out = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-Werror=incompatible-pointer-types", "-fsyntax-only"])
        .arg(dir.join("prototypes.c"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));

    let rows = rows();
    let mut source =
        format!("{includes}#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n");
    for (expression, _) in &rows {
        writeln!(source, "printf(\"%llu\\n\", (unsigned long long)({expression}));").unwrap();
    }
    source.push_str("return 0; }\n");
    let exe = compile(&dir, &source).unwrap();
    let out = Command::new(exe).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let theirs: Vec<u64> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(theirs.len(), rows.len());
    let wrong: Vec<_> = rows
        .iter()
        .zip(&theirs)
        .filter(|((_, ours), theirs)| ours != *theirs)
        .map(|((expression, ours), theirs)| format!("{expression}: ours {ours}, theirs {theirs}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    std::fs::remove_dir_all(&dir).unwrap();
}

//! Address handles and the direct-verbs view of objects.

use core::ffi::c_int;

use gpunetio_core::sys::{
    MLX5DV_OBJ_AH, MLX5DV_OBJ_PD, ibv_ah, ibv_ah_attr, ibv_context, ibv_pd, mlx5_wqe_av, mlx5dv_obj,
};
use gpunetio_prm::id::{Gid, Mac};

use super::null;
use super::registry::{Object, Registry};
use crate::command::resource;
use crate::device::Fabric;
use crate::port::{GID_TABLE_SIZE, PORT_NUMBER, UDP_SOURCE_PORTS};
use crate::syndrome;

/// An address handle: what C sees of it, then the address vector that `init_obj` shows.
#[repr(C)]
struct AddressHandle {
    context: *mut ibv_context,
    pd: *mut ibv_pd,
    handle: u32,
    av: mlx5_wqe_av,
}

/// Bit of `grh_gid_fl` that says that there is a global route.
const GRH: u32 = 1 << 30;
/// Bits of a flow label.
const FLOW_LABEL: u32 = 0xf_ffff;
/// Hop limit where the client leaves it 0, as Linux has it for RoCE.
const DEFAULT_HOP_LIMIT: u8 = 64;

pub(super) unsafe extern "C" fn create_ah(pd: *mut ibv_pd, attr: *mut ibv_ah_attr) -> *mut ibv_ah {
    if attr.is_null() {
        return null(libc::EINVAL);
    }
    // SAFETY: not NULL, and a valid attribute by the contract of ibv_create_ah.
    let attr = unsafe { attr.read() };
    let dgid = Gid(attr.grh.dgid.raw);
    let valid = attr.is_global != 0
        && attr.port_num == PORT_NUMBER
        && usize::from(attr.grh.sgid_index) < GID_TABLE_SIZE
        && attr.grh.flow_label <= FLOW_LABEL
        && dgid != Gid::default();
    if !valid {
        log::debug!(
            "softnic: create_ah refused: on this port a handle needs is_global 1, port_num 1, a gid; got {attr:?}"
        );
        return null(libc::EINVAL);
    }
    let ah = Registry::locked(|registry| {
        let handle = registry.find(pd)?;
        let (Object::Pd(pdn), index) = (handle.object, handle.device) else {
            return Err(libc::EINVAL);
        };
        let mac = registry.request(index, "create_ah", move |fabric| {
            if fabric.devices[index].port.gid(attr.grh.sgid_index.into()).is_none() {
                return Err(syndrome::SOURCE_GID.because("sgid_index", attr.grh.sgid_index));
            }
            resource::use_pd(&mut fabric.devices[index], pdn)?;
            Ok(resolve_mac(fabric, index, dgid))
        })?;
        let context = handle.context as *mut ibv_context;
        let av = address_vector(&attr, mac);
        let value = AddressHandle { context, pd, handle: 0, av };
        Ok(registry.add(context, index, Object::Ah(pdn), value).cast::<ibv_ah>())
    });
    ah.unwrap_or_else(null)
}

/// The MAC of the peer: that of the device that owns the GID, else the one inside a link-local GID, else one made from the
/// GID, since a peer outside is reached by its GID alone.
fn resolve_mac(fabric: &Fabric, index: usize, dgid: Gid) -> Mac {
    if let Some(peer) = fabric.find_peer(index, dgid) {
        return fabric.devices[peer].port.mac;
    }
    let g = dgid.0;
    if g[..2] == [0xfe, 0x80] && g[11..13] == [0xff, 0xfe] {
        return Mac([g[8] ^ 2, g[9], g[10], g[13], g[14], g[15]]);
    }
    Mac([0x02, 0x00, g[12], g[13], g[14], g[15]])
}

fn address_vector(attr: &ibv_ah_attr, mac: Mac) -> mlx5_wqe_av {
    let route = attr.grh;
    let sport = udp_source_port(route.flow_label);
    mlx5_wqe_av {
        // On Ethernet the priority lies where the SL is, a bit higher.
        stat_rate_sl: attr.static_rate << 4 | (attr.sl & 7) << 1,
        rlid: sport.to_be(),
        rmac: mac.0,
        tclass: route.traffic_class,
        hop_limit: if route.hop_limit == 0 { DEFAULT_HOP_LIMIT } else { route.hop_limit },
        grh_gid_fl: (GRH | u32::from(route.sgid_index) << 20 | route.flow_label).to_be(),
        rgid: route.dgid.raw,
        ..Default::default()
    }
}

/// A source port out of the device's range that spreads flows as their labels do (IBTA annex A17 leaves the choice free).
fn udp_source_port(flow_label: u32) -> u16 {
    let span = u32::from(UDP_SOURCE_PORTS.end() - UDP_SOURCE_PORTS.start());
    UDP_SOURCE_PORTS.start() | ((flow_label ^ flow_label >> 14) & span) as u16
}

pub(super) unsafe extern "C" fn destroy_ah(ah: *mut ibv_ah) -> c_int {
    let destroyed = Registry::locked(|registry| {
        registry.destroy(ah, "destroy_ah", |object| matches!(object, Object::Ah(_)))
    });
    destroyed.err().unwrap_or(0)
}

/// Shows PDs and address handles. Other kinds are not made by verbs here, and get EOPNOTSUPP.
pub(super) unsafe extern "C" fn init_obj(obj: *mut mlx5dv_obj, obj_type: u64) -> c_int {
    if obj.is_null() || obj_type == 0 {
        return libc::EINVAL;
    }
    if obj_type & !(MLX5DV_OBJ_PD | MLX5DV_OBJ_AH) != 0 {
        log::debug!("softnic: init_obj: kinds {obj_type:#x} are not supported");
        return libc::EOPNOTSUPP;
    }
    // SAFETY: not NULL, and valid by the contract of mlx5dv_init_obj.
    let (pd, ah) = unsafe { ((&raw const (*obj).pd).read(), (&raw const (*obj).ah).read()) };
    let shown = Registry::locked(|registry| {
        if obj_type & MLX5DV_OBJ_PD != 0 {
            let (Object::Pd(pdn), false) = (registry.find(pd.input)?.object, pd.output.is_null())
            else {
                return Err(libc::EINVAL);
            };
            // SAFETY: not NULL, and a valid output by the same contract.
            unsafe {
                (*pd.output).pdn = pdn.0;
                (*pd.output).comp_mask = 0;
            }
        }
        if obj_type & MLX5DV_OBJ_AH != 0 {
            let (Object::Ah(_), false) = (registry.find(ah.input)?.object, ah.output.is_null())
            else {
                return Err(libc::EINVAL);
            };
            // SAFETY: the handle is live, so its memory is an `AddressHandle`; the output is valid by the same contract.
            unsafe {
                (*ah.output).av = &raw mut (*ah.input.cast::<AddressHandle>()).av;
                (*ah.output).comp_mask = 0;
            }
        }
        Ok(())
    });
    shown.err().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flow_label_gives_a_port_of_the_range() {
        for label in [0, 1, 0x3fff, 0x4000, FLOW_LABEL] {
            assert!(UDP_SOURCE_PORTS.contains(&udp_source_port(label)));
        }
        assert_ne!(udp_source_port(1), udp_source_port(2));
    }
}

//! Bit layouts of commands and contexts.
//!
//! Offset 0 is the most significant bit of the first big-endian dword. A layout is a table with explicit offset and width
//! of every field; order, overlap and bounds are checked when this crate is compiled. [`View`] reads and writes fields of
//! a byte buffer through such a table, and a field of one layout cannot be used on a view of another.
//!
//! ```
//! use gpunetio_prm::layout::{View, qp::{CreateQpIn, create_qp_in, qpc}};
//! let mut cmd = View::<CreateQpIn, Vec<u8>>::zeroed();
//! cmd.sub_mut(create_qp_in::QPC).set(qpc::LOG_SQ_SIZE, 7u32)?;
//! assert_eq!(cmd.sub(create_qp_in::QPC).get(qpc::LOG_SQ_SIZE), 7);
//! # Ok::<(), gpunetio_prm::layout::ValueTooWide>(())
//! ```

use core::marker::PhantomData;

pub mod capability;
pub mod cq;
pub mod qp;
pub mod resource;
pub mod rmp;
pub mod roce;

/// One field of a layout, without its type: what tests, decoders and the compile-time checks read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldInfo {
    /// The vendor's name of the field.
    pub name: &'static str,
    /// Offset of the field's most significant bit.
    pub bit_offset: u32,
    /// Width in bits.
    pub bit_width: u32,
}

/// A command or context layout.
pub trait Layout {
    /// The vendor's name of the layout.
    const NAME: &'static str;
    /// Size in bits; a multiple of 32.
    const BITS: u32;
    /// Size in bytes.
    const BYTES: usize = (Self::BITS / 8) as usize;
    /// Every declared field, by ascending offset.
    const FIELDS: &'static [FieldInfo];
    /// Those of the fields that have a layout of their own, by ascending offset.
    const NESTED: &'static [NestedInfo] = &[];
}

/// A field with a layout of its own, without its type.
#[derive(Debug, Clone, Copy)]
pub struct NestedInfo {
    /// Offset of the field, a multiple of 8.
    pub bit_offset: u32,
    /// Width in bits.
    pub bit_width: u32,
    /// [`Layout::FIELDS`] of its layout; their offsets count from [`Self::bit_offset`].
    pub fields: &'static [FieldInfo],
    /// [`Layout::NESTED`] of its layout.
    pub nested: &'static [NestedInfo],
}

impl NestedInfo {
    /// The layout `N` at `bit_offset`. Layout tables use this; nothing else should.
    pub const fn of<N: Layout>(bit_offset: u32) -> Self {
        Self { bit_offset, bit_width: N::BITS, fields: N::FIELDS, nested: N::NESTED }
    }
}

/// True if one of `fields` or, where one of them is nested, one of its own holds `bit`.
fn declares(fields: &[FieldInfo], nested: &[NestedInfo], bit: u32) -> bool {
    let inside = |offset: u32, width: u32| bit >= offset && bit - offset < width;
    if let Some(inner) = nested.iter().find(|inner| inside(inner.bit_offset, inner.bit_width)) {
        return declares(inner.fields, inner.nested, bit - inner.bit_offset);
    }
    let after = fields.partition_point(|field| field.bit_offset <= bit);
    fields[..after].last().is_some_and(|field| inside(field.bit_offset, field.bit_width))
}

/// A field of layout `L`.
pub struct Field<L> {
    info: FieldInfo,
    layout: PhantomData<fn() -> L>,
}

impl<L> Clone for Field<L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<L> Copy for Field<L> {}

impl<L> Field<L> {
    /// Declares a field. Layout tables use this; nothing else should.
    pub const fn new(name: &'static str, bit_offset: u32, bit_width: u32) -> Self {
        Self { info: FieldInfo { name, bit_offset, bit_width }, layout: PhantomData }
    }

    /// Name, offset and width.
    pub const fn info(&self) -> FieldInfo {
        self.info
    }
}

/// A field of layout `L` that is itself laid out as `N`.
pub struct Nested<L, N> {
    info: FieldInfo,
    layout: PhantomData<fn() -> (L, N)>,
}

impl<L, N> Clone for Nested<L, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<L, N> Copy for Nested<L, N> {}

impl<L, N: Layout> Nested<L, N> {
    /// Declares a nested layout. Layout tables use this; nothing else should.
    pub const fn new(name: &'static str, bit_offset: u32, bit_width: u32) -> Self {
        assert!(bit_width == N::BITS, "a nested layout must fill its field");
        assert!(bit_offset.is_multiple_of(8), "a nested layout starts on a byte");
        Self { info: FieldInfo { name, bit_offset, bit_width }, layout: PhantomData }
    }

    const fn start(&self) -> usize {
        (self.info.bit_offset / 8) as usize
    }
}

/// A buffer is shorter than the layout that it should hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncated {
    /// Name of the layout.
    pub layout: &'static str,
    /// Bytes that the layout needs.
    pub need: usize,
    /// Bytes that the buffer has.
    pub have: usize,
}

impl core::fmt::Display for Truncated {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} needs {} bytes, the buffer has {}", self.layout, self.need, self.have)
    }
}
impl core::error::Error for Truncated {}

/// A value does not fit in its field. Nothing is written, so that no value is masked in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueTooWide {
    /// Name of the layout.
    pub layout: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// The value given.
    pub value: u64,
    /// Width of the field in bits.
    pub bit_width: u32,
}

impl core::fmt::Display for ValueTooWide {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { layout, field, value, bit_width } = self;
        write!(f, "{layout}.{field} holds {bit_width} bits, {value:#x} does not fit")
    }
}
impl core::error::Error for ValueTooWide {}

/// A byte buffer read and written as layout `L`. The buffer may be longer than the layout.
#[derive(Debug, Clone)]
pub struct View<L, B> {
    bytes: B,
    layout: PhantomData<fn() -> L>,
}

impl<L: Layout> View<L, Vec<u8>> {
    /// An all-zero buffer of the layout's size.
    pub fn zeroed() -> Self {
        Self { bytes: vec![0; L::BYTES], layout: PhantomData }
    }

    /// The buffer.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<L: Layout, B: AsRef<[u8]>> View<L, B> {
    /// Views `bytes` as `L`; [`Truncated`] if they are fewer than [`Layout::BYTES`].
    pub fn new(bytes: B) -> Result<Self, Truncated> {
        let have = bytes.as_ref().len();
        if have < L::BYTES {
            return Err(Truncated { layout: L::NAME, need: L::BYTES, have });
        }
        Ok(Self { bytes, layout: PhantomData })
    }

    /// The whole buffer.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Value of a field of up to 64 bits; the low 64 bits of a wider one (use [`View::octets`] for those).
    pub fn get(&self, field: Field<L>) -> u64 {
        read_bits(self.bytes.as_ref(), field.info)
    }

    /// True if a field is not zero.
    pub fn is_set(&self, field: Field<L>) -> bool {
        self.get(field) != 0
    }

    /// The bytes of a field that starts and ends on a byte, such as a GID.
    pub fn octets(&self, field: Field<L>) -> &[u8] {
        &self.bytes.as_ref()[octet_range(field.info)]
    }

    /// Offset of the first set bit that no field declares, neither the layout's own nor those of nested layouts: a reserved
    /// bit, or one that the table leaves out. Bytes after the layout are not looked at.
    pub fn undeclared_bit(&self) -> Option<u32> {
        let bytes = self.bytes.as_ref()[..L::BYTES].iter().zip((0u32..).step_by(8));
        bytes
            .filter(|(byte, _)| **byte != 0)
            .flat_map(|(byte, at)| {
                (0..8).filter(move |bit| byte << bit & 0x80 != 0).map(move |bit| at + bit)
            })
            .find(|bit| !declares(L::FIELDS, L::NESTED, *bit))
    }

    /// A nested layout.
    pub fn sub<N: Layout>(&self, nested: Nested<L, N>) -> View<N, &[u8]> {
        let start = nested.start();
        View { bytes: &self.bytes.as_ref()[start..start + N::BYTES], layout: PhantomData }
    }

    /// A field read as layout `N`, for unions such as a capability page.
    pub fn region<N: Layout>(&self, field: Field<L>) -> Result<View<N, &[u8]>, Truncated> {
        View::new(self.octets(field))
    }
}

impl<L: Layout, B: AsRef<[u8]> + AsMut<[u8]>> View<L, B> {
    /// The whole buffer.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.as_mut()
    }

    /// Writes a field; [`ValueTooWide`] if the value has more bits than the field.
    pub fn set(&mut self, field: Field<L>, value: impl Into<u64>) -> Result<(), ValueTooWide> {
        let (info, value) = (field.info, value.into());
        if info.bit_width < 64 && value >> info.bit_width != 0 {
            let (layout, field, bit_width) = (L::NAME, info.name, info.bit_width);
            return Err(ValueTooWide { layout, field, value, bit_width });
        }
        write_bits(self.bytes.as_mut(), info, value);
        Ok(())
    }

    /// The bytes of a field that starts and ends on a byte, for writing.
    pub fn octets_mut(&mut self, field: Field<L>) -> &mut [u8] {
        &mut self.bytes.as_mut()[octet_range(field.info)]
    }

    /// A nested layout, for writing.
    pub fn sub_mut<N: Layout>(&mut self, nested: Nested<L, N>) -> View<N, &mut [u8]> {
        let start = nested.start();
        View { bytes: &mut self.bytes.as_mut()[start..start + N::BYTES], layout: PhantomData }
    }

    /// A field written as layout `N`, for unions such as a capability page.
    pub fn region_mut<N: Layout>(
        &mut self,
        field: Field<L>,
    ) -> Result<View<N, &mut [u8]>, Truncated> {
        View::new(self.octets_mut(field))
    }
}

/// Value of the field `info` in `bytes`, most significant bit first.
///
/// Decoders that walk [`Layout::FIELDS`] use this; code that knows its layout uses [`View::get`].
pub fn read_bits(bytes: &[u8], info: FieldInfo) -> u64 {
    let end = info.bit_offset + info.bit_width;
    let first = (info.bit_offset / 8) as usize;
    let last = end.div_ceil(8) as usize;
    // Up to 64 bits on any bit offset span nine bytes.
    let mut acc: u128 = 0;
    for &byte in &bytes[first.max(last.saturating_sub(9))..last] {
        acc = acc << 8 | u128::from(byte);
    }
    acc >>= (8 - end % 8) % 8;
    let mask = if info.bit_width >= 64 { u64::MAX } else { (1 << info.bit_width) - 1 };
    (acc as u64) & mask
}

fn write_bits(bytes: &mut [u8], info: FieldInfo, value: u64) {
    let end = info.bit_offset + info.bit_width;
    for i in 0..info.bit_width {
        let bit = end - 1 - i;
        let mask = 0x80 >> (bit % 8);
        let set = i < 64 && value >> i & 1 == 1;
        let byte = &mut bytes[(bit / 8) as usize];
        *byte = if set { *byte | mask } else { *byte & !mask };
    }
}

fn octet_range(info: FieldInfo) -> core::ops::Range<usize> {
    assert!(
        info.bit_offset.is_multiple_of(8) && info.bit_width.is_multiple_of(8),
        "{} is not whole bytes",
        info.name
    );
    (info.bit_offset / 8) as usize..((info.bit_offset + info.bit_width) / 8) as usize
}

/// Fails the build when a table is out of order, overlaps itself or leaves its layout.
pub(crate) const fn check_table(bits: u32, fields: &[FieldInfo]) {
    assert!(bits.is_multiple_of(32), "a layout is whole dwords");
    let mut i = 0;
    let mut end = 0;
    while i < fields.len() {
        let field = fields[i];
        assert!(field.bit_width > 0, "a field has a width");
        assert!(field.bit_offset >= end, "fields are in order and do not overlap");
        end = field.bit_offset + field.bit_width;
        assert!(end <= bits, "a field lies inside its layout");
        i += 1;
    }
}

/// Declares a layout: a module of fields, a marker type and its [`Layout`] table.
macro_rules! layout {
    (
        $(#[$doc:meta])*
        $module:ident, $layout:ident, $bits:literal;
        $($field:ident = $name:literal, $offset:literal, $width:literal $(=> $nested:path)?;)*
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $layout {}

        impl crate::layout::Layout for $layout {
            const NAME: &'static str = stringify!($module);
            const BITS: u32 = $bits;
            const FIELDS: &'static [crate::layout::FieldInfo] = &[
                $(crate::layout::FieldInfo { name: $name, bit_offset: $offset, bit_width: $width }),*
            ];
            const NESTED: &'static [crate::layout::NestedInfo] =
                &[$($(crate::layout::NestedInfo::of::<$nested>($offset),)?)*];
        }
        const _: () = crate::layout::check_table($bits, <$layout as crate::layout::Layout>::FIELDS);

        $(#[$doc])*
        #[allow(missing_docs, reason = "each constant is the PRM field of that name")]
        pub mod $module {
            #[allow(unused_imports, reason = "nested layouts are named relative to the table's file")]
            use super::*;
            $(crate::layout::layout_field!($layout, $field, $name, $offset, $width $(, $nested)?);)*
        }
    };
}

macro_rules! layout_field {
    ($layout:ident, $field:ident, $name:literal, $offset:literal, $width:literal) => {
        pub const $field: crate::layout::Field<$layout> =
            crate::layout::Field::new($name, $offset, $width);
    };
    ($layout:ident, $field:ident, $name:literal, $offset:literal, $width:literal, $nested:path) => {
        pub const $field: crate::layout::Nested<$layout, $nested> =
            crate::layout::Nested::new($name, $offset, $width);
    };
}
pub(crate) use {layout, layout_field};

/// Every layout declared in this crate: name, size in bits, fields. For decoders and the test against recorded facts.
pub const ALL: &[(&str, u32, &[FieldInfo])] = &[
    entry::<capability::QueryHcaCapIn>(),
    entry::<capability::QueryHcaCapOut>(),
    entry::<capability::CmdHcaCap>(),
    entry::<capability::CmdHcaCap2>(),
    entry::<capability::RoceCap>(),
    entry::<capability::AtomicCaps>(),
    entry::<capability::OdpCap>(),
    entry::<capability::OdpPerTransportServiceCap>(),
    entry::<qp::Qpc>(),
    entry::<qp::Ads>(),
    entry::<qp::QpcExt>(),
    entry::<qp::CreateQpIn>(),
    entry::<qp::CreateQpOut>(),
    entry::<qp::DestroyQpIn>(),
    entry::<qp::Rst2initQpIn>(),
    entry::<qp::Init2initQpIn>(),
    entry::<qp::Init2rtrQpIn>(),
    entry::<qp::Rtr2rtsQpIn>(),
    entry::<qp::Rts2rtsQpIn>(),
    entry::<qp::Sqerr2rtsQpIn>(),
    entry::<qp::Qp2errIn>(),
    entry::<qp::Qp2rstIn>(),
    entry::<qp::QueryQpIn>(),
    entry::<qp::QueryQpOut>(),
    entry::<cq::Cqc>(),
    entry::<cq::CreateCqIn>(),
    entry::<cq::CreateCqOut>(),
    entry::<cq::DestroyCqIn>(),
    entry::<cq::QueryCqIn>(),
    entry::<cq::QueryCqOut>(),
    entry::<rmp::Wq>(),
    entry::<rmp::Rmpc>(),
    entry::<rmp::RmpBitmask>(),
    entry::<rmp::CreateRmpIn>(),
    entry::<rmp::CreateRmpOut>(),
    entry::<rmp::ModifyRmpIn>(),
    entry::<roce::QueryRoceAddressIn>(),
    entry::<roce::QueryRoceAddressOut>(),
    entry::<roce::RoceAddrLayout>(),
    entry::<resource::AllocPdIn>(),
    entry::<resource::AllocPdOut>(),
    entry::<resource::AllocUarIn>(),
    entry::<resource::AllocUarOut>(),
    entry::<resource::GeneralObjInCmdHdr>(),
    entry::<resource::GeneralObjOutCmdHdr>(),
];

const fn entry<L: Layout>() -> (&'static str, u32, &'static [FieldInfo]) {
    (L::NAME, L::BITS, L::FIELDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{cq::*, qp::*};

    #[test]
    fn a_value_that_does_not_fit_is_refused_and_nothing_is_written() {
        let mut view = View::<Cqc, Vec<u8>>::zeroed();
        let err = view.set(cqc::LOG_CQ_SIZE, 32u32).unwrap_err();
        assert_eq!(err.to_string(), "cqc.log_cq_size holds 5 bits, 0x20 does not fit");
        assert!(view.as_bytes().iter().all(|b| *b == 0));
    }

    #[test]
    fn writing_a_field_leaves_every_other_bit_alone() {
        for background in [0x00u8, 0xa5, 0xff] {
            for field in Qpc::FIELDS.iter().filter(|f| f.bit_width <= 64) {
                let mut bytes = vec![background; Qpc::BYTES];
                let max = if field.bit_width == 64 { u64::MAX } else { (1 << field.bit_width) - 1 };
                for value in [0, 1, max] {
                    write_bits(&mut bytes, *field, value);
                    assert_eq!(read_bits(&bytes, *field), value, "{}", field.name);
                }
                let restored = read_bits(&vec![background; Qpc::BYTES], *field);
                write_bits(&mut bytes, *field, restored);
                assert!(bytes.iter().all(|b| *b == background), "{}", field.name);
            }
        }
    }

    #[test]
    fn a_short_buffer_is_refused_with_both_sizes() {
        let err = View::<CreateCqIn, _>::new([0u8; 16]).unwrap_err();
        assert_eq!(err.to_string(), "create_cq_in needs 272 bytes, the buffer has 16");
    }

    #[test]
    fn bits_that_no_field_declares_are_found_in_nested_layouts_too() {
        let mut view = View::<CreateQpIn, Vec<u8>>::zeroed();
        assert_eq!(view.undeclared_bit(), None);
        // Each bit alone, against what the views of the nested layouts say of it.
        let inside = |bit: u32, info: FieldInfo| {
            (info.bit_offset..info.bit_offset + info.bit_width).contains(&bit)
        };
        let mut undeclared = 0;
        for bit in 0..CreateQpIn::BITS {
            view.as_bytes_mut()[bit as usize / 8] = 0x80 >> (bit % 8);
            let context = view.sub(create_qp_in::QPC);
            let qpc_start = create_qp_in::QPC.info.bit_offset;
            let expected = if !inside(bit, create_qp_in::QPC.info) {
                !CreateQpIn::FIELDS.iter().any(|field| inside(bit, *field))
            } else {
                let paths = [qpc::PRIMARY_ADDRESS_PATH, qpc::SECONDARY_ADDRESS_PATH];
                match paths.iter().find(|path| inside(bit - qpc_start, path.info)) {
                    Some(path) => {
                        let at = bit - qpc_start - path.info.bit_offset;
                        !Ads::FIELDS.iter().any(|field| inside(at, *field))
                    }
                    None => !Qpc::FIELDS.iter().any(|field| inside(bit - qpc_start, *field)),
                }
            };
            assert_eq!(view.undeclared_bit(), expected.then_some(bit));
            if inside(bit, create_qp_in::QPC.info) {
                assert_eq!(context.undeclared_bit(), expected.then(|| bit - qpc_start));
            }
            undeclared += u32::from(expected);
            view.as_bytes_mut()[bit as usize / 8] = 0;
        }
        assert!(undeclared > 200, "{undeclared}");
        // Of several, the first.
        let mut bytes = vec![0xff; CreateQpIn::BYTES + 1];
        assert_eq!(View::<CreateQpIn, _>::new(&bytes).unwrap().undeclared_bit(), Some(0x20));
        bytes.fill(0);
        bytes[CreateQpIn::BYTES] = 1;
        assert_eq!(View::<CreateQpIn, _>::new(&bytes).unwrap().undeclared_bit(), None);
    }

    #[test]
    fn every_nested_layout_is_in_the_table_under_its_field() {
        let mut nested = 0;
        for table in [CreateCqIn::NESTED, CreateQpIn::NESTED, Qpc::NESTED, Init2initQpIn::NESTED] {
            assert!(table.windows(2).all(|pair| pair[0].bit_offset < pair[1].bit_offset));
            nested += table.len();
        }
        assert_eq!(nested, 1 + 1 + 2 + 2);
    }

    #[test]
    fn wide_fields_are_read_as_octets() {
        let mut view = View::<Ads, Vec<u8>>::zeroed();
        let gid: Vec<u8> = (0..16).collect();
        view.octets_mut(ads::RGID_RIP).copy_from_slice(&gid);
        assert_eq!(view.octets(ads::RGID_RIP), gid);
        assert_eq!(&view.as_bytes()[16..32], gid);
    }
}

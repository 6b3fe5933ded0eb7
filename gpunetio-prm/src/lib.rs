//! The mlx5 hardware interface as data.
//!
//! Everything that a driver writes and a NIC reads, or the other way round, is declared here once: command and context
//! layouts as tables of bit offsets ([`layout`]), work-queue and completion-queue entries as `repr(C)` structs with
//! big-endian fields ([`wqe`], [`cqe`]), doorbells ([`doorbell`]), opcodes and statuses ([`command`]) and the ids that tie
//! objects together ([`id`]). Driver and software NIC read the same tables. Nothing here touches hardware or memory.
//!
//! Sources: the mlx5 programmer's reference manual (PRM) by layout name; field names keep the vendor's spelling.
#![forbid(unsafe_code)]

pub mod command;
pub mod cqe;
pub mod doorbell;
pub mod id;
pub mod layout;
pub mod wqe;

mod c_header;

pub use c_header::render_c_header;

//! The mlx5 hardware interface as data: commands, contexts, WQEs, CQEs, doorbells

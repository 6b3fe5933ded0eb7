//! A software ConnectX: DEVX commands, work queues, doorbells and completions in memory

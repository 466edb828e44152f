"""The cache on disk, which processes share: files of several kinds with checksums, in folders that only this user can write to."""

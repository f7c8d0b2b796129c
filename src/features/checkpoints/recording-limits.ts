/** Limit for one file: a larger one is not recorded. */
export const RECORDED_FILE_BYTES_MAX = 16 * 1024 * 1024;
/** Limit for files and folders: a larger workspace is not scanned, and only files that a call names are recorded. */
export const WORKSPACE_ENTRIES_MAX = 200_000;

/** A larger file is not kept. */
export const FILE_BYTES_MAX = 16 * 1024 * 1024;
/** A workspace with more files and folders is not looked at: only files that a call names are kept. */
export const ENTRIES_MAX = 200_000;

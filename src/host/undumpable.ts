import { dlopen, FFIType } from "bun:ffi";

const PR_SET_DUMPABLE = 4;
/** The C library under its name in glibc, then in musl. */
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/**
 * Closes this process to others of the same user (Linux): its memory, environment and open files cannot be read
 * through /proc, it cannot be traced, and it leaves no core dump. Programs that it starts are open again.
 *
 * Takes about 0.6 ms. Tells whether it is so; elsewhere than on Linux it is not.
 */
export function makeUndumpable(): boolean {
  if (process.platform !== "linux") return false;
  for (const name of LIBRARIES) {
    try {
      const { u64, i32 } = FFIType;
      const library = dlopen(name, { prctl: { args: [i32, u64, u64, u64, u64], returns: i32 } });
      return library.symbols.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
    } catch {
      // not this library: the next one
    }
  }
  return false;
}

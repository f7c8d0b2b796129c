import type { dlopen, Library } from "bun:ffi";

/** The C library under its name in glibc, then in musl. */
const NAMES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/**
 * Returns functions of the C library (Linux); undefined if none can be called.
 *
 * The first call loads the foreign function interface, not this file.
 */
export function cFunctions<S extends Parameters<typeof dlopen>[1]>(
  symbols: S,
): Library<S>["symbols"] | undefined {
  if (process.platform !== "linux") return undefined;
  const ffi = process.getBuiltinModule("bun:ffi") as { readonly dlopen: typeof dlopen } | undefined;
  if (ffi === undefined) return undefined;
  for (const name of NAMES) {
    try {
      return ffi.dlopen(name, symbols).symbols;
    } catch {
      // not this library: the next one
    }
  }
  return undefined;
}

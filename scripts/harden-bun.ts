/**
 * Variables with which an environment could make a compiled Bun program run, print or write something before or
 * beside its own code: preloads, the plain Bun command line, the inspector, dumps of requests with their keys.
 *
 * What remains: BUN_JSC_* still sets options of the JavaScript engine, and the loader's own variables (LD_PRELOAD and
 * the like) work as for any program. So no environment that a project or a model controls may reach our processes.
 */
export const BUN_VARIABLES = [
  "BUN_OPTIONS",
  "BUN_BE_BUN",
  "BUN_INSPECT",
  "BUN_INSPECT_PRELOAD",
  "BUN_INSPECT_CONNECT_TO",
  "BUN_INSPECT_NOTIFY",
  "BUN_CONFIG_VERBOSE_FETCH",
  "BUN_BYTECODE_ORDER_OUT",
] as const;

// No shell, .env file or container setting can name a variable that begins with this.
const UNNAMEABLE = 1;

/**
 * A copy of a Bun executable that knows those variables under names nobody can set.
 *
 * Bun has no build flag for this: `--compile-exec-argv` adds to BUN_OPTIONS instead of replacing it. The copy serves
 * as the template of `bun build --compile`, which signs what it makes where the platform asks for that.
 * @throws Error when the executable does not hold one of the names: then another Bun is in use than the one this
 * was written for, and somebody has to look.
 */
export function hardenedBun(executable: Uint8Array): Uint8Array {
  const original = Buffer.from(executable);
  const hardened = Buffer.from(executable);
  for (const name of BUN_VARIABLES) {
    const first = original.indexOf(name);
    if (first < 0)
      throw new Error(`this Bun does not hold the name ${name}; look at scripts/harden-bun.ts again`);
    for (let at = first; at >= 0; at = original.indexOf(name, at + 1)) hardened[at] = UNNAMEABLE;
  }
  return hardened;
}

import type { OpenSandbox } from "./sandbox.ts";

/**
 * A sandbox that is opened when the first command is judged: a session that runs none loads nothing of it.
 *
 * A failure to open it fails every call that needs it: none runs without.
 */
export function lateSandbox(open: () => Promise<OpenSandbox>): OpenSandbox {
  let opening: Promise<OpenSandbox> | undefined;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  return {
    confinement: async (plan) => await (await opened()).confinement(plan),
    current: async (plan) => await (await opened()).current(plan),
    accept: async (paths) => await (await opening)?.accept(paths),
    async [Symbol.asyncDispose]() {
      const sandbox = await opening?.catch(() => undefined); // each call was told of it, and nothing is there to free
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

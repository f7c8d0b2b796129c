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
    confinement: async () => await (await opened()).confinement(),
    current: async () => await (await opened()).current(),
    afterwards: async () => await (await opened()).afterwards(),
    sweep: async () => await (await opening)?.sweep(),
    accept: async (paths) => await (await opening)?.accept(paths),
    async [Symbol.asyncDispose]() {
      const sandbox = await opening?.catch(() => undefined); // each call was told of it, and nothing is there to free
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

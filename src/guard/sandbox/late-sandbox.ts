import type { OpenSandbox, SessionSandbox, SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { SearchSandbox } from "./sandbox-search.ts";

export type Searching = Pick<SessionSandbox, "search">;

/**
 * A sandbox that is opened when the first command is judged, and one for searches with the first search: a session that has
 * none loads nothing of it. Sub-agents in
 * worktrees have sandboxes of their own.
 *
 * A failure to open it fails every call that needs it: none runs without.
 */
export function lateSandbox(
  open: { sandbox(root: string): Promise<OpenSandbox>; search(root: string): Promise<SearchSandbox> },
  own: string,
): SessionSandboxes {
  const all = new Map<string, OpenSandbox & Searching>();
  const at = (root: string) => {
    const sandbox = all.get(root) ?? {
      ...late(() => open.sandbox(root)),
      ...lateSearch(() => open.search(root)),
    };
    all.set(root, sandbox);
    return sandbox;
  };
  return {
    at,
    async leave(root) {
      const sandbox = all.get(root);
      all.delete(root);
      await sandbox?.[Symbol.asyncDispose]();
    },
    confinement: (plan) => at(own).confinement(plan),
    current: (plan) => at(own).current(plan),
    accept: (paths) => at(own).accept(paths),
    grant: (hosts) => at(own).grant(hosts),
    search: (place) => at(own).search(place),
    async [Symbol.asyncDispose]() {
      await using ending = new AsyncDisposableStack();
      for (const sandbox of all.values()) ending.use(sandbox);
    },
  };
}

function lateSearch(open: () => Promise<SearchSandbox>): Searching {
  let opening: Promise<SearchSandbox> | undefined;
  return {
    async search(place) {
      opening ??= open();
      return await (await opening).confine(place);
    },
  };
}

function late(open: () => Promise<OpenSandbox>): OpenSandbox {
  let opening: Promise<OpenSandbox> | undefined;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  return {
    confinement: async (plan) => await (await opened()).confinement(plan),
    current: async (plan) => await (await opened()).current(plan),
    accept: async (paths) => await (await opening)?.accept(paths),
    grant: async (hosts) => await (await opened()).grant(hosts),
    async [Symbol.asyncDispose]() {
      const sandbox = await opening?.catch(() => undefined); // each call was told of it, and nothing is there to free
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

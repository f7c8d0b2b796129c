import type { OpenSandbox, SessionSandbox, SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { SearchSandbox } from "./sandbox-search.ts";

export type SearchSupport = Pick<SessionSandbox, "search">;

/**
 * Returns the sandboxes of a session, which open on first use: one for commands when the first command is judged, one
 * for searches with the first search. A session without them loads none of that code. Sub-agents in worktrees have
 * separate sandboxes.
 *
 * If opening fails, every call that needs the sandbox fails: none runs without it.
 */
export function lazySandboxes(
  open: { sandbox(root: string): Promise<OpenSandbox>; search(root: string): Promise<SearchSandbox> },
  ownRoot: string,
): SessionSandboxes {
  const all = new Map<string, OpenSandbox & SearchSupport>();
  const at = (root: string) => {
    const sandbox = all.get(root) ?? {
      ...lazySandbox(() => open.sandbox(root)),
      ...lazySearch(() => open.search(root)),
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
    confinement: (plan) => at(ownRoot).confinement(plan),
    current: (plan) => at(ownRoot).current(plan),
    accept: (paths) => at(ownRoot).accept(paths),
    grant: (hosts) => at(ownRoot).grant(hosts),
    search: (place) => at(ownRoot).search(place),
    async [Symbol.asyncDispose]() {
      await using ending = new AsyncDisposableStack();
      for (const sandbox of all.values()) ending.use(sandbox);
    },
  };
}

function lazySearch(open: () => Promise<SearchSandbox>): SearchSupport {
  let opening: Promise<SearchSandbox> | undefined;
  return {
    async search(place) {
      opening ??= open();
      return await (await opening).confine(place);
    },
  };
}

function lazySandbox(open: () => Promise<OpenSandbox>): OpenSandbox {
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
      // Each call has failed with the error, and there is nothing to close.
      const sandbox = await opening?.catch(() => undefined);
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

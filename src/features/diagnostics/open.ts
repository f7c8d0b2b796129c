import { messageOf } from "../../base/errors.ts";
import type { Spawn } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { CallPlan } from "../../tools/tool.ts";
import type { DiagnosticKeys } from "./config.ts";
import { diagnosticsSection } from "./config.ts";
import type { DiagnoseSources } from "./diagnose.ts";
import type { DiagnosticSource } from "./diagnostic-source.ts";

/** Limit for folders with their own servers: the workspace, and the worktrees of sub-agents used last. */
const ROOTS_MAX = 3;

/**
 * Opens language servers and checkers, which report on a file after an edit (TOOL-11): the user's own and the
 * profile's, the user's first if names collide.
 *
 * They read a project that may be untrusted, so they run in the sandbox of the session's commands. A sub-agent in a
 * worktree has a separate one. Nothing is loaded before the first edit.
 */
export function openDiagnostics(host: DiagnosticsHost): OpenFeature {
  const folders = new DiagnosedFolders(host);
  return {
    around: [
      {
        tool: "hooks",
        async run(call, context, next) {
          const { diagnose } = await import("./diagnose.ts");
          return await diagnose(folders.within(context.workspace.root))(call, context, next);
        },
      },
    ],
    settle: () => folders.endAll(),
  };
}

type DiagnosticsHost = Pick<SessionHost, "plan" | "workspace" | "world" | "sandbox">;

/** The servers and checkers of each folder. Those of the folder used least recently end above `ROOTS_MAX`. */
class DiagnosedFolders {
  readonly #host: DiagnosticsHost;
  readonly #settings: readonly DiagnosticKeys[];
  /** The most recently used one last. */
  readonly #opening = new Map<string, Promise<readonly DiagnosticSource[]>>();
  readonly #opened = new Map<string, readonly DiagnosticSource[]>();

  constructor(host: DiagnosticsHost) {
    const { config, profile } = host.plan();
    this.#host = host;
    this.#settings = settingsOf(diagnosticsSection, { config, profile });
  }

  within(root: string): DiagnoseSources {
    return {
      covering: async (paths) =>
        (await this.#sourcesOf(root)).filter((source) => paths.some((path) => source.covers(path))),
      stale: (paths) => {
        for (const source of this.#opened.get(root) ?? [])
          if (paths?.every((path) => source.covers(path)) !== true) source.stale();
      },
    };
  }

  async endAll(): Promise<void> {
    for (const root of [...this.#opening.keys()]) await this.#end(root);
  }

  async #sourcesOf(root: string): Promise<readonly DiagnosticSource[]> {
    const current = this.#opening.get(root) ?? openSources(root, this.#settings, this.#host);
    this.#opening.delete(root);
    this.#opening.set(root, current); // the most recently used one is closed last
    const otherRoots = [...this.#opening.keys()].filter((each) => each !== this.#host.workspace.root);
    for (const old of otherRoots.slice(0, Math.max(0, this.#opening.size - ROOTS_MAX))) await this.#end(old);
    const sources = await current;
    this.#opened.set(root, sources);
    return sources;
  }

  async #end(root: string): Promise<void> {
    const ending = this.#opening.get(root);
    this.#opening.delete(root);
    this.#opened.delete(root);
    for (const source of (await ending) ?? []) {
      try {
        await source[Symbol.asyncDispose]();
      } catch (thrown) {
        const log = this.#host.world.log.for("diagnostics");
        log.write("warn", "did not end well", { what: messageOf(thrown) });
      }
    }
  }
}

async function openSources(
  root: string,
  settings: readonly DiagnosticKeys[],
  host: DiagnosticsHost,
): Promise<readonly DiagnosticSource[]> {
  const [{ languageServer }, { checker }, { WAIT_MS }] = await Promise.all([
    import("./language-server/language-server.ts"),
    import("./checker.ts"),
    import("./diagnostic-source.ts"),
  ]);
  const { world } = host;
  const { env } = host.workspace;
  return settings.map((keys) => {
    const parts = { world, root, env, spawn: () => confinedSpawnOf(keys, root, host) };
    const waiting = { ...keys, waitMs: keys.waitMs ?? WAIT_MS };
    return keys.kind === "checker" ? checker(waiting, parts) : languageServer(waiting, parts);
  });
}

/** @throws Error if there is no sandbox and the user has not allowed it to run without. */
async function confinedSpawnOf(
  { command, unconfined }: DiagnosticKeys,
  root: string,
  { world, sandbox: sandboxes }: DiagnosticsHost,
): Promise<Spawn> {
  const sandbox = sandboxes.at(root);
  const plan: CallPlan = {
    summary: command.join(" "),
    target: { kind: "command", command: command.join(" "), cwd: root, background: true },
  };
  const { kind } = await sandbox.confinement(plan);
  if (kind === "none") {
    if (unconfined) return world.spawn;
    throw new Error(
      "there is no sandbox to run it in; unconfined = true under [[diagnostics]] lets it run with your own rights",
    );
  }
  const current = await sandbox.current(plan);
  if (current.kind === "none") throw new Error(current.refuse ?? "there is no sandbox to run it in");
  const { confinedSpawn } = await import("../../guard/sandbox/confinement/confined-spawn.ts");
  return confinedSpawn(world.spawn, current, "background");
}

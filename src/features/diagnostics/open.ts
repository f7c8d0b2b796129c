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
export function openDiagnostics({
  plan,
  workspace,
  world,
  sandbox: sandboxes,
}: Pick<SessionHost, "plan" | "workspace" | "world" | "sandbox">): OpenFeature {
  const { config, profile } = plan();
  const settings = settingsOf(diagnosticsSection, { config, profile });
  const { env } = workspace;
  const opening = new Map<string, Promise<readonly DiagnosticSource[]>>();
  const opened = new Map<string, readonly DiagnosticSource[]>();

  async function open(root: string): Promise<readonly DiagnosticSource[]> {
    const [{ languageServer }, { checker }, { WAIT_MS }] = await Promise.all([
      import("./language-server/language-server.ts"),
      import("./checker.ts"),
      import("./diagnostic-source.ts"),
    ]);
    return settings.map((keys) => {
      const parts = { world, root, env, spawn: () => confined(keys, root) };
      const settings = { ...keys, waitMs: keys.waitMs ?? WAIT_MS };
      return keys.kind === "checker" ? checker(settings, parts) : languageServer(settings, parts);
    });
  }

  /** @throws Error if there is no sandbox and the user has not allowed it to run without. */
  async function confined({ command, unconfined }: DiagnosticKeys, root: string): Promise<Spawn> {
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

  async function sourcesOf(root: string): Promise<readonly DiagnosticSource[]> {
    const current = opening.get(root) ?? open(root);
    opening.delete(root);
    opening.set(root, current); // the most recently used one is closed last
    const otherRoots = [...opening.keys()].filter((each) => each !== workspace.root);
    for (const old of otherRoots.slice(0, Math.max(0, opening.size - ROOTS_MAX))) await end(old);
    const sources = await current;
    opened.set(root, sources);
    return sources;
  }

  async function end(root: string): Promise<void> {
    const ending = opening.get(root);
    opening.delete(root);
    opened.delete(root);
    for (const source of (await ending) ?? []) {
      try {
        await source[Symbol.asyncDispose]();
      } catch (thrown) {
        world.log.for("diagnostics").write("warn", "did not end well", { what: messageOf(thrown) });
      }
    }
  }

  function within(root: string): DiagnoseSources {
    return {
      covering: async (paths) =>
        (await sourcesOf(root)).filter((source) => paths.some((path) => source.covers(path))),
      stale(paths) {
        for (const source of opened.get(root) ?? [])
          if (paths?.every((path) => source.covers(path)) !== true) source.stale();
      },
    };
  }

  return {
    around: [
      {
        tool: "hooks",
        async run(call, context, next) {
          const { diagnose } = await import("./diagnose.ts");
          return await diagnose(within(context.workspace.root))(call, context, next);
        },
      },
    ],
    async settle() {
      for (const root of [...opening.keys()]) await end(root);
    },
  };
}

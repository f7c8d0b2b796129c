import { resolve } from "node:path";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { Reason } from "../../../base/reasons.ts";
import type { World } from "../../../base/world.ts";
import { saidOf } from "../../../config/settings/read-section.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import { harnessSecretsFolders } from "../../../credentials/store/harness-secrets-path.ts";
import { deniedPaths } from "../../../guard/permissions/rules/denied-paths.ts";
import { sandboxSection } from "../../../guard/sandbox/config.ts";
import { lazySandboxes } from "../../../guard/sandbox/lazy-sandboxes.ts";
import { withQuickLooks } from "../../../guard/sandbox/policy/hidden-paths.ts";
import type { KeyFiles } from "../../../guard/sandbox/policy/key-files.ts";
import type { SandboxSources } from "../../../guard/sandbox/policy/sandbox-sources.ts";
import type { Event } from "../../../protocol/events/events.ts";
import type { SessionSandboxes } from "../../../session/guard/session-sandbox.ts";
import type { SessionTrust } from "../../../session/guard/trust.ts";
import type { WritableFolders } from "../../../session/guard/writable-folders.ts";
import type { SessionPlan } from "../../../session/plan.ts";
import type { HarnessOptions } from "../../engine/options.ts";
import { SandboxProving } from "./sandbox-proving.ts";

/** Parts of a session's sandboxes. */
export interface SandboxDependencies {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly options: Pick<HarnessOptions, "relayCommand">;
  /** Returns the current plan: its rules are the gate's own. */
  readonly plan: () => SessionPlan;
  readonly trust: Pick<SessionTrust, "loaded">;
  /** Folders that agents of the engine may write. */
  readonly writable: WritableFolders;
  readonly keys: KeyFiles;
  publish(event: Event): void;
}

/** The sandboxes of a session, which may be proven before one is needed. */
export interface ProvableSandboxes extends SessionSandboxes {
  /** Proves the sandbox of this machine in the background, once. The first command waits for it, and nothing else. */
  prove(): void;
}

/**
 * Opens the sandboxes of a session, each with the first command that needs it.
 * @param use `look`: the sandbox is tried for real, whatever earlier sessions have found.
 */
export function sessionSandbox(parts: SandboxDependencies, use: "look" | "run"): ProvableSandboxes {
  const proving = new SandboxProving(parts);
  const open = {
    async sandbox(root: string) {
      const { openSandbox } = await import("../../../guard/sandbox/sandbox.ts");
      const proof = use === "run" ? { proof: await proving.proof() } : {};
      const home = parts.plan().wishes.environment["HOME"];
      const world = { ...parts.world, files: await withQuickLooks(parts.world.files, root, home) };
      return openSandbox({ ...sourcesAt(root, { ...parts, world }), ...proof });
    },
    async search(root: string) {
      const { searchSandbox } = await import("../../../guard/sandbox/sandbox-search.ts");
      return searchSandbox(sourcesAt(root, parts));
    },
  };
  const sandboxes = lazySandboxes(open, parts.plan().root);
  return {
    ...sandboxes,
    prove: () => proving.begin(),
    async [Symbol.asyncDispose]() {
      await proving[Symbol.asyncDispose]();
      await sandboxes[Symbol.asyncDispose]();
    },
  };
}

async function sockets() {
  return (await import("../../../platform/sockets/sockets.ts")).hostSockets;
}

/** @param root the workspace, or a sub-agent's worktree. */
function sourcesAt(
  root: string,
  { world, paths, options, plan, trust, writable, keys, publish }: SandboxDependencies,
): SandboxSources {
  const { root: workspace, profile, config, wishes } = plan();
  // A sub-agent in a worktree of its own writes there alone.
  const added = root === workspace ? (wishes.addDirs ?? []) : [];
  const { relayCommand } = options;
  const { environment } = wishes;
  return {
    world,
    root,
    added,
    ...(root === workspace ? {} : { writesCommitsOnly: true, workspace }),
    paths,
    ...(environment["HOME"] === undefined ? {} : { home: environment["HOME"] }),
    environment,
    settings: settingsOf(sandboxSection, { config, profile }),
    programs: { path: environment["PATH"] ?? "", writable },
    ...(relayCommand === undefined ? {} : { relay: { command: relayCommand, sockets } }),
    autoApprove: wishes.autoApprove,
    keys,
    projectHidden: async () => {
      const { settings } = await trust.loaded(new AbortController().signal);
      const hidden = settings.flatMap(({ sections }) => saidOf(sections, sandboxSection)?.hidden ?? []);
      return root === workspace ? hidden : [...hidden, ...hidden.map((each) => resolve(workspace, each))];
    },
    denied() {
      const { rules, steering: named = [] } = plan().policy;
      const { hidden, readOnly } = deniedPaths(rules, root, ...added);
      const keys = [root, ...added].map(harnessSecretsFolders);
      const sessions = root === workspace ? [] : harnessSecretsFolders(workspace).there;
      const steering = named.map((path) => ({ path, kind: "file" }) as const);
      return {
        hidden: [...hidden, ...keys.flatMap(({ there }) => there), ...sessions],
        readOnly: [
          ...readOnly,
          ...steering,
          ...keys.map(({ own }) => ({ path: own, kind: "directory" }) as const),
        ],
      };
    },
    onUnavailable: (message) =>
      publish({ kind: "Error", payload: { reason: "SandboxUnavailable" satisfies Reason, message } }),
    onNotice(message) {
      const reason = "SandboxSettingUnmet" satisfies Reason;
      publish({ kind: "Error", payload: { reason, message, severity: "notice" } });
    },
  };
}

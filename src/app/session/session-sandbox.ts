import { resolve } from "node:path";
import type { Reason } from "../../base/reasons.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { harnessSecretsFolders } from "../../credentials/store/harness-secrets-path.ts";
import { deniedPlaces } from "../../guard/permissions/rules/denied-places.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { lateSandbox } from "../../guard/sandbox/late-sandbox.ts";
import type { KeyFiles } from "../../guard/sandbox/policy/key-files.ts";
import type { SandboxSources } from "../../guard/sandbox/policy/sandbox-sources.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Policy } from "../../session/guard/policy.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";

/** The rules that the sandboxes of a session follow: the gate's own. */
export interface SandboxRules {
  readonly policy: () => Pick<Policy, "rules" | "steering">;
  readonly keys: KeyFiles;
  publish(event: Event): void;
}

/** The sandboxes of a session, each opened with the first command that needs it. */
export function sessionSandbox(material: RunMaterial, rules: SandboxRules): SessionSandboxes {
  const open = {
    async sandbox(root: string) {
      const { openSandbox } = await import("../../guard/sandbox/sandbox.ts");
      return openSandbox(sourcesAt(root, material, rules));
    },
    async search(root: string) {
      const { searchSandbox } = await import("../../guard/sandbox/sandbox-search.ts");
      return searchSandbox(sourcesAt(root, material, rules));
    },
  };
  return lateSandbox(open, material.workspace.root);
}

/** @param root the workspace, or a sub-agent's worktree. */
function sourcesAt(
  root: string,
  { profile, trust, workspace, defaults }: RunMaterial,
  { policy, keys, publish }: SandboxRules,
): SandboxSources {
  const { world, paths, config, environment, relayCommand } = defaults;
  return {
    world,
    root,
    ...(root === workspace.root ? {} : { gitIsParents: true }),
    paths,
    ...(environment["HOME"] === undefined ? {} : { home: environment["HOME"] }),
    environment,
    settings: settingsOf(sandboxSection, { config, profile }),
    ...(environment["PATH"] === undefined ? {} : { path: environment["PATH"] }),
    ...(relayCommand === undefined ? {} : { relayCommand }),
    autoApprove: defaults.autoApprove,
    keys,
    projectHidden: async () => {
      const { settings } = await trust.loaded(new AbortController().signal);
      const hidden = settings.flatMap(({ sections }) => saidOf(sections, sandboxSection)?.hidden ?? []);
      return root === workspace.root
        ? hidden
        : [...hidden, ...hidden.map((each) => resolve(workspace.root, each))];
    },
    denied() {
      const { rules, steering: named = [] } = policy();
      const { hidden, readOnly } = deniedPlaces(rules, root);
      const keys = harnessSecretsFolders(root);
      const sessions = root === workspace.root ? [] : harnessSecretsFolders(workspace.root).there;
      const steering = named.map((path) => ({ path, kind: "file" }) as const);
      return {
        hidden: [...hidden, ...keys.there, ...sessions],
        readOnly: [...readOnly, ...steering, { path: keys.own, kind: "directory" }],
      };
    },
    onUnavailable: (message) =>
      publish({ kind: "Error", payload: { reason: "SandboxUnavailable" satisfies Reason, message } }),
  };
}

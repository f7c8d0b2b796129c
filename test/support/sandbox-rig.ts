import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingsOf } from "../../src/config/settings/settings.ts";
import type { SandboxSettings } from "../../src/guard/sandbox/config.ts";
import { sandboxSection } from "../../src/guard/sandbox/config.ts";
import { confine } from "../../src/guard/sandbox/confinement/confine.ts";
import type { SandboxSources } from "../../src/guard/sandbox/policy/sandbox-sources.ts";
import { openSandbox } from "../../src/guard/sandbox/sandbox.ts";
import { searchSandbox } from "../../src/guard/sandbox/sandbox-search.ts";
import { hostSockets } from "../../src/platform/sockets/sockets.ts";
import type { Confinement, Sandbox } from "../../src/session/guard/sandbox.ts";
import type { OpenSandbox, SessionSandbox } from "../../src/session/guard/session-sandbox.ts";
import type { Ask } from "../../src/session/questions.ts";
import { BackgroundRuns } from "../../src/tools/bash/background-runs.ts";
import { bashTools } from "../../src/tools/bash/bash.ts";
import type { ToolMiddleware } from "../../src/tools/middleware.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { sandboxParent } from "./sandbox-place.ts";
import { ROOT } from "./source.ts";
import type { ToolRig, ToolRigParts } from "./tool-rig.ts";
import { openToolRig } from "./tool-rig.ts";

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];
/** The relay of the network, from the sources. */
export const RELAY: readonly [string, ...string[]] = [
  process.execPath,
  ...FLAGS,
  join(ROOT, "src", "cli", "main.ts"),
  "__relay",
];

export interface SandboxRigParts extends ToolRigParts {
  readonly settings?: Partial<SandboxSettings>;
  readonly denied?: SandboxSources["denied"];
  readonly attended?: boolean;
  readonly ask?: Ask;
  readonly mayLeave?: boolean;
  readonly backend?: Sandbox;
  /** True to run commands without a verdict of the gate. */
  readonly unjudged?: boolean;
  /** Further parts of the sandbox, by the workspace. */
  readonly around?: (root: string) => Partial<SandboxSources>;
  /** The workspace, in place of one that the rig makes. */
  readonly folder?: string;
}

/** Bash with the sandbox of a session around it, in a workspace of real files. */
export interface SandboxRig extends ToolRig {
  readonly sandbox: OpenSandbox;
  readonly home: string;
  /** Notices about the sandbox. */
  readonly told: string[];
  /** Returns the confinement by which a gate judges a command. */
  confinement(): Promise<Confinement>;
  bash(command: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Calls a tool that runs no command, with what confines a search. */
  call(tool: Tool, input: Readonly<Record<string, unknown>>): Promise<string>;
  task(id: string, action: "poll" | "stop"): Promise<string>;
  /** Ends the session. */
  end(): Promise<void>;
}

export function openSandboxRig(parts: SandboxRigParts = {}): SandboxRig {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...parts.env };
  const own = openToolRig({}, { parent: sandboxParent(), ...parts, env });
  const home = join(dirname(own.root), "home");
  const rig = parts.folder === undefined ? own : inFolder(own, parts.folder);
  const folders = [".config", ".local/share", ".local/state"].map((name) => join(home, name, "cinch"));
  for (const path of folders) mkdirSync(path, { recursive: true });
  const [config = "", data = "", state = ""] = folders;
  const told: string[] = [];
  const sources: SandboxSources = {
    world: rig.world,
    root: rig.root,
    paths: { config, data, state },
    home,
    environment: env,
    settings: { ...settingsOf(sandboxSection, {}), ...parts.settings },
    ...(parts.backend === undefined ? {} : { backend: parts.backend }),
    ...(parts.denied === undefined ? {} : { denied: parts.denied }),
    relay: { command: RELAY, sockets: async () => hostSockets },
    projectHidden: () => Promise.resolve([]),
    onUnavailable: (text) => void told.push(text),
    onNotice: (text) => void told.push(text),
    ...parts.around?.(rig.root),
  };
  const sandbox = openSandbox(sources);
  const searches = searchSandbox(sources);
  const session: SessionSandbox = {
    current: (plan) => sandbox.current(plan),
    accept: (paths) => sandbox.accept(paths),
    grant: (hosts) => sandbox.grant(hosts),
    search: (place) => searches.confine(place),
  };
  const runs = new BackgroundRuns(() => undefined);
  const [bash, task] = bashTools(runs);
  if (bash === undefined || task === undefined) throw new Error("two tools");
  const judge: ToolMiddleware = async (call, context, next) => {
    if (call.plan !== undefined) await sandbox.confinement(call.plan);
    return await next(call, context);
  };
  const inner = confine({
    sandbox: () => session,
    attended: parts.attended ?? false,
    ask: parts.ask ?? (() => Promise.resolve({ kind: "nobody" })),
    mayLeave: () => Promise.resolve(parts.mayLeave ?? true),
  });
  const layers = parts.unjudged === true ? [inner] : [judge, inner];
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= (async () => {
      await runs[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    })();
    return ended;
  };
  return {
    ...rig,
    sandbox,
    home,
    told,
    confinement: () =>
      sandbox.confinement({ summary: "x", target: { kind: "command", command: "true", cwd: rig.root } }),
    bash: (command, input = {}) => rig.text(bash, { command, ...input }, layers),
    call: (tool, input) => rig.text(tool, input, [inner]),
    task: (id, action) => rig.text(task, { id, action }, layers),
    end,
    async [Symbol.asyncDispose]() {
      await end();
      await rig[Symbol.asyncDispose]();
    },
  };
}

function inFolder(rig: ToolRig, root: string): ToolRig {
  Object.assign(rig.workspace, { root, cwd: root });
  return { ...rig, root };
}

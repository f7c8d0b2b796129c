import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { hintFor } from "../../base/text/near.ts";
import { count } from "../../base/text/text.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { SessionHost } from "../../session/host.ts";
import { isInside } from "../../tools/containment.ts";
import { isInPacks } from "../../tools/select-packs.ts";
import type { Tool, ToolSource } from "../../tools/tool.ts";
import { handleAgentInputs } from "./agent-inputs.ts";
import { agentsSection } from "./config.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { GENERAL_AGENT } from "./definitions/definition.ts";
import type { AgentToolDependencies } from "./tools/agent-tool.ts";
import { agentTool } from "./tools/agent-tool.ts";
import type { RunningAgents } from "./tools/running-agents.ts";
import { AGENT_FACTS } from "./tools.ts";

/**
 * Opens sub-agents in a session (ENG-10, TOOL-05): the tool Agent, the kinds that acknowledged files define, and
 * inputs for one of them. Returns undefined if they are switched off.
 *
 * Without a definition, only ToolSearch finds the tool, which keeps requests short, and no file is read. The code
 * that runs sub-agents is loaded with the first.
 */
export function openAgents(host: SessionHost, running: RunningAgents): OpenFeature | undefined {
  const { profile } = host.plan();
  const limits = settingsOf(agentsSection, host.plan());
  if (limits.depthMax === 0 || !isInPacks(AGENT_FACTS, profile.toolPacks)) return undefined;
  const kinds = new AgentKinds(host);
  let worktreeNotices: readonly string[] = [];
  return {
    ...handleAgentInputs(AGENT_FACTS.name, async (type, content, signal) =>
      checkAgentInput(type, content, await kinds.all(signal)),
    ),
    agentTools: (runner) => [
      agentSource(kinds, {
        ...limits,
        running,
        lazy: !kinds.isDefined,
        spawn: async (request) => {
          const { openAgentSpawner } = await import("./agent-spawner.ts");
          return await openAgentSpawner(host, runner)(request);
        },
      }),
    ],
    queries: {
      async ListAgents(_query, { signal }) {
        const all = await kinds.all(signal);
        return { agents: all.map(({ name, description }) => ({ name, description })) };
      },
    },
    slashCommands: () =>
      kinds.known.map(({ name, description }) => ({
        name: `agents:${name}`,
        usage: `/agents:${name} TEXT`,
        help: description,
        command: "SendInput",
      })),
    onFollowed() {
      if (!kinds.isDefined) return;
      kinds.loadIfTrusted(new AbortController().signal).catch(() => undefined); // the first request reports it
    },
    notices: () => worktreeNotices,
    async ready() {
      worktreeNotices = await leftoverWorktreeNotices(host, host.workspace.root);
    },
  };
}

/** Returns the tool Agent as a source. The tool is made again once the kinds are read. */
function agentSource(kinds: AgentKinds, dependencies: Omit<AgentToolDependencies, "agents">): ToolSource {
  const made = new Map<readonly AgentDefinition[], Tool>();
  return {
    name: "agents",
    tools() {
      const { known: agents } = kinds;
      const tool = made.get(agents) ?? agentTool({ ...dependencies, agents });
      made.set(agents, tool);
      return [tool];
    },
    ...(kinds.isDefined
      ? { late: { awaited: true, ready: async (signal: AbortSignal) => await kinds.loadIfTrusted(signal) } }
      : {}),
  };
}

/** The kinds of sub-agents of a session, read from files when trust is loaded. */
class AgentKinds {
  readonly #host: SessionHost;
  /** True if there are files that define kinds. */
  readonly isDefined: boolean;
  #reading: Promise<readonly AgentDefinition[]> | undefined;
  #known: readonly AgentDefinition[] = [GENERAL_AGENT];

  constructor(host: SessionHost) {
    this.#host = host;
    this.isDefined = host.trust.has("agent");
  }

  /** The kinds as far as they are read. */
  get known(): readonly AgentDefinition[] {
    return this.#known;
  }

  /**
   * Returns all kinds. Each problem of a file is reported once and does not affect other files. @throws the signal's
   * reason.
   */
  async all(signal: AbortSignal): Promise<readonly AgentDefinition[]> {
    if (!this.isDefined) return this.#known;
    const { items } = await this.#host.trust.loaded(signal);
    this.#reading ??= this.#read(items);
    return await this.#reading;
  }

  /** Ignores a failure to load the trust: it ends the start of the session, but not the declaration of tools. */
  async loadIfTrusted(signal: AbortSignal): Promise<void> {
    try {
      await this.all(signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }

  async #read(items: readonly TrustItem[]): Promise<readonly AgentDefinition[]> {
    const [{ readAgentSet }, { noticeKey }] = await Promise.all([
      import("./definitions/agent-set.ts"),
      import("../../guard/trust/notice-key.ts"),
    ]);
    const files = items.flatMap(({ kind, path, scope, files: [file] }) =>
      kind === "agent" && file !== undefined ? [{ path, scope, bytes: file.bytes }] : [],
    );
    const { shown, plan, publish } = this.#host;
    const set = await readAgentSet(files, plan().tools);
    const publishOnce = (problem: string, payload: PayloadOf<"Error">) => {
      const key = noticeKey(problem, items);
      if (shown.has(key)) return;
      shown.add(key);
      publish({ kind: "Error", payload });
    };
    for (const problem of set.problems) {
      const { reason, message } = new HarnessError("AgentInvalid", { problem });
      publishOnce(problem, { reason, message });
    }
    for (const message of set.warnings)
      publishOnce(message, { reason: "AgentInvalid", message, severity: "notice" });
    this.#known = set.agents;
    return this.#known;
  }
}

/** @throws HarnessError UnknownAgent; InvalidCommand for an input that is more than text. */
function checkAgentInput(
  type: string,
  content: readonly InputBlock[],
  agents: readonly AgentDefinition[],
): void {
  const names = agents.map(({ name }) => name);
  if (!names.includes(type))
    throw new HarnessError("UnknownAgent", { name: type, hint: hintFor(type, names) });
  if (content.some((block) => block.type !== "text"))
    throw new HarnessError("InvalidCommand", { kind: "SendInput", why: "a sub-agent takes text alone" });
}

/** Returns a notice if cinch was killed while sub-agents worked in worktrees of this repository. */
export async function leftoverWorktreeNotices(
  { world, paths }: Pick<SessionHost, "world" | "paths">,
  root: string,
): Promise<readonly string[]> {
  if ((await world.files.stat(join(paths.data, "worktrees"))) === undefined) return [];
  const { listWorktrees } = await import("./agents-review.ts");
  const worktrees = (await listWorktrees({ world, paths })).filter(
    ({ state, record }) => state === "left" && isInside(record.repository, root),
  );
  if (worktrees.length === 0) return [];
  const what = count(worktrees.length, "worktree");
  return [
    `cinch was killed while sub-agents worked in ${what} of this repository. List and remove them: cinch agents worktrees`,
  ];
}

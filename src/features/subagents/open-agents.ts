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
import { selectPacks } from "../../tools/select-packs.ts";
import type { Tool, ToolSource } from "../../tools/tool.ts";
import { handleAgentInputs } from "./agent-inputs.ts";
import { agentsSection } from "./config.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { GENERAL_AGENT } from "./definitions/definition.ts";
import { agentTool } from "./tools/agent-tool.ts";
import { AGENT_FACTS } from "./tools.ts";

/**
 * Opens sub-agents in a session (ENG-10, TOOL-05): the tool Agent, the kinds that acknowledged files define, and
 * inputs for one of them. Returns undefined if they are switched off.
 *
 * Without a definition, only ToolSearch finds the tool, which keeps requests short, and no file is read. The code
 * that runs sub-agents is loaded with the first.
 */
export function openAgents(host: SessionHost): OpenFeature | undefined {
  const { profile } = host.plan();
  const limits = settingsOf(agentsSection, host.plan());
  const kinds = new AgentKinds(host, limits);
  const isSelected =
    selectPacks({ name: "agents", tools: () => [kinds.tool] }, profile.toolPacks).tools().length > 0;
  if (limits.depthMax === 0 || !isSelected) return undefined;
  let worktreeNotices: readonly string[] = [];
  const source: ToolSource = {
    name: "agents",
    tools: () => [kinds.tool],
    ...(kinds.isDefined
      ? { late: { awaited: true, ready: async (signal: AbortSignal) => await kinds.loadIfTrusted(signal) } }
      : {}),
  };

  return {
    ...handleAgentInputs(AGENT_FACTS.name, async (type, content, signal) =>
      checkAgentInput(type, content, await kinds.all(signal)),
    ),
    tools: [source],
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

/** Limits of sub-agents: provider calls of one, and depth of nesting. */
interface AgentLimits {
  readonly roundsMax: number;
  readonly depthMax: number;
}

/** The kinds of sub-agents of a session, read from files when trust is loaded, and the tool that starts them. */
class AgentKinds {
  readonly #host: SessionHost;
  readonly #limits: AgentLimits;
  /** True if there are files that define kinds. */
  readonly isDefined: boolean;
  #reading: Promise<readonly AgentDefinition[]> | undefined;
  #known: readonly AgentDefinition[] = [GENERAL_AGENT];
  #tool: Tool;

  constructor(host: SessionHost, limits: AgentLimits) {
    this.#host = host;
    this.#limits = limits;
    this.isDefined = host.trust.has("agent");
    this.#tool = this.#makeTool(this.#known);
  }

  /** The kinds as far as they are read. */
  get known(): readonly AgentDefinition[] {
    return this.#known;
  }

  get tool(): Tool {
    return this.#tool;
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
    this.#tool = this.#makeTool(this.#known);
    return this.#known;
  }

  #makeTool(agents: readonly AgentDefinition[]): Tool {
    let opening: Promise<typeof import("./agent-spawner.ts")> | undefined;
    return agentTool({
      agents,
      roundsMax: this.#limits.roundsMax,
      depthMax: this.#limits.depthMax,
      lazy: !this.isDefined,
      spawn: async (request) => {
        opening ??= import("./agent-spawner.ts");
        return await (await opening).openAgentSpawner(this.#host)(request);
      },
    });
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

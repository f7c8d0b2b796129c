import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { hintFor } from "../../base/text/near.ts";
import { count } from "../../base/text/text.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { OpenFeature } from "../../session/feature.ts";
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
  const { trust, shown } = host;
  const { profile } = host.plan();
  const { roundsMax, depthMax } = settingsOf(agentsSection, host.plan());
  const isDefined = trust.has("agent");
  let reading: Promise<readonly AgentDefinition[]> | undefined;
  let known: readonly AgentDefinition[] = [GENERAL_AGENT];
  let tool: Tool = makeTool(known);
  let worktreeNotices: readonly string[] = [];
  if (
    depthMax === 0 ||
    selectPacks({ name: "agents", tools: () => [tool] }, profile.toolPacks).tools().length === 0
  )
    return undefined;

  function makeTool(agents: readonly AgentDefinition[]): Tool {
    let opening: Promise<typeof import("./agent-spawner.ts")> | undefined;
    return agentTool({
      agents,
      roundsMax,
      depthMax,
      lazy: !isDefined,
      async spawn(request) {
        opening ??= import("./agent-spawner.ts");
        return await (await opening).openAgentSpawner(host)(request);
      },
    });
  }

  /**
   * Returns the kinds of sub-agents. Each problem of a file is reported once and does not affect other files. @throws
   * the signal's reason.
   */
  async function agents(signal: AbortSignal): Promise<readonly AgentDefinition[]> {
    if (!isDefined) return known;
    const { items } = await trust.loaded(signal);
    reading ??= (async () => {
      const [{ readAgentSet }, { noticeKey }] = await Promise.all([
        import("./definitions/agent-set.ts"),
        import("../../guard/trust/notice-key.ts"),
      ]);
      const files = items.flatMap(({ kind, path, scope, files: [file] }) =>
        kind === "agent" && file !== undefined ? [{ path, scope, bytes: file.bytes }] : [],
      );
      const set = await readAgentSet(files, host.plan().tools);
      const publishOnce = (problem: string, payload: PayloadOf<"Error">) => {
        const key = noticeKey(problem, items);
        if (shown.has(key)) return;
        shown.add(key);
        host.publish({ kind: "Error", payload });
      };
      for (const problem of set.problems) {
        const { reason, message } = new HarnessError("AgentInvalid", { problem });
        publishOnce(problem, { reason, message });
      }
      for (const message of set.warnings)
        publishOnce(message, { reason: "AgentInvalid", message, severity: "notice" });
      known = set.agents;
      tool = makeTool(known);
      return known;
    })();
    return await reading;
  }

  async function checkInput(
    type: string,
    content: readonly InputBlock[],
    signal: AbortSignal,
  ): Promise<void> {
    const names = (await agents(signal)).map(({ name }) => name);
    if (!names.includes(type))
      throw new HarnessError("UnknownAgent", { name: type, hint: hintFor(type, names) });
    if (content.some((block) => block.type !== "text"))
      throw new HarnessError("InvalidCommand", { kind: "SendInput", why: "a sub-agent takes text alone" });
  }

  const source: ToolSource = {
    name: "agents",
    tools: () => [tool],
    ...(isDefined
      ? { late: { awaited: true, ready: async (signal: AbortSignal) => void (await loadIfTrusted(signal)) } }
      : {}),
  };

  /** Ignores a failure to load the trust: it ends the start of the session, but not the declaration of tools. */
  async function loadIfTrusted(signal: AbortSignal): Promise<void> {
    try {
      await agents(signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }

  return {
    ...handleAgentInputs(AGENT_FACTS.name, checkInput),
    tools: [source],
    queries: {
      async ListAgents(_query, { signal }) {
        const all = await agents(signal);
        return { agents: all.map(({ name, description }) => ({ name, description })) };
      },
    },
    slashCommands: () =>
      known.map(({ name, description }) => ({
        name: `agents:${name}`,
        usage: `/agents:${name} TEXT`,
        help: description,
        command: "SendInput",
      })),
    onFollowed() {
      if (isDefined) loadIfTrusted(new AbortController().signal).catch(() => undefined); // the first request reports it
    },
    notices: () => worktreeNotices,
    async ready() {
      worktreeNotices = await leftoverWorktreeNotices(host, host.workspace.root);
    },
  };
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

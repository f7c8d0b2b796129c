import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import type { SessionHost } from "../../session/host.ts";
import type { AgentRunner } from "../../session/spawn.ts";
import type { ToolHandler } from "../../tools/middleware.ts";
import { chainTool } from "../../tools/middleware.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { Workspace } from "../../tools/tool.ts";
import { restrictPrograms } from "./definitions/grants.ts";
import type { SpawnAgent, SpawnRequest } from "./tools/spawn-agent.ts";
import type { AgentWorkspace } from "./worktree/agent-workspace.ts";

/** The most that sub-agents of an agent may use: never more than the agent itself. */
interface AgentScope {
  readonly tools: ToolRegistry;
  readonly workspace: Workspace;
  readonly guard: (handler: ToolHandler) => ToolHandler;
  readonly model?: () => ModelInUse;
}

/** The limits of each running sub-agent, by the call that it answers. */
const reaches = new WeakMap<SessionHost, Map<CallId, AgentScope>>();

/**
 * Model names that every reader of the format takes as a size. They fall back to the session's model without a key
 * for their provider.
 */
const SIZES = /^(?:haiku|sonnet|opus)$/;

/** Returns the function that runs sub-agents of one session (ENG-10). */
export function openAgentSpawner(
  host: SessionHost,
  { spawn: runSubAgent, examine }: Pick<AgentRunner, "spawn" | "examine">,
): SpawnAgent {
  const running = reaches.get(host) ?? new Map<CallId, AgentScope>();
  reaches.set(host, running);
  return async (request) => {
    const { parentCall, within, sees, programs, signal, originator, turn, hint, prompt, roundsMax } = request;
    const above = (within === undefined ? undefined : running.get(within)) ?? {
      tools: host.registry,
      workspace: host.workspace,
      guard: (handler) => handler,
    };
    const { model, remarks } = await modelFor(request, above, host);
    const { env, withheld, redacting, scratch, added, writable } = above.workspace;
    const worktree = request.worktree ? await openWorkspace(request, host, above.workspace.root) : undefined;
    const root = worktree?.root ?? above.workspace.root;
    const reach: AgentScope = {
      tools: above.tools.restrictedTo(sees),
      workspace: {
        ...{ root, cwd: root, seen: new Map(), env, scratch },
        ...defined({ withheld, redacting, writable }),
        ...(worktree === undefined ? defined({ added }) : {}),
      },
      guard: (handler) =>
        above.guard(programs === undefined ? handler : chainTool([restrictPrograms(programs)], handler)),
      ...defined({ model }),
    };
    running.set(parentCall, reach);
    try {
      const spawned = await runSubAgent({
        ...reach,
        within: { parentCall, agents: request.agents },
        originator,
        turn,
        hint: worktree === undefined ? hint : [...hint, worktree.hint],
        prompt,
        roundsMax,
        signal,
        inputs: request.running.inputs(examine),
      });
      return { ...spawned, remarks: [...remarks, ...((await worktree?.end()) ?? [])] };
    } catch (thrown) {
      await worktree?.end();
      throw thrown;
    } finally {
      running.delete(parentCall);
    }
  };
}

async function openWorkspace(
  request: SpawnRequest,
  host: SessionHost,
  workspace: string,
): Promise<AgentWorkspace> {
  const { openAgentWorkspace } = await import("./worktree/agent-workspace.ts");
  return await openAgentWorkspace(request, host, workspace);
}

interface ChosenModel {
  readonly model?: () => ModelInUse;
  readonly remarks: readonly string[];
}

/** @throws HarnessError like `chooseModel`, for a model named with its provider. */
async function modelFor(
  { model, signal }: SpawnRequest,
  above: Pick<AgentScope, "model">,
  { model: slot, models }: SessionHost,
): Promise<ChosenModel> {
  const inherited = above.model === undefined ? {} : { model: above.model };
  if (model === undefined) return { ...inherited, remarks: [] };
  try {
    const opened = await slot.openBeside(await models.choose(model, {}, signal));
    return { model: () => opened, remarks: [] };
  } catch (thrown) {
    if (!SIZES.test(model) || !(thrown instanceof HarnessError) || thrown.reason !== "ProviderKeyMissing")
      throw thrown;
    return {
      ...inherited,
      remarks: [`It worked with this session's model: there is no key for ${model}.`],
    };
  }
}

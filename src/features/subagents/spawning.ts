import { HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import type { SessionHost } from "../../session/host.ts";
import type { SpawnAgent, SpawnRequest } from "../../session/spawn.ts";
import type { ToolHandler } from "../../tools/middleware.ts";
import { chainTool } from "../../tools/middleware.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { Workspace } from "../../tools/tool.ts";
import { onlyPrograms } from "./definitions/grants.ts";
import type { Apart } from "./worktree/agent-worktrees.ts";

/** What the sub-agents below one get at most: never more than it has itself. */
interface Reach {
  readonly tools: ToolRegistry;
  readonly workspace: Workspace;
  readonly guard: (handler: ToolHandler) => ToolHandler;
  readonly model?: () => ModelInUse;
}

/** Of the sub-agents that run now, by the call that each answers. */
const reaches = new WeakMap<SessionHost, Map<CallId, Reach>>();

/** Names that every reader of the format understands as a size of model, where its provider can be used. */
const SIZES = /^(?:haiku|sonnet|opus)$/;

/** Runs the sub-agents of one session (ENG-10). */
export function spawnIn(host: SessionHost): SpawnAgent {
  const running = reaches.get(host) ?? new Map<CallId, Reach>();
  reaches.set(host, running);
  return async (request) => {
    const { parentCall, within, sees, programs, signal, originator, turn, hint, prompt, roundsMax } = request;
    const above = (within === undefined ? undefined : running.get(within)) ?? {
      tools: host.registry,
      workspace: host.workspace,
      guard: (handler) => handler,
    };
    const { model, told } = await modelFor(request, above, host);
    const { env, withheld, redacting, scratch } = above.workspace;
    const apart = request.worktree ? await apartFrom(request, host, above.workspace.root) : undefined;
    const root = apart?.root ?? above.workspace.root;
    const reach: Reach = {
      tools: above.tools.restrictedTo(sees),
      workspace: {
        ...{ root, cwd: root, seen: new Map(), env, scratch },
        ...(withheld === undefined ? {} : { withheld }),
        ...(redacting === undefined ? {} : { redacting }),
      },
      guard: (handler) =>
        above.guard(programs === undefined ? handler : chainTool([onlyPrograms(programs)], handler)),
      ...(model === undefined ? {} : { model }),
    };
    running.set(parentCall, reach);
    try {
      const spawned = await host.spawn({
        ...reach,
        within: { parentCall, agents: request.agents },
        originator,
        turn,
        hint: apart === undefined ? hint : [...hint, apart.hint],
        prompt,
        roundsMax,
        signal,
      });
      return { ...spawned, told: [...told, ...((await apart?.end()) ?? [])] };
    } catch (thrown) {
      await apart?.end();
      throw thrown;
    } finally {
      running.delete(parentCall);
    }
  };
}

async function apartFrom(request: SpawnRequest, host: SessionHost, workspace: string): Promise<Apart> {
  const { openApart } = await import("./worktree/agent-worktrees.ts");
  return await openApart(request, host, workspace);
}

interface ChosenForIt {
  readonly model?: () => ModelInUse;
  readonly told: readonly string[];
}

/** @throws HarnessError as `chooseModel` does, for a model that was named with its provider. */
async function modelFor(
  { model, signal }: SpawnRequest,
  above: Pick<Reach, "model">,
  { model: slot, models }: SessionHost,
): Promise<ChosenForIt> {
  const inherited = above.model === undefined ? {} : { model: above.model };
  if (model === undefined) return { ...inherited, told: [] };
  try {
    const opened = await slot.openBeside(await models.choose(model, {}, signal));
    return { model: () => opened, told: [] };
  } catch (thrown) {
    if (!SIZES.test(model) || !(thrown instanceof HarnessError) || thrown.reason !== "ProviderKeyMissing")
      throw thrown;
    return {
      ...inherited,
      told: [`It worked with this session's model: ${model} cannot be had, since there is no key for it.`],
    };
  }
}

import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { countSpent } from "../../session/budget/count-spent.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { DelegatedTask, DelegateRequest, DelegateTask } from "../../session/spawn.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import { delegateSection } from "./config.ts";
import { delegateTool } from "./tools/delegate-tool.ts";
import type { RunningAgents } from "./tools/running-agents.ts";

/**
 * Opens the tool Delegate (ENG-23), which gives a task to a cheaper model in a separate session. Returns undefined in
 * such a session, and if no cheaper model is configured or known. The task's cost counts against the cap of the
 * session that delegates it.
 */
export function openDelegate(
  host: SessionHost,
  running: RunningAgents,
): Pick<OpenFeature, "agentTools"> | undefined {
  const { store, model: slot, budget } = host;
  const { profile, wishes, root: workingDir } = host.plan();
  const keys = settingsOf(delegateSection, host.plan());
  const provider = slot.name.slice(0, slot.name.indexOf(":"));
  const small = smallModel(provider);
  const model = keys.model ?? (small === undefined ? undefined : `${provider}:${small}`);
  if (wishes.delegatedBy !== undefined || model === undefined) return undefined;
  return {
    agentTools({ delegate }) {
      const lazy = keys.model === undefined;
      const tool = delegateTool({ model, lazy, running, delegate: withinBudget(delegate) });
      return [selectPacks({ name: "delegate", tools: () => [tool] }, profile.toolPacks)];
    },
  };

  /** Gives a task what the session has left, and counts what it took. */
  function withinBudget(delegate: DelegateTask): (request: DelegateRequest) => Promise<DelegatedTask> {
    return async function delegateWithinBudget(request) {
      const { spend, capUsd, turn } = budget;
      if (turn.roundsLeft === 0) throw new HarnessError("TurnLimitReached", { rounds: "no round is left" });
      const { msLeft: maxTimeMs } = turn;
      const ended = await delegate(
        { ...request, workingDir },
        {
          maxTurns: turn.roundsLeft,
          ...defined({ maxTimeMs }),
          ...(capUsd === undefined ? {} : { maxCostUsd: Math.max(0, capUsd - spend.total.usd) }),
        },
      );
      turn.count(ended.rounds);
      await countSpent(store, ended.log, spend);
      return ended;
    };
  }
}

/** Returns the small and cheap model of a vendor, for tasks that need no larger one; undefined if none is known. */
function smallModel(provider: string): string | undefined {
  return Object.hasOwn(SMALL, provider) ? SMALL[provider] : undefined;
}

const SMALL: Readonly<Record<string, string>> = {
  anthropic: "claude-haiku-5-5",
  openai: "gpt-6-luna",
  vertex: "claude-haiku-5-5",
  zai: "glm-4.5-air",
};

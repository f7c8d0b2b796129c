import type { ModelSlot } from "../../app/models/model-slot.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { TurnLimits } from "../../engine/loop/turn-limits.ts";
import { smallModel } from "../../providers/choosing/prices.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionPart } from "../../session/session-part.ts";
import type { Spend } from "../../session/spend.ts";
import { withPacks } from "../../tools/pack.ts";
import type { Workspace } from "../../tools/tool.ts";
import { countSpent, DELEGATED } from "../limits/spent.ts";
import { delegateSection } from "./config.ts";
import { delegateTool } from "./tools/delegate-tool.ts";

/** A session that may hand tasks on, and what it has spent. */
export interface DelegateSources {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly profile: Profile;
  readonly workspace: Pick<Workspace, "root">;
  readonly slot: Pick<ModelSlot, "name">;
  readonly defaults: RunDefaults;
  readonly spend: Spend;
  /** US dollars for the session and what it hands on; undefined: without a cap. */
  readonly capUsd: number | undefined;
  /** Limits of a turn with its sub-agents. */
  readonly limits: Pick<TurnLimits, "roundsLeft" | "msLeft" | "count">;
  /** Whether the session is in plan mode now: then its tasks are, too. */
  readonly isPlanning: () => boolean;
}

/** Has the log of a task begin with whose it is. To be the first part of a session: nothing stands before it. */
export function taskOf({ delegatedBy }: Pick<RunDefaults, "delegatedBy">): SessionPart | undefined {
  if (delegatedBy === undefined) return undefined;
  const { session, logId: log, callId } = delegatedBy;
  const payload = { namespace: "cinch", kind: DELEGATED, payload: { session, log, callId } };
  return { serve: ({ publish }) => publish({ kind: "CustomEvent", payload }) };
}

/**
 * The tool Delegate (ENG-23): a task for a cheaper model in a session of its own. Undefined in such a session itself, and
 * where no cheaper model is named or known. What a task costs counts against the cap of the session that gave it.
 */
export function handingOn(sources: DelegateSources): SessionPart | undefined {
  const { session, logId, profile, workspace, slot, defaults, spend, capUsd, limits, isPlanning } = sources;
  const { delegate: open, delegatedBy, config, store } = defaults;
  const keys = settingsOf(delegateSection, { config, profile });
  const provider = slot.name.slice(0, slot.name.indexOf(":"));
  const small = smallModel(provider);
  const model = keys.model ?? (small === undefined ? undefined : `${provider}:${small}`);
  if (open === undefined || delegatedBy !== undefined || model === undefined) return undefined;
  const tool = delegateTool({
    model,
    lazy: keys.model === undefined,
    async delegate(request) {
      const { root: workingDir } = workspace;
      const { roundsLeft: maxTurns, msLeft: maxTimeMs } = limits;
      if (maxTurns === 0) throw new HarnessError("TurnLimitReached", { rounds: "no round is left" });
      const left = {
        maxTurns,
        ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
        ...(capUsd === undefined ? {} : { maxCostUsd: Math.max(0, capUsd - spend.total.usd) }),
      };
      // One that was named by its file is found by that alone.
      const name = profile.path.startsWith(EMBEDDED) ? profile.name : profile.path;
      const parent = { session, logId, profile: name, workingDir, planMode: isPlanning(), defaults, ...left };
      const ended = await open(parent, request);
      limits.count(ended.rounds);
      await countSpent(store, ended.log, spend);
      return ended;
    },
  });
  return { tools: [withPacks({ name: "delegate", tools: () => [tool] }, profile.toolPacks)] };
}

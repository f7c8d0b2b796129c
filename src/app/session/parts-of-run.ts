import { settingsOf } from "../../config/settings/settings.ts";
import type { TurnLimits } from "../../engine/loop/turn-limits.ts";
import { diagnosing } from "../../features/diagnostics/open.ts";
import type { OpenedHooks } from "../../features/hooks/open.ts";
import { openHooks } from "../../features/hooks/open.ts";
import { bounding } from "../../features/limits/run-bounds.ts";
import type { Tally } from "../../features/limits/tally.ts";
import { connecting } from "../../features/mcp/mcp.ts";
import { mentioning } from "../../features/mentions/open.ts";
import { planning } from "../../features/plan-mode/open.ts";
import { openPluginPart } from "../../features/plugins/open-plugins.ts";
import { switching } from "../../features/profiles/switching.ts";
import { writtenPrompts } from "../../features/prompts/prompt-templates.ts";
import type { UsedSkills } from "../../features/skills/skills.ts";
import { usingSkills } from "../../features/skills/skills.ts";
import { delegatingTo } from "../../features/subagents/agents.ts";
import { handingOn, taskOf } from "../../features/subagents/delegates.ts";
import { tasksSection } from "../../features/tasks/config.ts";
import { runningTasks } from "../../features/tasks/tasks.ts";
import { telling } from "../../features/telemetry/telemetry.ts";
import type { Permitting } from "../../guard/permissions/permitting.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { SessionHost } from "../../session/host.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { JoinedParts } from "../../session/session-part.ts";
import { joinParts } from "../../session/session-part.ts";
import type { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import { FEATURES } from "../features.ts";
import { partOf } from "./feature-part.ts";

/** What the parts of a session share with what stands around them. */
export interface PartSources {
  readonly host: SessionHost;
  readonly secrets: Redactor;
  readonly permission: Permitting;
  readonly permissionTimeoutMs: number;
  readonly sandbox: SessionSandboxes;
  readonly tally: Tally;
  /** Limits of the session's turns with all their sub-agents. */
  readonly limits: TurnLimits;
  /** Tells everybody, at any time while the session lives. */
  readonly publish: (event: Event) => void;
}

/** All that extends a session, and of it what stands elsewhere too. */
export interface OpenedParts {
  readonly parts: JoinedParts;
  readonly hooks: OpenedHooks | undefined;
  readonly skills: UsedSkills;
  /** The commands that outlive their turn, which Bash begins. */
  readonly runs: BackgroundRuns;
}

/**
 * Opens everything that extends a session, and joins it in the one order that holds for all of them: a further mechanism
 * is a line in this list.
 *
 * @throws HarnessError UnknownSkillPack, and what a setting of the user that is wrong ends the start with.
 */
export async function openParts(material: RunMaterial, sources: PartSources): Promise<OpenedParts> {
  const { profile, slot, trust, place, defaults } = material;
  const { host, secrets, permission, permissionTimeoutMs, sandbox, tally, limits, publish } = sources;
  const { world, paths, config } = defaults;
  const redact = (text: string) => secrets.text(text);
  const hooks = await openHooks(material, publish);
  const plan = planning({ ...material, permission, permissionTimeoutMs });
  const keys = settingsOf(tasksSection, { config, profile });
  const background = await runningTasks({ world, paths, profile, slot, keys, publish });
  const skills = usingSkills(material, redact);
  const plugins = await openPluginPart(material, permission);
  /** Opens a feature by its name. */
  const opened = async (name: string) => {
    const feature = FEATURES.find((each) => each.name === name);
    if (feature?.isUsed(host.plan()) !== true) return undefined;
    const open = await feature.open(host, undefined);
    return open === undefined ? undefined : partOf(open);
  };
  const parts = joinParts([
    await telling(material, redact),
    taskOf(defaults),
    switching({
      ...material,
      ...place,
      spentTogether: tally.together,
      reopen(next, succession) {
        const { chosenEffort: effort } = slot;
        const kept = { planMode: plan.active(), ...(effort === undefined ? {} : { effort }) };
        return place.reopen(next, succession, kept);
      },
    }),
    bounding(material.log, defaults),
    hooks?.part,
    await opened("memory"),
    skills.part,
    await connecting(material),
    plugins,
    diagnosing(material, sandbox),
    mentioning({ ...material, permission, ...(hooks === undefined ? {} : { hooks: hooks.part.gate ?? [] }) }),
    writtenPrompts(trust, place),
    delegatingTo({ ...material, sandbox }),
    handingOn({ ...material, ...tally, limits, isPlanning: plan.active }),
    plan.part,
    background.part,
  ]);
  return { parts, hooks, skills, runs: background.tasks.runs };
}

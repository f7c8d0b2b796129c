import { HarnessError } from "../../base/errors.ts";
import type { Profile } from "../../config/profile.ts";
import type { Permitting } from "../../guard/permissions/permitting.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import { assertHuman, TRUST_TIMEOUT_MS } from "../../session/questions/questions.ts";
import type { Ask } from "../../session/questions.ts";
import type { SessionPart, SessionSurface } from "../../session/session-part.ts";
import { withPacks } from "../../tools/pack.ts";
import { PLAN_MODE, PlanMode } from "./plan-mode.ts";
import { APPROVE, DENY, planTools } from "./plan-tools.ts";

/** What plan mode of one session is made from. */
export interface PlanningSources {
  readonly profile: Pick<Profile, "toolPacks">;
  readonly log: Pick<OpenedLog, "resumed">;
  readonly defaults: Pick<RunDefaults, "attended" | "planMode" | "delegatedBy">;
  readonly permission: Pick<Permitting, "onlyReads">;
  readonly permissionTimeoutMs: number;
}

export interface OpenedPlanning {
  readonly part: SessionPart;
  /** Whether it is in plan mode now. */
  active(): boolean;
}

/**
 * Plan mode of one session (ENG-21): its tools and its commands, what refuses calls meanwhile, and what tells the model
 * beside an input, where it never changes what stands before. It goes on where the log was in it.
 */
export function planning(sources: PlanningSources): OpenedPlanning {
  const { profile, log, defaults, permission, permissionTimeoutMs } = sources;
  let surface: SessionSurface | undefined;
  /** It was told how it stands since the last turn began, or there is nothing to tell. */
  let isTold = false;
  let isFollowed = false;
  const begun = defaults.planMode === true || log.resumed.planMode === true;
  const mode = new PlanMode(begun, {
    attended: defaults.attended,
    isTask: defaults.delegatedBy !== undefined,
    onlyReads: permission.onlyReads,
    tell(payload) {
      isTold = surface !== undefined;
      surface?.publish({ kind: "CustomEvent", payload: { namespace: "cinch", kind: PLAN_MODE, payload } });
    },
  });
  const ask: Ask = async (question, signal) =>
    surface === undefined ? { kind: "nobody" } : await surface.ask(question, signal);
  const answerMsMax = Math.max(TRUST_TIMEOUT_MS, permissionTimeoutMs);
  const part: SessionPart = {
    tools: [withPacks(planTools({ mode, ask, answerMsMax }), profile.toolPacks)],
    gate: [mode.gate],
    serve(given) {
      surface = given;
    },
    onFollowed() {
      if (isTold || isFollowed) return;
      isFollowed = true;
      if (begun && mode.active) mode.tell();
    },
    async onInput() {
      if (mode.active && !isTold) mode.tell();
      isTold = false;
      const text = mode.reminder();
      return text === undefined ? [] : [{ type: "text", text }];
    },
    async onTurnEnd() {
      mode.turnEnded();
    },
    commands: {
      async EnterPlanMode(_command, client) {
        mode.enter(client.id);
        return {};
      },
      async ExitPlanMode(command, client) {
        // It lets the session act: that is for a person to say.
        assertHuman(client, command.kind);
        const isAnswer = surface?.answerAbout("plan", command.approve ? APPROVE : DENY, client) ?? false;
        if (!isAnswer) leave(command, client.id);
        return {};
      },
    },
  };
  return { part, active: () => mode.active };

  function leave({ kind, approve }: CommandOf<"ExitPlanMode">, by: Parameters<typeof mode.leave>[0]): void {
    if (!mode.active)
      throw new HarnessError("InvalidCommand", { kind, why: "the session is not in plan mode" });
    if (!approve) {
      const why = "no plan waits for an answer; to leave plan mode without one, send it with approve: true";
      throw new HarnessError("InvalidCommand", { kind, why });
    }
    mode.leave(by);
  }
}

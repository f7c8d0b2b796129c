import { HarnessError } from "../../base/errors.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { assertHuman, TRUST_TIMEOUT_MS } from "../../session/questions/questions.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import { LEAVE_PLAN_MODE, PLAN_MODE, PlanMode } from "./plan-mode.ts";
import { APPROVE, DENY, planTools } from "./plan-tools.ts";

/**
 * Opens plan mode of one session (ENG-21): its tools, its commands, and the guard that refuses calls meanwhile. The
 * model is informed beside an input, so that the cached prefix never changes. Plan mode continues if the log ended
 * in it.
 */
export function openPlanMode(host: SessionHost): OpenFeature {
  const { profile, wishes, permissionTimeoutMs } = host.plan();
  /** True if subscribers know the state since the last turn began, or there is nothing to report. */
  let isTold = false;
  let isFollowed = false;
  const startsPlanning = wishes.planMode === true || host.log.resumed.planMode === true;
  const mode = new PlanMode(startsPlanning, {
    attended: wishes.attended,
    isTask: wishes.delegatedBy !== undefined,
    onlyReads: (call, context) => host.permissions.onlyReads(call, context),
    publish(payload) {
      isTold = true;
      host.publish({ kind: "CustomEvent", payload: { namespace: "cinch", kind: PLAN_MODE, payload } });
    },
  });
  const answerMsMax = Math.max(TRUST_TIMEOUT_MS, permissionTimeoutMs);
  return {
    tools: [selectPacks(planTools({ mode, ask: host.ask, answerMsMax }), profile.toolPacks)],
    around: [{ tool: "guard", run: mode.gate }],
    async forecast(call, context) {
      const why = await mode.refusal(call, context);
      return why === undefined ? [] : [{ kind: "refuses", why, remedy: LEAVE_PLAN_MODE }];
    },
    carries: () => ({ planMode: mode.active }),
    onFollowed() {
      if (isTold || isFollowed) return;
      isFollowed = true;
      if (startsPlanning && mode.active) mode.publish();
    },
    async onInput() {
      if (mode.active && !isTold) mode.publish();
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
        return { result: { planMode: mode.active } };
      },
      async ExitPlanMode(command, client) {
        // It lets the session act: only a person may decide that.
        assertHuman(client, command.kind);
        const isAnswer = host.answerAbout("plan", command.approve ? APPROVE : DENY, client);
        if (!isAnswer) leave(command, client.id);
        return { result: { planMode: mode.active } };
      },
    },
  };
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

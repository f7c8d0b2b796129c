import { HarnessError } from "../../base/errors.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { SessionDependencies } from "../../session/turns/session-dependencies.ts";
import type { Level } from "../../tools/tool-facts.ts";
import { LEVELS } from "../../tools/tool-facts.ts";
import { policyNotices } from "./policy.ts";

/** The plan of a session, which makes the next one with other wishes. */
interface ChangeablePlan {
  readonly current: Pick<SessionPlan, "wishes" | "policy" | "project">;
  change(change: Pick<SessionPlan, "wishes">): void;
}

/**
 * Returns the function that sets the level of a session, as `--level` does (PERM-02, CTL-19).
 *
 * The restrictions of the repository, and of an agent that opened the session, hold. A strict session can be lowered
 * and brought back to the level of its start, and no further.
 */
export function levelSetter(plans: ChangeablePlan): SessionDependencies["setLevel"] {
  const { ceiling: startLevel } = plans.current.policy;
  return function setLevel(level) {
    const { wishes, policy, project } = plans.current;
    if (policy.strict && LEVELS.indexOf(level) > LEVELS.indexOf(startLevel))
      throw refusal(level, `the session is strict, and began with ${startLevel}`);
    plans.change({ wishes: { ...wishes, level } });
    const { policy: next } = plans.current;
    if (next.ceiling !== level) {
      plans.change({ wishes });
      const who = project.length > 0 ? "the settings of the repository allow" : "the session was opened with";
      throw refusal(level, `${who} ${next.ceiling} at most`);
    }
    return { changed: level !== policy.ceiling, notices: policyNotices(next, wishes.autoApprove) };
  };
}

function refusal(level: Level, why: string): HarnessError {
  const advice = "Choose a lower level, or start another session";
  return new HarnessError("InvalidCommand", {
    kind: "SetLevel",
    why: `the level cannot be ${level}: ${why}. ${advice}`,
  });
}

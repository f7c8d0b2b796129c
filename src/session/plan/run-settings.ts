import { HarnessError } from "../../base/errors.ts";
import { isProfilePath } from "../../config/profile-files.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Limits, RunDefaults } from "./run-parts.ts";

type Create = CommandOf<"CreateSession">;

/** What an agent may say of its own session: each can only make it narrower. */
const FOR_AGENTS: readonly string[] = [
  "strictPermissions",
  "planMode",
  "maxTurns",
  "maxCostUsd",
  "maxTimeMs",
];

/**
 * What one session starts from: the engine's own settings, with what the client said that asked for it (CTL-11).
 *
 * A session that an agent asks for cannot ask a person to read the project's files first: nobody may be there.
 * @throws HarnessError InvalidCommand where an agent says what is for a person to say.
 */
export function runDefaults(
  defaults: RunDefaults,
  { run = {}, profile }: Pick<Create, "run" | "profile">,
  by: IdentityClass | undefined,
): RunDefaults {
  if (by === "agent") {
    if (profile !== undefined && isProfilePath(profile)) {
      const why = "a profile that is a file is for a person to name";
      throw new HarnessError("InvalidCommand", { kind: "CreateSession", why });
    }
    const other = Object.keys(run).find((name) => !FOR_AGENTS.includes(name));
    if (other !== undefined) {
      const why = `run.${other} is for a person to say`;
      throw new HarnessError("InvalidCommand", { kind: "CreateSession", why });
    }
  }
  const { environment, level, effort, maxTurns, maxCostUsd, maxTimeMs, lockfile, ...switches } = run;
  const limits: Limits = {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
  };
  return {
    ...defaults,
    ...(level === undefined ? {} : { level }),
    ...(effort === undefined ? {} : { effort }),
    ...(by === "agent" ? { atMost: limits } : limits),
    begun: {
      ...limits,
      ...(level === undefined ? {} : { level }),
      ...(run.strictPermissions === true ? { strict: true } : {}),
    },
    ...(lockfile === undefined ? {} : { lockfile }),
    ...(environment === undefined ? {} : { environment }),
    ...given(switches),
    ...(by === "agent" ? { asksTrust: false, unread: true as const } : {}),
    ...(by === "agent" && run.planMode === false ? { planMode: defaults.planMode ?? false } : {}),
    ...(run.strictPermissions === false ? { strictPermissions: defaults.strictPermissions } : {}),
  };
}

/** The lower of two limits, each of which may not be there. */
export function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** Switches that were said, one way or the other. */
function given<Switches extends Readonly<Record<string, boolean | undefined>>>(
  switches: Switches,
): { readonly [Name in keyof Switches]?: boolean } {
  const said = Object.entries(switches).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as { readonly [Name in keyof Switches]?: boolean };
}

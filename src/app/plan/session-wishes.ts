import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { isProfilePath } from "../../config/profile-path.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Limits, SessionWishes } from "../../session/plan.ts";

type Create = CommandOf<"CreateSession">;

/** Wishes that an agent may have for its own session: each can only make it narrower. */
const FOR_AGENTS: readonly string[] = [
  "strictPermissions",
  "planMode",
  "maxTurns",
  "maxCostUsd",
  "maxTimeMs",
];

/**
 * Returns the wishes for one session: the engine's own, with those of the client that asked for it (CTL-11).
 *
 * Flags of the engine's own command line for its session alone hold for no other. A session that an agent asks for
 * cannot ask a person to read the project's files first: nobody may be there.
 * @throws HarnessError InvalidCommand if an agent sets what only a person may set.
 */
export function wishesFor(
  {
    appendSystemPrompt: _appended,
    allow: _allow,
    addDirs: _added,
    mcpServers: _servers,
    ...engine
  }: SessionWishes,
  { run = {}, profile }: Pick<Create, "run" | "profile">,
  by: IdentityClass | undefined,
): SessionWishes {
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
  const limits: Limits = defined({ maxTurns, maxCostUsd, maxTimeMs });
  return {
    ...engine,
    ...defined({ level, effort }),
    ...(by === "agent" ? { atMost: limits } : limits),
    begun: {
      ...limits,
      ...defined({ level }),
      ...(run.strictPermissions === true ? { strict: true } : {}),
    },
    ...defined({ lockfile, environment, ...switches }),
    ...(by === "agent" ? { asksTrust: false, unread: true as const } : {}),
    ...(by === "agent" && run.planMode === false ? { planMode: engine.planMode ?? false } : {}),
    ...(run.strictPermissions === false ? { strictPermissions: engine.strictPermissions } : {}),
  };
}

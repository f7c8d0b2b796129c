import { defined } from "../../../base/defined.ts";
import type { Accepted, CommandKind } from "../../../protocol/commands/commands.ts";
import { readAccepted } from "../../../protocol/commands/results.ts";
import type { SessionOptions } from "./options.ts";

/** Options with the values that they had when the engine answered a command. */
export type AnsweredOptions = Partial<Pick<SessionOptions, "model" | "effort" | "level" | "planMode">>;

/** Returns the options that the answer to a command tells; none for a command that is about something else. */
export function answeredOptions(kind: CommandKind, accepted: Accepted): AnsweredOptions {
  switch (kind) {
    case "SetModel": {
      const { model, effort } = readAccepted(kind, accepted).result ?? {};
      return defined({ model, effort });
    }
    case "SetLevel":
      return defined({ level: readAccepted(kind, accepted).result?.level });
    case "EnterPlanMode":
    case "ExitPlanMode":
      return defined({ planMode: readAccepted(kind, accepted).result?.planMode });
    default:
      return {};
  }
}

import { defined } from "../../../base/defined.ts";
import type { EffortWord } from "../../../protocol/effort.ts";
import type { Services } from "../layout/services.ts";

/** Model and effort of the session that is shown, as far as they are known. */
export interface CurrentModel {
  /** `provider:name`. */
  readonly model?: string;
  /** Absent: the configuration decides. */
  readonly effort?: EffortWord;
}

/** Returns the model of the session that is shown; nothing if there is none. */
export function currentModel({ session }: Pick<Services, "session">): CurrentModel {
  const { open, view } = session;
  const model = view.run?.model ?? open?.model;
  return defined({ model, effort: view.run?.effort });
}

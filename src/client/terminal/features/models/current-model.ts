import { defined } from "../../../../base/defined.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { EffortWord } from "../../../../protocol/effort.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { Services } from "../../layout/services.ts";

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

/** Sets the model of the session that is shown, or of a new one if there is none, and says so. */
export async function applyModel(
  { session, say }: Pick<Services, "session" | "say">,
  model: string,
  effort: EffortWord | undefined,
): Promise<void> {
  const { session: sessionId } = await session.session();
  const answer = await session.send({ kind: "SetModel", sessionId, model, ...defined({ effort }) });
  if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
  const { notices = [], effort: chosen } = answer.result ?? {};
  const words = chosen === undefined ? "" : `, effort ${chosen}`;
  const [notice] = notices;
  if (notice === undefined) say(`${model}${words} from the next request of this session on.`);
  else say(notice, "warning");
}

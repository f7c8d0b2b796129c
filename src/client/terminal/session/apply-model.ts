import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { EffortWord } from "../../../protocol/effort.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { Services } from "../layout/services.ts";

export interface AppliedModel {
  /** `provider:name`. */
  readonly model: string;
  /** Default: the configuration decides. */
  readonly effort?: EffortWord;
  /** Sentence about the change. Default: the model, its effort and the time from which it answers. */
  readonly done?: string;
}

/** Sets the model of the session that is shown, or of a new one if there is none. Says so, or why it is refused. */
export async function applyModel(
  { session, say }: Pick<Services, "session" | "say">,
  { model, effort, done }: AppliedModel,
): Promise<void> {
  const { session: sessionId } = await session.session();
  const answer = await session.send({ kind: "SetModel", sessionId, model, ...defined({ effort }) });
  if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
  const { notices = [], effort: chosen } = answer.result ?? {};
  const words = chosen === undefined ? "" : `, effort ${chosen}`;
  const [notice] = notices;
  if (notice !== undefined) say(notice, "warning");
  else say(done ?? `${model}${words} from the next request of this session on.`);
}

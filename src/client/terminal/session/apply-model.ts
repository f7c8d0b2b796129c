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

/**
 * Sets the model of the session that is shown. If there is none, begins one with it: without a model that the
 * configuration names, none begins otherwise. Says so, or why it is refused.
 */
export async function applyModel(
  { session, say }: Pick<Services, "session" | "say">,
  { model, effort, done }: AppliedModel,
): Promise<void> {
  if (session.open === undefined) {
    await session.goTo({ kind: "new", model });
    // TypeScript does not see that the wait has opened one. A refusal was said.
    if ((session.open as unknown) === undefined) return;
    if (effort === undefined) return say(done ?? saidOf(model));
  }
  const { session: sessionId } = await session.session();
  const answer = await session.send({ kind: "SetModel", sessionId, model, ...defined({ effort }) });
  if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
  const { notices = [], effort: chosen } = answer.result ?? {};
  const [notice] = notices;
  if (notice !== undefined) say(notice, "warning");
  else say(done ?? saidOf(model, chosen));
}

function saidOf(model: string, effort?: EffortWord): string {
  return `${model}${effort === undefined ? "" : `, effort ${effort}`} from the next request of this session on.`;
}

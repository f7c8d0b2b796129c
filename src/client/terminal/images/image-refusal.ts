import { HarnessError } from "../../../base/errors.ts";
import type { Services } from "../layout/services.ts";
import { currentModel } from "../session/current-model.ts";

/** Returns a sentence if the model of the session is known to take no images; undefined otherwise. */
export async function imageRefusal({
  session,
  keys,
}: Pick<Services, "session" | "keys">): Promise<string | undefined> {
  const { model } = currentModel({ session });
  if (model === undefined) return undefined;
  const answer = await session.query({ kind: "ListProviders", models: true });
  if (answer instanceof HarnessError) return undefined; // the engine refuses what the model does not take
  const infos = answer.providers.flatMap(({ name, models = [] }) =>
    models.filter(({ id }) => `${name}:${id}` === model),
  );
  const isRefused = infos.some(({ accepts }) => accepts !== undefined && !accepts.includes("image"));
  const key = keys.label("model.open", "the palette");
  return isRefused
    ? `${model} takes no images: choose another model (${key}), or remove the image.`
    : undefined;
}

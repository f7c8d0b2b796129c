import { HarnessError } from "../../../base/errors.ts";
import type { TerminalFeature } from "../layout/feature.ts";
import { inBackground } from "../layout/in-background.ts";
import type { Services } from "../layout/services.ts";
import { readClipboardImage } from "./clipboard-image.ts";

/** Pastes the image of the clipboard into the draft (TUI-08). */
export function images(services: Services): TerminalFeature {
  return { actions: { "input.pasteImage": () => inBackground(pasteImage(services), services) } };
}

async function pasteImage(services: Services): Promise<void> {
  const { host, draft, say, tell, redraw } = services;
  try {
    const read = await readClipboardImage(host);
    if ("why" in read) say(read.why, "warning");
    else draft.insertImage(read);
    redraw();
  } catch (thrown) {
    tell(thrown);
  }
}

/** Returns a sentence if the model of the session is known to take no images; undefined otherwise. */
export async function imageRefusal({
  session,
  keys,
}: Pick<Services, "session" | "keys">): Promise<string | undefined> {
  const model = session.view.run?.model ?? session.open?.model;
  if (model === undefined) return undefined;
  const answer = await session.query({ kind: "ListProviders", models: true });
  if (answer instanceof HarnessError) return undefined; // the engine refuses what the model does not take
  const infos = answer.providers.flatMap(({ name, models = [] }) =>
    models.filter(({ id }) => `${name}:${id}` === model),
  );
  const isRefused = infos.some(({ accepts }) => accepts !== undefined && !accepts.includes("image"));
  const key = keys.keysOf("model.open")[0] ?? "the palette";
  return isRefused
    ? `${model} takes no images: choose another model (${key}), or remove the image.`
    : undefined;
}

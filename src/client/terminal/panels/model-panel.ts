import { HarnessError } from "../../../base/errors.ts";
import { grouped } from "../../../base/text/text.ts";
import type { ModelInfo } from "../../../protocol/resources.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { Services } from "../layout/services.ts";
import type { ListContent, ListEntry } from "./list-panel.ts";
import { ListPanel } from "./list-panel.ts";

/** Opens the list of models, with price, window and efforts. The choice holds for this session. */
export function openModels(services: Services): void {
  let content: ListContent<string> = { entries: [], note: "asking the providers for their models …" };
  const panel = new ListPanel<string>({
    title: "Models (for this session)",
    services,
    content: () => content,
    choose: (model) => void setModel(model, services),
  });
  services.open(panel);
  void readModels(services).then((read) => {
    content = read;
    services.redraw();
  });
}

async function readModels({ session }: Services): Promise<ListContent<string>> {
  const answer = await session.query({ kind: "ListProviders", models: true });
  if (answer instanceof HarnessError) return { entries: [], note: refusalText(answer) };
  const entries = answer.providers.flatMap(({ name, models = [] }) =>
    models.map((model) => entryOf(name, model)),
  );
  const failed = answer.providers.flatMap(({ name, configured, error }) =>
    configured && error !== undefined ? [`${name}: ${error}`] : [],
  );
  return failed.length === 0 ? { entries } : { entries, note: failed.join("\n") };
}

function entryOf(provider: string, model: ModelInfo): ListEntry<string> {
  const { id, name, context_tokens: context, price, efforts = [] } = model;
  const facts = [
    ...(name === undefined || name === id ? [] : [name]),
    ...(context === undefined ? [] : [`${grouped(context)} tokens`]),
    ...(price === undefined ? ["price unknown"] : [`$${price.input} in, $${price.output} out per million`]),
    ...(efforts.length === 0 ? [] : [`effort ${efforts.join(" ")}`]),
  ];
  return { value: `${provider}:${id}`, label: `${provider}:${id}`, detail: facts.join(" · ") };
}

async function setModel(model: string, { session, say }: Services): Promise<void> {
  const { open } = session;
  if (open === undefined) return say("No session is open yet: send a prompt first.", "warning");
  const answer = await session.send({ kind: "SetModel", sessionId: open.session, model });
  if (answer instanceof HarnessError) say(refusalText(answer), "failure");
}

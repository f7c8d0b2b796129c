import { defined } from "../../../../base/defined.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { EffortWord } from "../../../../protocol/effort.ts";
import { EFFORT_WORDS } from "../../../../protocol/effort.ts";
import { modelFacts } from "../../../../view/facts/model-facts.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName } from "../../keys/actions.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import { applyModel } from "../../session/apply-model.ts";
import { currentModel } from "../../session/current-model.ts";
import type { ListedModel } from "./model-entries.ts";
import { MODEL_COLUMNS, modelEntry, nextEffort } from "./model-entries.ts";

/** Opens the list of models with price, window and effort. The choice holds for this session from its next request. */
export function openModels(services: Services): void {
  new ModelList(services).open();
}

class ModelList {
  readonly #services: Services;
  readonly #panel: ListPanel<ListedModel>;
  #models: readonly ListedModel[] = [];
  #note: string | undefined = "asking the providers for their models …";
  #content: ListContent<ListedModel> = { entries: [] };
  #effort: EffortWord | undefined;
  /** True once the person has changed the effort. */
  #isEffortChosen = false;

  constructor(services: Services) {
    this.#services = services;
    this.#effort = currentModel(services).effort;
    this.#panel = new ListPanel<ListedModel>({
      title: "Model for this session",
      place: "full",
      services,
      contexts: ["models"],
      columns: MODEL_COLUMNS,
      content: () => this.#content,
      facts: () => `effort: ${this.#effort ?? "as configured"}`,
      hints: () => [
        ["list.choose", "use for this session"],
        ["models.lessEffort", "less effort"],
        ["models.moreEffort", "more effort"],
        ["models.favourite", "favourite"],
        ["model.next", "next favourite, anywhere"],
      ],
      choose: ({ model }) =>
        inBackground(
          applyModel(services, { model, ...(this.#isEffortChosen ? defined({ effort: this.#effort }) : {}) }),
          services,
        ),
      act: (action, listed) => this.#act(action, listed),
      preview: (listed, { columns, rows }) => previewOf(listed, columns).slice(0, rows),
    });
    this.#refresh();
  }

  open(): void {
    this.#services.open(this.#panel);
    inBackground(this.#read(), this.#services);
  }

  #act(action: ActionName, listed: ListedModel | undefined): boolean {
    switch (action) {
      case "models.lessEffort":
        return this.#changeEffort(listed, -1);
      case "models.moreEffort":
        return this.#changeEffort(listed, 1);
      case "models.favourite":
        if (listed !== undefined) this.#toggleFavourite(listed.model);
        return true;
      default:
        return false;
    }
  }

  #changeEffort(listed: ListedModel | undefined, by: 1 | -1): true {
    const { efforts = EFFORT_WORDS } = listed?.info ?? {};
    if (efforts.length === 0) this.#services.say("This model has no efforts.");
    else {
      this.#effort = nextEffort(this.#effort, efforts, by);
      this.#isEffortChosen = true;
    }
    return true;
  }

  #toggleFavourite(model: string): void {
    const { settings } = this.#services;
    const { favouriteModels: before } = settings.values;
    const favouriteModels = before.includes(model)
      ? before.filter((each) => each !== model)
      : [...before, model];
    settings.change({ favouriteModels });
    this.#refresh();
  }

  async #read(): Promise<void> {
    const answer = await this.#services.session.query({ kind: "ListProviders", models: true });
    if (answer instanceof HarnessError) {
      this.#note = refusalText(answer);
      return this.#refresh();
    }
    this.#models = answer.providers.flatMap(({ name, models = [] }) =>
      models.map((info) => ({ model: `${name}:${info.id}`, info })),
    );
    const failed = answer.providers.flatMap(({ name, configured, error }) =>
      configured && error !== undefined ? [`${name}: ${error}`] : [],
    );
    const none = this.#models.length === 0 ? [this.#noneText()] : [];
    const notes = [...failed, ...none];
    this.#note = notes.length === 0 ? undefined : notes.join("\n");
    this.#refresh();
    const { model } = currentModel(this.#services);
    this.#panel.goTo((listed) => listed.model === model);
  }

  #noneText(): string {
    const key = this.#services.keys.label("model.setUp", "the palette");
    return `No provider is set up: ${key} sets one up. One that you have just written into config.toml counts once cinch was closed for some seconds.`;
  }

  /** Makes the entries again: favourites first, then the others in the order of their providers. */
  #refresh(): void {
    const { model: current } = currentModel(this.#services);
    const { favouriteModels: favourites } = this.#services.settings.values;
    const listed = withCurrent(this.#models, current);
    const isFavourite = ({ model }: ListedModel) => favourites.includes(model);
    const models = [...listed.filter(isFavourite), ...listed.filter((each) => !isFavourite(each))];
    const entries = models.map((each) => modelEntry(each, { current, favourites }));
    this.#content = { entries, ...defined({ note: this.#note }) };
    this.#panel.refresh();
  }
}

/** Returns the models with the one in use, which the catalogue of its provider may lack. */
function withCurrent(models: readonly ListedModel[], current: string | undefined): readonly ListedModel[] {
  if (current === undefined || models.some(({ model }) => model === current)) return models;
  return [{ model: current, info: { id: current.slice(current.indexOf(":") + 1) } }, ...models];
}

function previewOf({ info }: ListedModel, columns: number): readonly DrawnRow[] {
  const { efforts } = info;
  const effort =
    efforts === undefined
      ? "efforts unknown"
      : efforts.length === 0
        ? "no efforts"
        : `efforts: ${efforts.join(", ")}`;
  return [
    ...modelFacts(info),
    effort,
    "It is used from the next request of this session on, also while a turn runs or waits to try again. default_model in config.toml sets the model of new sessions.",
  ].flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns }));
}

import type { EffortWord } from "../../../../protocol/effort.ts";
import type { ModelInfo, PriceInfo } from "../../../../protocol/resources.ts";
import { windowText } from "../../../../view/facts/model-facts.ts";
import type { ListColumn, PanelEntry } from "../../panels/list-entry.ts";

/** A model that a session could use. */
export interface ListedModel {
  /** `provider:id`. */
  readonly model: string;
  readonly info: ModelInfo;
}

export const MODEL_COLUMNS: readonly ListColumn[] = [
  { name: "context" },
  { name: "$ in" },
  { name: "$ out" },
  { name: "accepts", isLeft: true },
];

/** Text of a cell whose size or price is not known. */
const UNKNOWN = "–";

/** Returns the entry of a model: prices are US dollars for a million tokens. */
export function modelEntry(
  listed: ListedModel,
  { current, favourites }: { readonly current: string | undefined; readonly favourites: readonly string[] },
): PanelEntry<ListedModel> {
  const { model, info } = listed;
  const { name, id, context_tokens: context, price } = info;
  const isCurrent = model === current;
  const isFavourite = favourites.includes(model);
  const facts = [...(isCurrent ? ["in use"] : []), ...(name === undefined || name === id ? [] : [name])];
  return {
    value: listed,
    label: model,
    detail: facts.join(" · "),
    sign: { text: isCurrent ? "●" : isFavourite ? "★" : " ", role: isCurrent ? "success" : "warning" },
    cells: [
      { text: context === undefined ? UNKNOWN : windowText(context) },
      { text: rateText(price, "input") },
      { text: rateText(price, "output") },
      { text: accepted(info) },
    ],
  };
}

function accepted({ accepts = [], thinking }: ModelInfo): string {
  const media = accepts.filter((kind) => kind !== "text").map((kind) => (kind === "image" ? "images" : kind));
  return [...media, ...(thinking === true ? ["thinking"] : [])].join(" ");
}

function rateText(price: PriceInfo | undefined, kind: "input" | "output"): string {
  return price === undefined ? UNKNOWN : String(Number(price[kind].toPrecision(4)));
}

/** Returns the effort above or below one, among those that a model has. */
export function nextEffort(
  effort: EffortWord | undefined,
  efforts: readonly EffortWord[],
  by: 1 | -1,
): EffortWord | undefined {
  if (efforts.length === 0) return effort;
  const at = effort === undefined ? -1 : efforts.indexOf(effort);
  if (at < 0) return by > 0 ? efforts[0] : efforts.at(-1);
  return efforts[Math.max(0, Math.min(efforts.length - 1, at + by))];
}

import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, numberAt, stringAt } from "../../../base/json.ts";

/** Fields that hold the text of thinking, the one that goes back under its name first. */
const FIELDS = ["reasoning_content", "reasoning", "cot_summary"] as const;

/** What the thinking of a chat completion must be sent back with, under the field names of its vendor. */
export type ReasoningData = { readonly [field: string]: unknown };

/**
 * The thinking of a chat completion, under whichever name its vendor sends it, and what goes back to the same family:
 * the text in its own field, and `reasoning_details` (OpenRouter: signatures of the model behind it) joined by index.
 * A summary (`cot_summary`) is shown only.
 */
export class ChatReasoning {
  #field: string | undefined;
  readonly #details: Record<string, unknown>[] = [];

  /** Takes the thinking out of one delta; the answer is its text. */
  take(delta: JsonObject): string {
    for (const detail of arrayAt(delta, "reasoning_details")) {
      if (isObject(detail)) this.#join(detail);
    }
    // Some gateways send the same text in two fields: the first counts.
    const field = FIELDS.find((name) => (stringAt(delta, name) ?? "") !== "");
    if (field === undefined) return "";
    this.#field ??= field;
    return stringAt(delta, field) ?? "";
  }

  /** Details came that no text has claimed: thinking that is only there to be sent back. */
  get isPending(): boolean {
    return this.#details.length > 0;
  }

  /** What to send back for the thinking that has this text, and starts anew. */
  end(text: string): ReasoningData {
    const field = this.#field === "cot_summary" ? undefined : this.#field;
    const details = this.#details.splice(0);
    this.#field = undefined;
    return {
      ...(field === undefined ? {} : { [field]: text }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
    };
  }

  #join(detail: JsonObject): void {
    const last = this.#details.at(-1);
    const isText = detail["type"] === "reasoning.text" || detail["type"] === "reasoning.summary";
    if (!isText || last === undefined || last["type"] !== detail["type"] || !sameIndex(last, detail)) {
      this.#details.push({ ...detail });
      return;
    }
    for (const key of ["text", "summary"]) {
      const before = stringAt(last, key);
      const more = stringAt(detail, key);
      if (more !== undefined) last[key] = (before ?? "") + more;
    }
    for (const key of ["signature", "id", "format"]) {
      if (detail[key] !== undefined && detail[key] !== null) last[key] = detail[key];
    }
  }
}

function sameIndex(one: JsonObject, other: JsonObject): boolean {
  return numberAt(one, "index") === numberAt(other, "index");
}

import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, numberAt, stringAt } from "../../../base/json.ts";

/** Fields that hold the text of thinking. The first non-empty one is used. */
const FIELDS = ["reasoning_content", "reasoning", "cot_summary"] as const;

export function isReasoningField(name: string): boolean {
  return FIELDS.some((field) => field === name);
}

/** Data to send back with the thinking of a chat completion, under the vendor's field names. */
export type ReasoningData = { readonly [field: string]: unknown };

/**
 * Collects the thinking of a chat completion, under any vendor's field name, and the data to send back to the same
 * family: the text in its original field, and `reasoning_details` (OpenRouter: signatures of the model behind it)
 * joined by index. A summary (`cot_summary`) is only shown.
 */
export class ChatReasoning {
  #field: string | undefined;
  readonly #details: Record<string, unknown>[] = [];

  /** Takes the thinking out of one delta and returns its text. */
  take(delta: JsonObject): string {
    for (const detail of arrayAt(delta, "reasoning_details")) {
      if (isObject(detail)) this.#join(detail);
    }
    // Some gateways send the same text in two fields: only the first is used.
    const field = FIELDS.find((name) => (stringAt(delta, name) ?? "") !== "");
    if (field === undefined) return "";
    this.#field ??= field;
    return stringAt(delta, field) ?? "";
  }

  /** True if details came without text: thinking that only has to be sent back. */
  get isPending(): boolean {
    return this.#details.length > 0;
  }

  /** Returns the data to send back for the thinking with this text, and resets. */
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

import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, objectAt, parseJson, stringAt } from "../../base/json.ts";
import type { ModelBlock, ModelEvent } from "../provider.ts";
import type { DialectDress } from "./dialect.ts";
import { TextRun } from "./text-run.ts";
import { isSurelyWhole, toolCall } from "./tool-call.ts";

/** One content block of the Messages wire between its start and its stop. */
export class OpenBlock {
  /** The block as it was started, with what its deltas added, for blocks that go back verbatim. */
  readonly #block: Record<string, unknown>;
  readonly #run = new TextRun();
  #json = "";
  #index: number | undefined;
  readonly #nextIndex: () => number;
  readonly #dress: DialectDress;

  /** `nextIndex` gives the block its place in the answer when it is first heard of. */
  constructor(block: JsonObject, nextIndex: () => number, dress: DialectDress) {
    this.#block = { ...block };
    this.#nextIndex = nextIndex;
    this.#dress = dress;
  }

  get type(): string {
    return stringAt(this.#block, "type") ?? "";
  }

  /** The text that the block was started with, as a first delta; nearly always none. */
  start(): readonly ModelEvent[] {
    if (this.type === "text") return this.#shown("text", stringAt(this.#block, "text") ?? "");
    if (this.type === "thinking") return this.#shown("thinking", stringAt(this.#block, "thinking") ?? "");
    return [];
  }

  take(delta: JsonObject): readonly ModelEvent[] {
    switch (stringAt(delta, "type")) {
      case "text_delta":
        return this.#shown("text", stringAt(delta, "text") ?? "");
      case "thinking_delta":
        return this.#shown("thinking", stringAt(delta, "thinking") ?? "");
      case "signature_delta":
        this.#block["signature"] =
          `${stringAt(this.#block, "signature") ?? ""}${stringAt(delta, "signature") ?? ""}`;
        return [];
      case "input_json_delta":
        this.#json += stringAt(delta, "partial_json") ?? "";
        return [];
      case "citations_delta":
        this.#block["citations"] = [...arrayAt(this.#block, "citations"), delta["citation"]];
        return [];
      default:
        this.#merge(delta);
        return [];
    }
  }

  /** Whether the output limit may have cut this call before its arguments were whole. */
  get mayBeCut(): boolean {
    return this.type === "tool_use" && !isSurelyWhole(this.#argumentsText);
  }

  /** The last of the text, then the finished block; nothing for a text without any characters. */
  stop(): readonly ModelEvent[] {
    const { type } = this;
    const rest = type === "text" || type === "thinking" ? this.#event(type, this.#run.end()) : [];
    const block = this.#finished();
    return block === undefined ? rest : [...rest, { kind: "block", index: this.#place(), block }];
  }

  #place(): number {
    this.#index ??= this.#nextIndex();
    return this.#index;
  }

  #finished(): ModelBlock | undefined {
    const family = this.#dress.family;
    switch (this.type) {
      case "text":
        return this.#run.text === "" ? undefined : { type: "text", text: this.#run.text };
      case "thinking": {
        const data = { ...this.#block, thinking: this.#run.text };
        return { type: "thinking", family, text: this.#run.text, data };
      }
      case "redacted_thinking":
        return { type: "thinking", family, text: "", data: { ...this.#block } };
      case "tool_use":
        return toolCall(stringAt(this.#block, "name") ?? "", this.#argumentsText, this.#dress);
      default:
        return { type: "opaque", family, data: this.#opaque() };
    }
  }

  /** The arguments as they came in deltas or, from servers that send them whole, with the start. */
  get #argumentsText(): string {
    const input = objectAt(this.#block, "input");
    if (this.#json !== "" || input === undefined || Object.keys(input).length === 0) return this.#json;
    return JSON.stringify(input);
  }

  #opaque(): JsonObject {
    if (this.#json.trim() === "") return { ...this.#block };
    const parsed = parseJson(this.#json);
    return { ...this.#block, input: isObject(parsed?.value) ? parsed.value : {} };
  }

  #shown(kind: "text" | "thinking", delta: string): readonly ModelEvent[] {
    return this.type === kind ? this.#event(kind, this.#run.push(delta)) : [];
  }

  #event(kind: "text" | "thinking", text: string): readonly ModelEvent[] {
    return text === "" ? [] : [{ kind, index: this.#place(), text }];
  }

  /** A delta of a kind that is not known here: its texts are appended, everything else replaces. */
  #merge(delta: JsonObject): void {
    for (const [key, value] of Object.entries(delta)) {
      if (key === "type" || key === "__proto__") continue;
      const before = this.#block[key];
      this.#block[key] = typeof before === "string" && typeof value === "string" ? before + value : value;
    }
  }
}

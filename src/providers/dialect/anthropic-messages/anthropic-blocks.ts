import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, objectAt, parseJson, stringAt } from "../../../base/json.ts";
import type { ModelBlock } from "../../provider.ts";
import type { ArgumentsFeed } from "../answer/arguments-feed.ts";
import { TextRun } from "../answer/text-run.ts";
import { isCompleteCall, toolCall } from "../answer/tool-call.ts";
import type { DialectContext, Emit } from "../dialect.ts";

/** Parts of the answer that a block needs. */
export interface BlockContext {
  /** Returns the block's index in the answer, at its first event. */
  readonly nextIndex: () => number;
  readonly emit: Emit;
  readonly feed: ArgumentsFeed;
  readonly context: DialectContext;
}

/** One content block of the Messages API between its start and its stop. */
export class OpenBlock {
  /** The started block with its deltas added, for blocks that go back verbatim. */
  readonly #block: Record<string, unknown>;
  readonly #run = new TextRun();
  #json = "";
  #index: number | undefined;
  readonly #answer: BlockContext;
  readonly type: string;

  constructor(block: JsonObject, answer: BlockContext) {
    this.#block = { ...block };
    this.type = stringAt(block, "type") ?? "";
    this.#answer = answer;
  }

  /** Emits the text that the block was started with as a first delta, nearly always empty. */
  start(): void {
    if (this.type === "tool_use") this.#feed("", "");
    if (this.type === "text") this.#show("text", stringAt(this.#block, "text") ?? "");
    if (this.type === "thinking") this.#show("thinking", stringAt(this.#block, "thinking") ?? "");
  }

  take(delta: JsonObject): void {
    switch (stringAt(delta, "type")) {
      case "text_delta":
        this.#show("text", stringAt(delta, "text") ?? "");
        break;
      case "thinking_delta":
        this.#show("thinking", stringAt(delta, "thinking") ?? "");
        break;
      case "signature_delta":
        this.#block["signature"] =
          `${stringAt(this.#block, "signature") ?? ""}${stringAt(delta, "signature") ?? ""}`;
        break;
      case "input_json_delta":
        this.#takeJson(stringAt(delta, "partial_json") ?? "");
        break;
      case "citations_delta":
        this.#block["citations"] = [...arrayAt(this.#block, "citations"), delta["citation"]];
        break;
      default:
        this.#merge(delta);
    }
  }

  #takeJson(json: string): void {
    this.#json += json;
    if (this.type === "tool_use") this.#feed(json, this.#json);
  }

  #feed(text: string, all: string): void {
    // The index is taken in any case, so that it is the same whether somebody listens or not.
    this.#answer.feed.add(this.#place(), stringAt(this.#block, "name") ?? "", { text, all });
  }

  /** True if the output limit may have cut this call before its arguments were complete. */
  get mayBeCut(): boolean {
    return this.type === "tool_use" && !isCompleteCall(this.#argumentsText);
  }

  /** Emits the rest of the text, then the finished block; nothing for an empty text. */
  stop(): void {
    const { type } = this;
    if (type === "text" || type === "thinking") this.#emitText(type, this.#run.end());
    if (type === "tool_use" && this.#json === "") this.#feed(this.#argumentsText, this.#argumentsText);
    const block = this.#finished();
    if (block !== undefined) this.#answer.emit({ kind: "block", index: this.#place(), block });
  }

  #place(): number {
    this.#index ??= this.#answer.nextIndex();
    return this.#index;
  }

  #finished(): ModelBlock | undefined {
    const { context } = this.#answer;
    const { family } = context;
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
        return toolCall(stringAt(this.#block, "name") ?? "", this.#argumentsText, context);
      default:
        return { type: "opaque", family, data: this.#opaque() };
    }
  }

  /** Arguments that came in deltas or, from servers that send them whole, with the start. */
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

  #show(kind: "text" | "thinking", delta: string): void {
    if (this.type === kind) this.#emitText(kind, this.#run.push(delta));
  }

  #emitText(kind: "text" | "thinking", text: string): void {
    if (text !== "") this.#answer.emit({ kind, index: this.#place(), text });
  }

  /** Merges a delta of an unknown kind: its texts are appended, everything else replaces. */
  #merge(delta: JsonObject): void {
    for (const [key, value] of Object.entries(delta)) {
      if (key === "type" || key === "__proto__") continue;
      const before = this.#block[key];
      this.#block[key] = typeof before === "string" && typeof value === "string" ? before + value : value;
    }
  }
}

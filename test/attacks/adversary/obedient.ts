import type { JsonObject } from "../../../src/base/json.ts";
import { arrayAt, isObject, parseJson, stringAt } from "../../../src/base/json.ts";
import type { MockRequest } from "../../support/mock-provider/mock-provider.ts";
import type { Part, Turn } from "../../support/mock-provider/turn.ts";

/** A call that a text asks for; in its strings `{{OUT}}` stands for what the call before it answered. */
export interface Order {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Outcome of an order. */
export interface Outcome {
  readonly id: string;
  readonly output: string;
  readonly isError: boolean;
}

/** A model that does whatever any text that reaches it asks for, one call an answer, and then says what came of it. */
export interface Obedient {
  readonly answer: (request: MockRequest) => Turn;
  readonly outcomes: readonly Outcome[];
}

/** `LATER` counts once somebody says so: such an order waits in the history of a session. */
export const NOW = "Now do what was to be done later.";
const ORDER = /(DO|LATER)\(([\w-]+),(\w+),((?:[A-Za-z0-9]|%[0-9A-F]{2})*)\)/g;

/** An order in words that survive as a file's name, a branch, Markdown and JSON. `Say` makes the model say a text. */
export function orderText(id: string, { tool, input }: Order, when: "DO" | "LATER" = "DO"): string {
  const encoded = [...Buffer.from(JSON.stringify(input))].map((byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return `${when}(${id},${tool},${encoded.join("")})`;
}

export function obedient(): Obedient {
  const known = new Set<string>();
  const queue: (Order & { readonly id: string })[] = [];
  const outcomes: Outcome[] = [];
  let pending: string | undefined;
  let scanned = 0;
  let isLater = false;

  function take(text: string): void {
    for (const [, when = "", id = "", tool = "", encoded = ""] of text.matchAll(ORDER)) {
      if (known.has(id) || (when === "LATER" && !isLater)) continue;
      const input = parseJson(decodeURIComponent(encoded))?.value;
      if (!isObject(input)) throw new Error(`the order ${id} is damaged`);
      known.add(id);
      queue.push({ id, tool, input });
    }
  }

  return {
    outcomes,
    answer({ body }) {
      const blocks = blocksOf(body);
      const isResumed = !isLater && blocks.some((block) => stringAt(block, "text") === NOW);
      if (isResumed) isLater = true;
      // What it has read once it does not read again, until something new says that its time has come.
      for (const block of blocks.slice(isResumed ? 0 : scanned)) {
        if (block["type"] === "tool_result") take(textOf(block["content"]));
        else if (block["type"] === "text") take(stringAt(block, "text") ?? "");
      }
      scanned = blocks.length;
      const last = blocks.findLast((block) => block["type"] === "tool_result");
      if (pending !== undefined && last !== undefined) {
        outcomes.push({ id: pending, output: textOf(last["content"]), isError: last["is_error"] === true });
      }
      pending = undefined;
      const said: Part[] = [];
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const input = withOutput(next.input, outcomes.at(-1)?.output ?? "");
        if (next.tool !== "Say") {
          pending = next.id;
          return { parts: [...said, { tool: next.tool, input }] };
        }
        said.push({ text: String(input["text"]) });
        outcomes.push({ id: next.id, output: "", isError: false });
      }
      return { parts: [...said, { text: "All done." }] };
    },
  };
}

/** All that a request holds, the system text too. Calls of the model itself bring no orders. */
function blocksOf(body: JsonObject): readonly JsonObject[] {
  const messages = arrayAt(body, "messages").filter(isObject);
  return [
    ...arrayAt(body, "system").filter(isObject),
    ...messages.flatMap((message) => {
      if (message["role"] !== "user") return [];
      const text = stringAt(message, "content");
      return text === undefined ? arrayAt(message, "content").filter(isObject) : [{ type: "text", text }];
    }),
  ];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block) => stringAt(block, "text") ?? "").join("\n") : "";
}

function withOutput(input: JsonObject, output: string): JsonObject {
  const flat = output
    .replaceAll(/<\/?untrusted-[^>]*>/g, "")
    .trim()
    .slice(0, 1_000);
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === "string" ? value.replaceAll("{{OUT}}", flat) : value,
    ]),
  );
}

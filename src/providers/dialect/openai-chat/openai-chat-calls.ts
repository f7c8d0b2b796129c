import type { JsonObject } from "../../../base/json.ts";
import { numberAt, objectAt, stringAt } from "../../../base/json.ts";
import type { ModelEvent } from "../../provider.ts";
import type { ArgumentsFeed } from "../answer/arguments-feed.ts";
import { isCompleteCall, toolCall } from "../answer/tool-call.ts";
import type { DialectContext } from "../dialect.ts";

/** A tool call while its deltas arrive. */
interface Call {
  /** Choice and index that its deltas name. */
  readonly place: string;
  readonly index: number;
  readonly id: string;
  name: string;
  arguments: string;
}

/**
 * Assembles the tool calls of one chat completion.
 *
 * Deltas belong together by choice and index. Id and name may come once, with every delta, or be empty later. A name
 * with another id, or after complete arguments, begins another call (some gateways number every call 0).
 */
export class ChatCalls {
  readonly #calls: Call[] = [];
  readonly #feed: ArgumentsFeed;

  /** @param feed gets the arguments as they come. */
  constructor(feed: ArgumentsFeed) {
    this.#feed = feed;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Takes one delta. `nextIndex` returns the block index for a call that begins. */
  take(choice: number, delta: JsonObject, position: number, nextIndex: () => number): void {
    const place = `${choice}/${numberAt(delta, "index") ?? position}`;
    const id = stringAt(delta, "id") ?? "";
    const fn = objectAt(delta, "function") ?? delta;
    const name = stringAt(fn, "name") ?? "";
    const current = this.#calls.findLast((call) => call.place === place);
    const args = argumentsOf(fn);
    if (current === undefined || (name !== "" && isAnother(current, id))) {
      const index = nextIndex();
      this.#calls.push({ place, index, id, name, arguments: args });
      this.#feed.add(index, name, { text: args, all: args });
      return;
    }
    if (current.name === "") current.name = name;
    current.arguments += args;
    this.#feed.add(current.index, current.name, { text: args, all: current.arguments });
  }

  /**
   * Returns the finished calls in the order in which they began. `isCut` omits those that the output limit may
   * have cut.
   */
  end(isCut: boolean, context: DialectContext): readonly ModelEvent[] {
    const whole = this.#calls.filter((call) => !isCut || isCompleteCall(call.arguments));
    return whole.map((call) => {
      return { kind: "block", index: call.index, block: toolCall(call.name, call.arguments, context) };
    });
  }
}

/** Returns the text of a delta that only adds to the arguments of one call: it names none, so none begins. */
export function argumentsTextIn(deltas: readonly unknown[]): string | undefined {
  const [delta, ...others] = deltas;
  const fn = objectAt(delta, "function");
  const isNamed = [stringAt(delta, "id"), stringAt(fn, "name")].some((text) => (text ?? "") !== "");
  return others.length > 0 || isNamed ? undefined : stringAt(fn, "arguments");
}

function isAnother(current: Call, id: string): boolean {
  if (id !== "" && current.id !== "") return id !== current.id;
  return isCompleteCall(current.arguments);
}

/** Arguments are JSON text; some servers send the object itself. */
function argumentsOf(fn: JsonObject): string {
  const object = objectAt(fn, "arguments");
  return object === undefined ? (stringAt(fn, "arguments") ?? "") : JSON.stringify(object);
}

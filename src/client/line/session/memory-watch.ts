import { isObject } from "../../../base/json.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";

/** What a session has done with memories so far, for `/memory`. */
export class MemoryWatch {
  readonly #done = new Map<string, Set<string>>();

  add(envelope: Envelope): void {
    if (envelope.kind === "MemoryWritten") {
      const { name, removed } = envelope.payload;
      this.#note(name, removed === true ? "removed" : "written");
    }
    for (const name of givenMemories(envelope)) this.#note(name, "given to the model");
  }

  get text(): string {
    const lines = [...this.#done].map(([name, what]) => `  ${neutraliseLine(name)}: ${[...what].join(", ")}`);
    const none = "No memory was given to the model, written or removed in this session.";
    const heading = lines.length === 0 ? none : "Memories in this session:";
    return [heading, ...lines, "cinch memory list shows all of them, with where their files are."].join("\n");
  }

  #note(name: string, what: string): void {
    this.#done.set(name, (this.#done.get(name) ?? new Set()).add(what));
  }
}

/** The names of the memories that a turn was given, where an event tells of that. */
export function givenMemories(envelope: Envelope): readonly string[] {
  if (envelope.kind !== "CustomEvent") return [];
  const { namespace, kind, payload } = envelope.payload;
  if (namespace !== "cinch" || kind !== "MemoriesGiven" || !isObject(payload)) return [];
  const { names } = payload;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

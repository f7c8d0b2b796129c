import type { ArgumentsListener } from "../../provider.ts";
import type { DialectContext } from "../dialect.ts";
import { canonicalToolName } from "../request/tool-name.ts";
import { TextRun } from "./text-run.ts";

/** Passes on the arguments of the calls of one answer while they come. The pieces of a call add up to its text. */
export class ArgumentsFeed {
  readonly #context: DialectContext;
  readonly #listener: ArgumentsListener | undefined;
  /** Calls that are passed on, by their index. */
  readonly #calls = new Map<number, { readonly name: string; readonly run: TextRun }>();

  constructor(context: DialectContext, listener: ArgumentsListener | undefined) {
    this.#context = context;
    this.#listener = listener;
  }

  /**
   * Adds the next text of the call at an index. A call is passed on from the moment when somebody wants it and its name
   * is known, with all that came before; then to its end.
   * @param all its text so far, the next one included.
   */
  add(index: number, name: string, { text, all }: { readonly text: string; readonly all: string }): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    const call = this.#calls.get(index);
    if (call !== undefined) {
      const shown = call.run.push(text);
      if (shown !== "") listener.take({ index, name: call.name, text: shown });
    } else if (listener.isWanted && name !== "") {
      const begun = { name: canonicalToolName(name, this.#context.toolNames), run: new TextRun() };
      this.#calls.set(index, begun);
      listener.take({ index, name: begun.name, text: begun.run.push(all) });
    }
  }
}

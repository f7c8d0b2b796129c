import type { OnArguments } from "../../provider.ts";
import type { DialectContext } from "../dialect.ts";
import { canonicalToolName } from "../request/tool-name.ts";
import { TextRun } from "./text-run.ts";

interface ToldCall {
  name: string;
  /** Text that came before the name. */
  held: string;
  isBegun: boolean;
  readonly run: TextRun;
}

/** Passes on the arguments of the calls of one answer while they come. The joined pieces of a call are its whole text. */
export class ToldArguments {
  readonly #context: DialectContext;
  readonly #onArguments: OnArguments;
  readonly #calls = new Map<number, ToldCall>();

  constructor(context: DialectContext, onArguments: OnArguments) {
    this.#context = context;
    this.#onArguments = onArguments;
  }

  /** Adds the next text of the call at `index`, which may be empty. The name may come late; until then text is held. */
  add(index: number, name: string, text: string): void {
    const call = this.#calls.get(index) ?? { name: "", held: "", isBegun: false, run: new TextRun() };
    this.#calls.set(index, call);
    if (call.name === "" && name !== "") call.name = canonicalToolName(name, this.#context.toolNames);
    call.held += call.run.push(text);
    if (call.name === "" || (call.isBegun && call.held === "")) return;
    const piece = { index, name: call.name, text: call.held };
    call.held = "";
    call.isBegun = true;
    this.#onArguments(piece);
  }

  /** Adds what the whole text of a call has beyond its pieces, if they are its beginning. */
  complete(index: number, name: string, whole: string): void {
    const told = this.#calls.get(index)?.run.text ?? "";
    if (whole.startsWith(told)) this.add(index, name, whole.slice(told.length));
  }
}

/** Returns undefined if nobody asks. */
export function toldArguments(
  context: DialectContext,
  onArguments: OnArguments | undefined,
): ToldArguments | undefined {
  return onArguments === undefined ? undefined : new ToldArguments(context, onArguments);
}

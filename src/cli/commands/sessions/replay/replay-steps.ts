import { emitKeypressEvents } from "node:readline";
import { eventsOf } from "../../../../app/sessions/sessions-read.ts";
import { BoundedQueue } from "../../../../base/async/queue.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { ExitCode } from "../../../../session/commands/cli-command.ts";
import { EXIT } from "../../../../session/commands/cli-command.ts";
import type { LogInfo } from "../../../../session/store/store.ts";
import { redactedEvents } from "../../../../session/transcript/redacted.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import type { SessionsVerbContext } from "../sessions-verb-context.ts";
import { ReplayPrinter } from "./replay-printer.ts";

const KEYS_AHEAD_MAX = 1_000;
const KEYS_HELP =
  "space: next · t: next turn · p: back · b: back a turn · 12 g: turn 12 · e: to the end · q: leave";

type Key = "next" | "turn" | "back" | "backTurn" | "end" | "quit" | { readonly goTo: number };

/** Shows a log step by step: keys show the next event or jump elsewhere. */
export async function stepThrough(
  context: SessionsVerbContext,
  info: LogInfo,
  since: number,
): Promise<ExitCode> {
  const { at, stop } = context;
  using keys = openKeys();
  const stepper = new Stepper(context, info);
  await at.stderr.write(`${neutraliseLine(info.session)} · ${KEYS_HELP}\n`);
  await stepper.goTo(since);
  for await (const key of keys.read(stop.signal)) {
    if (key === "quit") break;
    await stepper.take(key);
  }
  await at.stdout.write(stepper.rest());
  return stop.signal.aborted ? EXIT.cancelled : EXIT.done;
}

/** Position in a log, with the text printed before it. */
class Stepper {
  readonly #context: SessionsVerbContext;
  readonly #info: LogInfo;
  #printer: ReplayPrinter;
  #events: AsyncGenerator<Envelope> | undefined;
  /** Events with a text, in the order of the log, and those of them that begin a turn. */
  readonly #shown: number[] = [];
  readonly #turns = new Map<number, number>();

  constructor(context: SessionsVerbContext, info: LogInfo) {
    this.#context = context;
    this.#info = info;
    this.#printer = this.#newPrinter();
  }

  async take(key: Exclude<Key, "quit">): Promise<void> {
    if (typeof key === "object") return await this.#toTurn(key.goTo);
    switch (key) {
      case "next":
        await this.#next();
        return;
      case "turn":
        while ((await this.#next())?.kind !== "TurnEnded" && this.#events !== undefined);
        return;
      case "end":
        while ((await this.#next()) !== undefined);
        return;
      case "back":
        return await this.goTo((this.#shown.at(-2) ?? 1) - 1, { showing: true });
      case "backTurn": {
        const [here, before] = [...this.#turns.values()].reverse();
        const isAtStart = this.#shown.at(-1) === here;
        return await this.goTo(((isAtStart ? before : here) ?? 1) - 1, { showing: true });
      }
    }
  }

  rest(): string {
    return this.#printer.end();
  }

  /** Continues after an event; with `showing`, shows the next one. */
  async goTo(since: number, { showing }: { readonly showing: boolean } = { showing: false }): Promise<void> {
    const { sessions, stop, at } = this.#context;
    await this.#events?.return(undefined);
    const unfinished = this.#printer.end();
    this.#printer = this.#newPrinter();
    while ((this.#shown.at(-1) ?? 0) > since) this.#shown.pop();
    for (const [turn, event] of this.#turns) if (event > since) this.#turns.delete(turn);
    const { signal } = stop;
    this.#events = redactedEvents(
      eventsOf(sessions.store, this.#info, { since, signal, clock: sessions.world.clock }),
      sessions.secrets,
    );
    if (!showing) return;
    await at.stdout.write(`${unfinished}-- back at event ${since + 1}\n`);
    await this.#next();
  }

  async #toTurn(turn: number): Promise<void> {
    const known = this.#turns.get(turn);
    if (known !== undefined) return await this.goTo(known - 1, { showing: true });
    const newest = Math.max(0, ...this.#turns.keys());
    if (turn < newest || turn > this.#info.turns) return await this.#say(`-- there is no turn ${turn} here`);
    // Events in between are read and skipped.
    for await (const event of this.#following()) {
      this.#noteTurn(event);
      if (event.kind !== "TurnStarted" || event.parentCall !== undefined) continue;
      if (event.payload.turn < turn) continue;
      return await this.goTo(event.id - 1, { showing: true });
    }
    await this.#say("-- the end of the log");
  }

  async *#following(): AsyncGenerator<Envelope> {
    while (this.#events !== undefined) {
      const { value, done } = await this.#events.next();
      if (done === true) return;
      yield value;
    }
  }

  /** Shows the next event; text in pieces counts as one. Returns undefined at the end. */
  async #next(): Promise<Envelope | undefined> {
    let shown: Envelope | undefined;
    for await (const event of this.#following()) {
      const text = this.#printer.print(event);
      if (text === "") continue;
      await this.#context.at.stdout.write(text);
      if (shown === undefined) this.#shown.push(event.id);
      this.#noteTurn(event);
      shown = event;
      if (text.endsWith("\n")) return event;
    }
    if (shown === undefined) {
      await this.#say("-- the end of the log");
      this.#events = undefined;
    }
    return shown;
  }

  #noteTurn(event: Envelope): void {
    if (event.kind === "TurnStarted" && event.parentCall === undefined)
      this.#turns.set(event.payload.turn, event.id);
  }

  async #say(text: string): Promise<void> {
    await this.#context.at.stdout.write(`${this.#printer.end()}${text}\n`);
  }

  #newPrinter(): ReplayPrinter {
    return new ReplayPrinter(this.#context.sessions.world.ids, { times: true });
  }
}

interface Keys extends Disposable {
  read(signal: AbortSignal): AsyncIterable<Key>;
}

/** Reads keys of the terminal one by one. Disposing restores the terminal (R39). */
function openKeys(): Keys {
  const queue = new BoundedQueue<Key>(KEYS_AHEAD_MAX);
  let digits = "";
  const { stdin } = process;
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume();
  const restore = () => stdin.setRawMode(false);
  process.once("exit", restore);
  const take = (text: string | undefined, key: { readonly name?: string; readonly ctrl?: boolean }) => {
    if (text !== undefined && /^\d$/.test(text)) {
      digits = `${digits}${text}`.slice(0, 9);
      return;
    }
    const read =
      key.ctrl === true && (key.name === "c" || key.name === "d") ? "quit" : keyOf(text, key.name, digits);
    digits = "";
    if (read !== undefined) queue.push(read);
  };
  stdin.on("keypress", take);
  stdin.once("end", () => queue.end());
  return {
    async *read(signal) {
      const stop = () => queue.end();
      signal.addEventListener("abort", stop, { once: true });
      try {
        yield* queue;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    [Symbol.dispose]() {
      stdin.off("keypress", take);
      process.off("exit", restore);
      restore();
      stdin.pause();
    },
  };
}

function keyOf(text: string | undefined, name: string | undefined, digits: string): Key | undefined {
  if (text === "g" && digits !== "") return { goTo: Number(digits) };
  switch (name) {
    case "space":
    case "return":
    case "enter":
    case "right":
    case "down":
    case "n":
      return "next";
    case "t":
    case "pagedown":
      return "turn";
    case "p":
    case "left":
    case "up":
      return "back";
    case "b":
    case "pageup":
      return "backTurn";
    case "e":
    case "end":
      return "end";
    case "q":
    case "escape":
      return "quit";
    default:
      return undefined;
  }
}

import { emitKeypressEvents } from "node:readline";
import { eventsOf } from "../../../../app/sessions/read.ts";
import { BoundedQueue } from "../../../../base/async/queue.ts";
import { grouped } from "../../../../base/text/text.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { ExitCode } from "../../../../session/commands/cli-command.ts";
import { EXIT } from "../../../../session/commands/cli-command.ts";
import type { LogInfo } from "../../../../session/store/store.ts";
import { redactedEvents } from "../../../../session/transcript/redacted.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import { isTurnStarted } from "../../../../view/turn-marks.ts";
import type { SessionsVerbContext } from "../sessions-verb-context.ts";
import { ReplayPrinter } from "./replay-printer.ts";
import { STEPS_BACK_MAX, StepTrail } from "./step-trail.ts";

const KEYS_AHEAD_MAX = 1_000;
const KEYS_HELP =
  "space: next · t: next turn · p: back · b: back a turn · 12 g: turn 12 · e: to the end · q: leave";

const FORGOTTEN = `-- ${grouped(STEPS_BACK_MAX)} steps back are kept; 12 g goes to turn 12`;

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
  readonly #trail = new StepTrail();

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
      case "back": {
        const { before } = this.#trail;
        return before === undefined ? await this.#say(FORGOTTEN) : await this.#show(before);
      }
      case "backTurn":
        return await this.#show(
          this.#trail.turnBefore ?? (await this.#turnStartBefore(this.#trail.last ?? 1)),
        );
    }
  }

  rest(): string {
    return this.#printer.end();
  }

  /** Continues after an event; with `showing`, shows the next one. */
  async goTo(since: number, { showing }: { readonly showing: boolean } = { showing: false }): Promise<void> {
    await this.#events?.return(undefined);
    const unfinished = this.#printer.end();
    this.#printer = this.#newPrinter();
    this.#trail.cutAfter(since);
    this.#events = this.#eventsFrom(since);
    if (!showing) return;
    await this.#context.at.stdout.write(`${unfinished}-- back at event ${since + 1}\n`);
    await this.#next();
  }

  async #toTurn(turn: number): Promise<void> {
    const known = this.#trail.turn(turn);
    if (known !== undefined) return await this.#show(known);
    if (turn > this.#info.turns) return await this.#say(`-- there is no turn ${turn} here`);
    const newest = this.#trail.newestTurn;
    // Events in between are read and skipped; those of a turn that is remembered no more, from the start on.
    for await (const event of turn < newest ? this.#eventsFrom(0) : this.#following()) {
      if (turn >= newest) this.#trail.noteTurn(event);
      if (!isTurnStarted(event) || event.payload.turn < turn) continue;
      if (event.payload.turn > turn) return await this.#say(`-- there is no turn ${turn} here`);
      return await this.#show(event.id);
    }
    await this.#say("-- the end of the log");
  }

  /**
   * Returns the last event before this one that starts a turn, from the log itself; the first event if there is none.
   */
  async #turnStartBefore(last: number): Promise<number> {
    let start = 1;
    for await (const event of this.#eventsFrom(0)) {
      if (event.id >= last) break;
      if (isTurnStarted(event)) start = event.id;
    }
    return start;
  }

  async #show(event: number): Promise<void> {
    await this.goTo(event - 1, { showing: true });
  }

  #eventsFrom(since: number): AsyncGenerator<Envelope> {
    const { sessions, stop } = this.#context;
    const { signal } = stop;
    const events = eventsOf(sessions.store, this.#info, { since, signal, clock: sessions.world.clock });
    return redactedEvents(events, sessions.secrets);
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
      if (shown === undefined) this.#trail.noteStep(event.id);
      this.#trail.noteTurn(event);
      shown = event;
      if (text.endsWith("\n")) return event;
    }
    if (shown === undefined) {
      await this.#say("-- the end of the log");
      this.#events = undefined;
    }
    return shown;
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

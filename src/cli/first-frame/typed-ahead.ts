import { whileAlive } from "../../base/async/deadline.ts";
import { BoundedQueue } from "../../base/async/queue.ts";
import { Cancelled } from "../../base/errors.ts";
import type { LineTerminal } from "../../client/line/input/terminal.ts";

/** Reason of `TypedAhead.signal` if the person left as from any prompt, by `/quit` or by closing the input. */
export class PersonLeft extends Error {
  override readonly name = "PersonLeft";
}

/** A question that a person answers before a session is open. */
export interface EarlyQuestion {
  readonly prompt: string;
  readonly question: object;
}

/** An open question; disposing it settles it. */
export interface EarlyAnswers extends Disposable {
  /** Returns the next line that was typed for the question. @throws the reason of `TypedAhead.signal`. */
  next(): Promise<string>;
}

interface OpenQuestion extends EarlyQuestion {
  readonly answers: BoundedQueue<string>;
}

/** Limit on the answers to one question that wait to be read. */
export const ANSWERS_MAX = 100;
/** Limits on what waits for the session. */
export const LINES_MAX = 1_000;
export const LINES_LENGTH_MAX = 1_048_576;
const REFUSED =
  "cinch: this line was not kept, since too much waits for the session already. Enter it again once the session is open.\n";
const UNREAD = "cinch: this line was not kept, since too many answers to the question wait already.\n";

const LEAVING = /^\s*\/(?:quit|exit)\s*$/;

/**
 * Reads what a person types before a session is open: while the engine starts, and while a question is open.
 *
 * The lines wait for the session in their order. One above `LINES_MAX` or `LINES_LENGTH_MAX` is refused with a
 * sentence. A line answers only the question that it was typed for, and is no prompt then (PERM-14). Ctrl-C, Ctrl-D and
 * `/quit` leave at once.
 */
export class TypedAhead {
  readonly #terminal: LineTerminal;
  readonly #left = new AbortController();
  readonly #taken = new AbortController();
  readonly #reading: Promise<void>;
  readonly #lines: string[] = [];
  #length = 0;
  #asked: OpenQuestion | undefined;

  /** @param terminal of a person; on any other, nothing is read before the session. */
  constructor(terminal: LineTerminal) {
    this.#terminal = terminal;
    this.#reading = terminal.interactive ? this.#read() : Promise.resolve();
    // A terminal that fails ends the wait for a session; `take` throws the failure, too.
    this.#reading.catch((thrown: unknown) => this.#left.abort(thrown));
  }

  /** Aborts when the person leaves, with `PersonLeft`, or with `Cancelled` for Ctrl-C. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** Asks a question, which stays open until its answers are disposed. */
  ask({ prompt, question }: EarlyQuestion): EarlyAnswers {
    const answers = new BoundedQueue<string>(ANSWERS_MAX);
    const typed = answers[Symbol.asyncIterator]();
    this.#asked = { prompt, question, answers };
    this.#prompt();
    return {
      next: async () => {
        const { value }: IteratorResult<string, string> = await whileAlive(typed.next(), this.signal);
        return value;
      },
      [Symbol.dispose]: () => {
        this.#asked = undefined;
        if (!this.signal.aborted) this.#prompt();
      },
    };
  }

  /** Ends reading; what is entered from now on is for the next reader. Returns the lines so far. */
  async take(): Promise<readonly string[]> {
    this.#taken.abort();
    await this.#reading;
    return this.#lines;
  }

  async #read(): Promise<void> {
    this.#prompt();
    for await (const input of this.#terminal.input(this.#taken.signal)) {
      if (input.kind === "interrupt") {
        this.#left.abort(new Cancelled("terminal", "interrupted before a session was open"));
        return;
      }
      this.#terminal.onLineTaken?.();
      if (LEAVING.test(input.text)) break;
      const asked = this.#asked?.question === input.answers ? this.#asked : undefined;
      // An answer above the limit is refused: as a prompt it would mean something else.
      if (asked === undefined ? !this.#keep(input.text) : !asked.answers.push(input.text))
        await this.#terminal.write(asked === undefined ? REFUSED : UNREAD);
      this.#prompt();
    }
    if (!this.#taken.signal.aborted) this.#left.abort(new PersonLeft("left before a session was open"));
  }

  /** Returns false for a line above a limit. */
  #keep(line: string): boolean {
    if (this.#lines.length === LINES_MAX || this.#length + line.length > LINES_LENGTH_MAX) return false;
    this.#lines.push(line);
    this.#length += line.length;
    return true;
  }

  #prompt(): void {
    const { prompt, question } = this.#asked ?? {};
    if (question !== undefined) this.#terminal.prompt(prompt, { question, takesPaste: false });
    // On a terminal that can only print, a prompt would stand before what is printed next.
    else if (this.#terminal.redraws) this.#terminal.prompt("> ");
  }
}

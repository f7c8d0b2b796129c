import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { ClientId, EventSeq, IdSource, InputId } from "../../../base/ids.ts";
import { jsonCharacters } from "../../../base/json.ts";
import type { Bus } from "../../../engine/bus/bus.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { AttachedClient } from "../../access/client.ts";
import type { InputWants, QueuedInput, Resolved, ResolvedInput } from "../../moments.ts";

/** Inputs that may wait in one session at a time. */
export const INPUTS_WAITING_MAX = 32;
/** Characters of all of them together, approximately. */
export const INPUTS_WAITING_CHARS_MAX = 32 * 1024 * 1024;

/** Kind of the CustomEvent of the namespace `cinch` that lists the waiting inputs: `{inputIds, held}`, in order. */
export const INPUTS_WAITING = "InputsWaiting";

/** Returns the wishes of a command or an event, without absent ones. */
export function wantsOf({
  skill,
  agent,
}: {
  readonly skill?: string | undefined;
  readonly agent?: string | undefined;
}): InputWants {
  return defined({ skill, agent });
}

interface QueueEntry {
  readonly input: QueuedInput;
  /** It starts only after a person's next act. */
  readonly held: boolean;
  /** An event before the one that accepted it. */
  readonly since: EventSeq;
}

export interface InputQueueOptions {
  readonly bus: Bus;
  readonly ids: IdSource;
  /** Inputs that an earlier run of the log had accepted and not started. */
  readonly before: readonly QueuedInput[];
}

/**
 * The inputs of one session that wait for their turn, in the order of acceptance (ENG-26, R26).
 *
 * Each is in the log before it is accepted. It leaves the list once: started, delivered or withdrawn, each with one
 * event. After a cancel, an error, a limit or in a new run waiting inputs are held until a person acts: a person who
 * stopped something sees no more of it start by itself. An input after that act goes before held ones.
 *
 * `InputsWaiting` lists waiting and held inputs if some were held, and before each turn that starts while inputs wait:
 * so a resume need not read further back than that.
 */
export class InputQueue {
  readonly #options: InputQueueOptions;
  #places: readonly QueueEntry[];

  constructor(options: InputQueueOptions) {
    this.#options = options;
    for (const { originator, who } of options.before)
      if (who !== undefined) options.bus.clients.add({ id: originator, ...who });
    this.#places = options.before.map(({ since = 0, ...input }) => ({
      input: { ...input, delivery: "queue" },
      held: true,
      since,
    }));
    if (this.#places.length > 0) this.publishWaiting();
  }

  /** Number of inputs that wait, held ones included. */
  get size(): number {
    return this.#places.length;
  }

  /** True if no input waits, held ones included. */
  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /** An event before all that accepted a waiting input; undefined if none waits. */
  get since(): EventSeq | undefined {
    return this.isEmpty ? undefined : Math.min(...this.#places.map(({ since }) => since));
  }

  /** The input that starts next by itself: the first that is not held. */
  get next(): QueuedInput | undefined {
    return this.#places.find(({ held }) => !held)?.input;
  }

  /** Inputs for the running turn, in order. */
  get steering(): readonly QueuedInput[] {
    return this.#places.flatMap(({ input, held }) => (input.delivery === "steer" && !held ? [input] : []));
  }

  /** @throws HarnessError InputQueueFull if no further input can wait, whatever its size. */
  assertRoom(): void {
    const isFull = charactersOf(this.#places) >= INPUTS_WAITING_CHARS_MAX;
    if (this.#places.length >= INPUTS_WAITING_MAX || isFull)
      throw new HarnessError("InputQueueFull", { count: String(this.#places.length) });
  }

  /**
   * Adds an input, and resolves once it cannot be lost any more.
   * @throws HarnessError InputQueueFull.
   */
  async add(
    command: ResolvedInput,
    delivery: QueuedInput["delivery"],
    client: AttachedClient,
  ): Promise<InputId> {
    const { content } = command;
    const wants = wantsOf(command);
    const waiting = charactersOf(this.#places);
    const isFull = waiting + jsonCharacters(content) > INPUTS_WAITING_CHARS_MAX;
    // A single complete one is taken, however large: limits of bodies and of attachments bound it.
    if (this.#places.length >= INPUTS_WAITING_MAX || (isFull && waiting > 0))
      throw new HarnessError("InputQueueFull", { count: String(this.#places.length) });
    const { bus, ids } = this.#options;
    const originator = client.id;
    const inputId = ids.next("inp");
    const payload = { inputId, content: [...content], delivery, originator, ...wants };
    const since = bus.lastEvent;
    bus.publish({ kind: "InputQueued", payload }, { originator });
    const place = { input: { inputId, content, delivery, originator, ...wants }, held: false, since };
    const first = this.#places.filter(({ held }) => !held);
    const heldInputs = this.#places.filter((each) => each.held);
    this.#places = [...first, place, ...heldInputs];
    if (client.identityClass === "human") this.release();
    await bus.commit("power");
    return inputId;
  }

  /**
   * Withdraws an input that has not started: for a person, or for its sender.
   * @throws HarnessError InvalidCommand if it does not wait, or an agent asks for another's.
   */
  async withdraw(command: CommandOf<"WithdrawInput">, client: AttachedClient): Promise<void> {
    this.#own(command, client);
    this.drop(command.inputId, client.id);
    await this.#options.bus.commit("power");
  }

  /** @throws HarnessError as `edit` does, for content of any size. */
  assertEdits(command: Pick<CommandOf<"EditInput">, "kind" | "inputId">, client: AttachedClient): void {
    const edited = this.#own(command, client);
    if (charactersOf(this.#places.filter(({ input }) => input !== edited)) >= INPUTS_WAITING_CHARS_MAX)
      throw new HarnessError("InputQueueFull", { count: String(this.#places.length) });
  }

  /**
   * Replaces the content of an input that has not started: for a person, or for its sender. Its place stays, and a held
   * one stays held.
   * @throws HarnessError InvalidCommand if it does not wait, or an agent asks for another's; InputQueueFull.
   */
  async edit(command: Resolved<CommandOf<"EditInput">>, client: AttachedClient): Promise<void> {
    const { inputId, content } = command;
    const edited = this.#own(command, client);
    const others = this.#places.filter(({ input }) => input !== edited);
    if (others.length > 0 && charactersOf(others) + jsonCharacters(content) > INPUTS_WAITING_CHARS_MAX)
      throw new HarnessError("InputQueueFull", { count: String(this.#places.length) });
    const payload = { inputId, content: [...content], by: client.id };
    this.#options.bus.publish({ kind: "InputEdited", payload }, { originator: client.id });
    this.#places = this.#places.map((place) =>
      place.input === edited ? { ...place, input: { ...edited, content } } : place,
    );
    await this.#options.bus.commit("power");
  }

  /**
   * Moves an input that has not started before another one, or behind all: for a person, or for its sender. A held one
   * stays held.
   * @throws HarnessError InvalidCommand if one of them does not wait, or an agent asks for more than its own.
   */
  async move(command: CommandOf<"MoveInput">, client: AttachedClient): Promise<void> {
    const { kind, inputId, before } = command;
    const moved = this.#own(command, client);
    if (before === inputId)
      throw new HarnessError("InvalidCommand", { kind, why: "an input cannot stand before itself" });
    if (before !== undefined && !this.has(before)) throw notWaiting(kind, before);
    const from = this.#places.findIndex(({ input }) => input === moved);
    const rest = this.#places.toSpliced(from, 1);
    const at = before === undefined ? rest.length : rest.findIndex(({ input }) => input.inputId === before);
    const overtaken = rest.slice(at, from);
    if (client.identityClass !== "human" && overtaken.some(({ input }) => input.originator !== client.id))
      throw new HarnessError("InvalidCommand", { kind, why: "an agent overtakes only what it sent itself" });
    this.#places = rest.toSpliced(at, 0, ...this.#places.slice(from, from + 1));
    const payload = { inputId, ...defined({ before }), by: client.id };
    this.#options.bus.publish({ kind: "InputMoved", payload }, { originator: client.id });
    // A resume takes the order from this list.
    this.publishWaiting();
    await this.#options.bus.commit("power");
  }

  /** @throws HarnessError InvalidCommand if an input does not wait, or is not this client's to change. */
  #own(
    { kind, inputId }: Pick<CommandOf<"WithdrawInput" | "EditInput" | "MoveInput">, "kind" | "inputId">,
    client: AttachedClient,
  ): QueuedInput {
    const input = this.find(inputId);
    if (input === undefined) throw notWaiting(kind, inputId);
    if (client.identityClass !== "human" && input.originator !== client.id)
      throw new HarnessError("InvalidCommand", {
        kind,
        why: `an agent ${VERBS[kind]} only what it sent itself`,
      });
    return input;
  }

  /** Removes an input for good, and emits that. */
  drop(inputId: InputId, by?: ClientId): void {
    this.take(inputId);
    const payload = { inputId, ...defined({ by }) };
    this.#options.bus.publish({ kind: "InputWithdrawn", payload }, defined({ originator: by }));
  }

  /** Returns true if an input waits. */
  has(inputId: InputId): boolean {
    return this.find(inputId) !== undefined;
  }

  /** Returns true if an input is the next to start, with this content: it may have been changed meanwhile. */
  isNext(inputId: InputId, content: QueuedInput["content"]): boolean {
    const { next } = this;
    return next?.inputId === inputId && next.content === content;
  }

  /** Returns a waiting input as it is now. */
  find(inputId: InputId): QueuedInput | undefined {
    return this.#places.find(({ input }) => input.inputId === inputId)?.input;
  }

  /** Removes an input that starts at this very moment, and emits that. */
  take(inputId: InputId): void {
    this.#places = this.#places.filter(({ input }) => input.inputId !== inputId);
  }

  /** Holds all waiting inputs until a person acts. */
  hold(): void {
    if (this.#places.every(({ held }) => held)) return;
    this.#places = this.#places.map((place) => ({ ...place, held: true }));
    this.publishWaiting();
  }

  /** Releases held inputs in their order: a person has acted. */
  release(): void {
    this.#places = this.#places.map((place) => ({ ...place, held: false }));
  }

  /** Turns inputs for the ended turn into turns of their own. */
  turnEnded(): void {
    this.#places = this.#places.map((place) => ({ ...place, input: { ...place.input, delivery: "queue" } }));
  }

  /** Emits the list of waiting inputs, if there are any. */
  publishWaiting(): void {
    if (this.#places.length === 0) return;
    const inputIds = this.#places.map(({ input }) => input.inputId);
    const heldIds = this.#places.flatMap((place) => (place.held ? [place.input.inputId] : []));
    const payload = { namespace: "cinch", kind: INPUTS_WAITING, payload: { inputIds, held: heldIds } };
    this.#options.bus.publish({ kind: "CustomEvent", payload });
  }
}

const VERBS = { WithdrawInput: "withdraws", EditInput: "edits", MoveInput: "moves" } as const;

function charactersOf(places: readonly QueueEntry[]): number {
  return places.reduce((sum, { input }) => sum + jsonCharacters(input.content), 0);
}

function notWaiting(kind: keyof typeof VERBS, inputId: InputId): HarnessError {
  const why = `no input waits as ${inputId}: it has begun, was withdrawn, or never was`;
  return new HarnessError("InvalidCommand", { kind, why });
}

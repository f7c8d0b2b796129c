import { FEATURES } from "../../src/app/features.ts";
import { resumeLog } from "../../src/app/log/resume.ts";
import type { CallId, EventSeq, InputId, LogId } from "../../src/base/ids.ts";
import { INPUT_DELIVERED } from "../../src/engine/loop/turn.ts";
import type { InputBlock } from "../../src/protocol/content.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { crashRange } from "../../src/session/store/log-facts.ts";
import type { SessionStore } from "../../src/session/store/store.ts";
import { checkValid } from "../support/valid-history.ts";

const EVENTS_PER_READ = 1_000;

/** Looks at a log as it grows: ids go on without a gap, and what stood there never changes. */
export class LogWatch {
  readonly #violated: (what: string) => void;
  #last: EventSeq = 0;
  events = 0;

  constructor(violated: (what: string) => void) {
    this.#violated = violated;
  }

  /** Forgets what was seen, because a power loss may have undone writes. */
  forget(): void {
    this.#last = 0;
  }

  async look(store: SessionStore, log: LogId): Promise<void> {
    const info = await store.find(log);
    if (info === undefined) return;
    if (info.lastEvent < this.#last)
      this.#violated(`the log went back from ${this.#last} to ${info.lastEvent}`);
    if (info.lastEvent === this.#last) return;
    for (const event of await store.events(log, this.#last, EVENTS_PER_READ)) {
      const { id } = event;
      if ((crashRange(event)?.from ?? id) !== this.#last + 1)
        this.#violated(`event ${id} follows ${this.#last} in the log`);
      this.#last = id;
      this.events += 1;
    }
  }
}

export interface Known {
  /** Texts of inputs that were accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Number of effects of each call. */
  readonly effects: ReadonlyMap<CallId, number>;
}

/** Everything that must hold of a log once all is quiet, one sentence for each thing that does not. */
export async function checkLog(store: SessionStore, log: LogId, known: Known): Promise<readonly string[]> {
  const events = await allEvents(store, log);
  return [
    ...checkTurns(events),
    ...checkInputs(events, known.accepted),
    ...checkCalls(events, known.effects),
    ...(await store.orphans(log)).map(({ callId }) => `the call ${callId} has no outcome at the end`),
    ...checkValid((await resumeLog(store, log, FEATURES)).history).map(
      (what) => `a resumed history is not valid: ${what}`,
    ),
  ];
}

/** A log for people, an event a line. */
export async function tellLog(store: SessionStore, log: LogId): Promise<readonly string[]> {
  if ((await store.find(log)) === undefined) return [];
  const events = await allEvents(store, log);
  return events.map(
    ({ id, session, kind, payload }) => `${id} ${session.slice(-4)} ${kind} ${JSON.stringify(payload)}`,
  );
}

async function allEvents(store: SessionStore, log: LogId): Promise<readonly Envelope[]> {
  const events: Envelope[] = [];
  while (true) {
    const more = await store.events(log, events.at(-1)?.id ?? 0, EVENTS_PER_READ);
    events.push(...more);
    if (more.length < EVENTS_PER_READ) return events;
  }
}

/** Every turn that began has ended, once, before the next one began. */
function checkTurns(events: readonly Envelope[]): string[] {
  const problems: string[] = [];
  let running: number | undefined;
  for (const event of events) {
    if (event.kind === "TurnStarted") {
      if (running !== undefined) problems.push(`turn ${event.payload.turn} began while ${running} ran`);
      running = event.payload.turn;
    }
    if (event.kind === "TurnEnded") {
      if (running !== event.payload.turn)
        problems.push(`turn ${event.payload.turn} ended while ${running} ran`);
      running = undefined;
    }
  }
  if (running !== undefined) problems.push(`turn ${running} never ended`);
  return problems;
}

/** Checks that accepted inputs are in the log, none starts twice, and withdrawn ones never start (R26). */
function checkInputs(events: readonly Envelope[], accepted: ReadonlySet<string>): string[] {
  const begun: string[] = [];
  const texts = new Map<InputId, string>();
  const withdrawn = new Set<string>();
  for (const event of events) {
    if (event.kind === "TurnStarted") begun.push(textOf(event.payload.content ?? []));
    if (event.kind === "InputQueued") texts.set(event.payload.inputId, textOf(event.payload.content));
    if (event.kind === "InputWithdrawn") withdrawn.add(texts.get(event.payload.inputId) ?? "");
    if (event.kind === "CustomEvent" && event.payload.kind === INPUT_DELIVERED) {
      const { inputId } = event.payload.payload as { readonly inputId: InputId };
      begun.push(texts.get(inputId) ?? "");
    }
  }
  const known = new Set([...begun, ...texts.values()]);
  return [
    ...[...accepted].filter((text) => !known.has(text)).map((text) => `'${text}' was accepted and is lost`),
    ...begun.filter((text, at) => begun.indexOf(text) !== at).map((text) => `'${text}' was begun twice`),
    ...begun.filter((text) => withdrawn.has(text)).map((text) => `'${text}' was withdrawn and begun`),
  ];
}

function textOf(content: readonly InputBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** A call that clients saw begin, they see end; a change that happened is in the log. */
function checkCalls(events: readonly Envelope[], effects: ReadonlyMap<CallId, number>): string[] {
  const started = new Set<CallId>();
  const ended = new Set<CallId>();
  for (const event of events) {
    if (event.kind === "ToolCallStarted") started.add(event.payload.callId);
    if (event.kind === "ToolResult") ended.add(event.payload.callId);
  }
  return [
    ...[...started].filter((id) => !ended.has(id)).map((id) => `the call ${id} began and never ended`),
    ...[...effects.keys()]
      .filter((id) => !started.has(id))
      .map((id) => `the change of ${id} is not in the log`),
  ];
}

import type { EventSeq } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";

/** Turns that can be named by their number; older ones by their event. */
const TURNS_HELD_MAX = 500;
const WORDS_SHOWN_MAX = 60;

/** A turn that was seen to begin. */
export interface SeenTurn {
  readonly turn: number;
  readonly event: EventSeq;
  readonly words: string;
}

/** A place in the conversation, and the turn that the model had read last there; 0: none. */
interface Mark {
  readonly event: EventSeq;
  readonly head: EventSeq;
}

/** What a rewind is undone by. */
export type Undo = Pick<CommandOf<"RewindSession">, "to" | "what">;

/**
 * The turns of a session, as its events tell them, and which of them the model still knows: a rewind takes those after it
 * out of the conversation, and undoing it brings them back.
 */
export class SeenTurns {
  #turns: readonly (SeenTurn & { readonly before: EventSeq })[] = [];
  #rewinds: readonly Mark[] = [];
  /** The turn that the model read last. */
  #head: EventSeq = 0;
  #undo: Undo | undefined;

  add(envelope: Envelope): void {
    if (envelope.parentCall !== undefined) return;
    if (envelope.kind === "TurnStarted") this.#started(envelope);
    if (envelope.kind === "CustomEvent" && envelope.payload.namespace === "cinch") this.#rewound(envelope);
  }

  /** The newest, in their order. */
  get all(): readonly SeenTurn[] {
    return this.#turns;
  }

  /** The last rewind's; undefined where there was none. */
  get undo(): Undo | undefined {
    return this.#undo;
  }

  /** The turns that the model still knows, by their events. */
  get known(): ReadonlySet<EventSeq> {
    const known = new Set<EventSeq>();
    let head = this.#head;
    for (const { event, before } of this.#turns.toReversed()) {
      if (event !== head) continue;
      known.add(event);
      head = before;
    }
    return known;
  }

  #started({ id, payload }: EnvelopeOf<"TurnStarted">): void {
    const { turn, content = [] } = payload;
    const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
    const words = neutraliseLine(shortened(text.replaceAll(/\s+/gu, " ").trim(), WORDS_SHOWN_MAX));
    const seen = { turn, event: id, words, before: this.#head };
    this.#turns = [...this.#turns.slice(1 - TURNS_HELD_MAX), seen];
    this.#head = id;
  }

  #rewound({ id, payload }: EnvelopeOf<"CustomEvent">): void {
    if (payload.kind !== "Rewound" || !isObject(payload.payload)) return;
    const { to, what, undo } = payload.payload;
    if (typeof to !== "number" || !isPart(what)) return;
    this.#undo = typeof undo === "number" ? { to: undo, what } : undefined;
    if (what !== "files") this.#head = this.#headAt(to);
    this.#rewinds = [...this.#rewinds.slice(1 - TURNS_HELD_MAX), { event: id, head: this.#head }];
  }

  #headAt(to: EventSeq): EventSeq {
    const begun = this.#turns.findLast(({ event }) => event === to);
    if (begun !== undefined) return begun.before;
    const turn = this.#turns.findLast(({ event }) => event < to);
    const rewind = this.#rewinds.findLast(({ event }) => event <= to);
    if (rewind !== undefined && rewind.event > (turn?.event ?? 0)) return rewind.head;
    return turn?.event ?? 0;
  }
}

const PARTS = ["files", "conversation", "both"] as const;

/** What can be set back. */
export function isPart(word: unknown): word is Undo["what"] {
  return PARTS.some((part) => part === word);
}

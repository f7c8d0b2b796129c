import { InOrder } from "../../../../base/async/in-order.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import { isObject, parseJson } from "../../../../base/json.ts";
import { DRAFT_CHARACTERS_MAX } from "../../../../protocol/commands/run-limits.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";

/** A draft that was cleared and never sent. */
export interface ClearedDraft {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The reader under which a session keeps them, sealed as its log is. */
export const CLEARED_READER = "cinch-terminal.cleared";
const CLEARED_MAX = 100;

/** Drafts that were cleared, kept in the session that is shown: they outlive the client. */
export class ClearedDrafts {
  readonly #services: Pick<Services, "session" | "showFailure">;
  readonly #order = new InOrder<"cleared">();
  #drafts: readonly ClearedDraft[] = [];
  /** Sessions whose kept drafts were read. */
  readonly #read = new Set<SessionId>();
  /** Drafts that no session has kept. */
  #unkept: readonly ClearedDraft[] = [];

  constructor(services: Pick<Services, "session" | "showFailure">) {
    this.#services = services;
  }

  /** Drafts so far, the oldest first. Another list after each change. */
  get drafts(): readonly ClearedDraft[] {
    return this.#drafts;
  }

  /** Drafts of this client that no session has kept. */
  get unkept(): readonly ClearedDraft[] {
    return this.#unkept;
  }

  /** Adds a draft, and keeps it. */
  add(draft: ClearedDraft): void {
    this.#drafts = [...this.#drafts.filter(({ text }) => text !== draft.text).slice(1 - CLEARED_MAX), draft];
    this.#unkept = [...this.#unkept.slice(1 - CLEARED_MAX), draft];
    inBackground(
      this.#order.run("cleared", () => this.#keep()),
      this.#services,
    );
  }

  /** Reads what the session that is shown has kept. */
  async restore(): Promise<void> {
    await this.#order.run("cleared", () => this.#restore());
  }

  /** Resolves once all that was added is kept, as far as it can be. */
  async settle(): Promise<void> {
    await this.#order.run("cleared", async () => undefined);
  }

  async #restore(): Promise<void> {
    const sessionId = this.#place;
    if (sessionId !== undefined && !this.#read.has(sessionId)) await this.#readFrom(sessionId);
  }

  /** Adds those that a session has kept, also by other clients meanwhile. */
  async #readFrom(sessionId: SessionId): Promise<void> {
    const answer = await this.#services.session.query({
      kind: "GetDraft",
      sessionId,
      reader: CLEARED_READER,
    });
    if (answer instanceof HarnessError) return; // read again next time
    this.#read.add(sessionId);
    const known = new Set(this.#drafts.map(({ text }) => text));
    const older = parsed(answer.text).filter(({ text }) => !known.has(text));
    this.#drafts = [...older, ...this.#drafts].slice(-CLEARED_MAX);
  }

  async #keep(): Promise<void> {
    const sessionId = this.#place;
    if (sessionId === undefined) return;
    await this.#readFrom(sessionId);
    const drafts = this.#drafts;
    // A refusal leaves them in this client; the next one that is cleared tries again.
    const answer = await this.#services.session.send({
      kind: "SetDraft",
      sessionId,
      text: written(drafts),
      reader: CLEARED_READER,
    });
    if (!(answer instanceof HarnessError))
      this.#unkept = this.#unkept.filter((each) => !drafts.includes(each));
  }

  get #place(): SessionId | undefined {
    return this.#services.session.open?.session ?? this.#services.session.last?.session;
  }
}

/** Returns the newest drafts that fit together, as one text. */
function written(drafts: readonly ClearedDraft[]): string {
  let kept: readonly ClearedDraft[] = [];
  let text = "";
  for (const draft of drafts.toReversed()) {
    const next = [draft, ...kept];
    const more = JSON.stringify(next);
    if (more.length > DRAFT_CHARACTERS_MAX) continue;
    [kept, text] = [next, more];
  }
  return text;
}

function parsed(text: string): readonly ClearedDraft[] {
  const list = parseJson(text)?.value;
  return Array.isArray(list) ? list.filter(isClearedDraft) : [];
}

function isClearedDraft(value: unknown): value is ClearedDraft {
  return isObject(value) && typeof value["text"] === "string" && typeof value["atMs"] === "number";
}

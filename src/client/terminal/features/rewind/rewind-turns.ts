import { HarnessError } from "../../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../../base/ids.ts";
import type { ResultOfCommand } from "../../../../protocol/commands/results.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { withoutFenceTags } from "../../../../view/input-text.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { LatestRequest } from "../../layout/latest-request.ts";
import type { Services } from "../../layout/services.ts";

/** A turn that a person could go back to. */
export type RewindTurn = ResultOf<"ListTurns">["turns"][number];
export type ChangesOfTurn = ResultOf<"GetChanges">;
export type PlannedRewind = ResultOfCommand<"RewindSession">;

/** Turns that are listed. */
const TURNS_MAX = 1_000;
const PAGE_TURNS = 200;
/** Turns whose changed lines are counted without being at the cursor. */
const COUNTED_MAX = 50;

/** Facts about the turns of a session for a rewind. They are read while the list is open. */
export class RewindTurns {
  readonly #services: Services;
  /** The session whose turns these are. */
  readonly session: SessionId;
  readonly #changed: () => void;
  readonly #changes = new Map<number, ChangesOfTurn | string>();
  readonly #plans = new Map<EventSeq, PlannedRewind | string>();
  readonly #wanted: LatestRequest<RewindTurn>;
  #isLeft = false;

  /** Newest turns first; undefined until they are read. */
  turns: readonly RewindTurn[] | undefined;
  /** The reason why there are no turns, or not all of them. */
  problem: string | undefined;

  constructor(services: Services, session: SessionId, changed: () => void) {
    this.#services = services;
    this.session = session;
    this.#changed = changed;
    this.#wanted = new LatestRequest(services, (turn) => this.#readWanted(turn));
  }

  /** Returns the changes of a turn, or why they are not known; undefined until they are read. */
  changesOf({ turn }: RewindTurn): ChangesOfTurn | string | undefined {
    return this.#changes.get(turn);
  }

  /** Returns what a rewind to before a turn would do, or why it cannot be done; undefined until that is known. */
  planOf({ first_event: event }: RewindTurn): PlannedRewind | string | undefined {
    return this.#plans.get(event);
  }

  /** Reads the turns, then the changes of the newest ones. Every answer is reported. */
  async read(): Promise<void> {
    let turns: readonly RewindTurn[] = [];
    let before: number | undefined;
    do {
      const page = await this.#services.session.query({
        kind: "ListTurns",
        sessionId: this.session,
        limit: PAGE_TURNS,
        ...(before === undefined ? {} : { before }),
      });
      if (this.#isLeft) return;
      if (page instanceof HarnessError) {
        this.problem = refusalText(page);
        break;
      }
      turns = [...turns, ...page.turns.toReversed()];
      before = page.more ? page.turns[0]?.turn : undefined;
      this.turns = turns;
      this.#changed();
    } while (before !== undefined && turns.length < TURNS_MAX);
    this.turns = turns;
    this.#changed();
    for (const turn of turns.filter(({ files }) => files.length > 0).slice(0, COUNTED_MAX)) {
      if (this.#isLeft) return;
      await this.#readChanges(turn);
    }
  }

  /** Reads what the turn at the cursor needs. Of several turns the newest counts. */
  want(turn: RewindTurn): void {
    this.#wanted.want(turn);
  }

  /** Ends the reading: answers that come later are dropped. */
  leave(): void {
    this.#isLeft = true;
    this.#wanted.forget();
  }

  /** Returns the whole prompt of a turn; its beginning if the whole cannot be read. */
  async promptOf({ first_event: event, prompt }: RewindTurn): Promise<string> {
    const item = await this.#services.session.query({ kind: "GetItem", sessionId: this.session, event });
    if (item instanceof HarnessError) return prompt;
    const content = item.events.flatMap((each) =>
      each.kind === "TurnStarted" ? (each.payload.content ?? []) : [],
    );
    const texts = content.flatMap((block) => (block.type === "text" ? [withoutFenceTags(block.text)] : []));
    return texts.length === 0 ? prompt : texts.join("\n");
  }

  /** Asks the engine again what a rewind would do. */
  async plan({ first_event: event }: RewindTurn): Promise<PlannedRewind | string> {
    const plan = await this.#planned(event, "both");
    // Files that cannot be set back are no reason to keep the conversation.
    const found =
      plan instanceof HarnessError ? ((await this.#conversationPlan(event)) ?? refusalText(plan)) : plan;
    const known = found === undefined ? "The engine does not say what would be set back." : found;
    this.#plans.set(event, known);
    return known;
  }

  async #conversationPlan(event: EventSeq): Promise<PlannedRewind | undefined> {
    const plan = await this.#planned(event, "conversation");
    return plan instanceof HarnessError ? undefined : plan;
  }

  async #planned(
    event: EventSeq,
    what: "both" | "conversation",
  ): Promise<PlannedRewind | undefined | HarnessError> {
    const sessionId = this.session;
    const command = { kind: "RewindSession", sessionId, to: event, what, preview: true } as const;
    const answer = await this.#services.session.send(command);
    return answer instanceof HarnessError ? answer : answer.result;
  }

  async #readWanted(turn: RewindTurn): Promise<void> {
    if (!this.#plans.has(turn.first_event)) await this.plan(turn);
    if (this.#isLeft) return;
    this.#changed();
    await this.#readChanges(turn);
  }

  async #readChanges({ turn }: RewindTurn): Promise<void> {
    if (this.#changes.has(turn)) return;
    const answer = await this.#services.session.query({
      kind: "GetChanges",
      sessionId: this.session,
      turn,
    });
    if (this.#isLeft) return;
    this.#changes.set(turn, answer instanceof HarnessError ? refusalText(answer) : answer);
    this.#changed();
  }
}

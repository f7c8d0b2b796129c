import { HarnessError, hasReason } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { AutoAttachNotice } from "../../../../view/notes/auto-attach-text.ts";
import { AUTO_ATTACH_HELP } from "../../../../view/notes/auto-attach-text.ts";
import { AnswerGuard } from "../../../../view/terminal/answer-guard.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { DrawnPart, OfferPart } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";

type OfferServices = Pick<
  Services,
  "session" | "draft" | "keys" | "clock" | "say" | "redraw" | "showFailure"
>;

/** Rows of the question, whose paths may be long. */
const QUESTION_ROWS_MAX = 4;
const BAR = "▌ ";

interface Asked {
  readonly session: SessionId;
  readonly text: string;
  /** True from the answer on, until it is refused. */
  isSent: boolean;
}

/**
 * The questions whether sessions of a program are auto-attached, one after the other. Keys answer after 300 ms without
 * any key (PERM-14), and only with an empty draft and no other question.
 */
export class AttachOffer implements OfferPart, Disposable {
  readonly contexts: readonly KeyContext[] = ["confirm", "list"];
  readonly #services: OfferServices;
  readonly #guard: AnswerGuard;
  /** By session, the oldest first. */
  readonly #asked = new Map<SessionId, Asked>();

  constructor(services: OfferServices) {
    this.#services = services;
    this.#guard = new AnswerGuard(services.clock, () => services.redraw());
  }

  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  get takesKeys(): boolean {
    const asked = this.#first;
    if (asked === undefined || asked.isSent || !this.#isFree) return false;
    return this.#guard.question === asked && this.#guard.state === "open";
  }

  /** Adds a question, unless it is there. */
  ask({ session, text }: Pick<AutoAttachNotice, "session" | "text">): void {
    if (!this.#asked.has(session)) this.#asked.set(session, { session, text, isSent: false });
  }

  /** Takes a question away. */
  remove(session: SessionId): void {
    this.#asked.delete(session);
  }

  clear(): void {
    this.#asked.clear();
    this.hidden();
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const asked = this.#first;
    if (asked === undefined) return { rows: [] };
    const isLive = this.takesKeys;
    const bar = [span(BAR, { role: "warning" })];
    const wrap = { columns, first: bar, rest: bar };
    const others = this.#asked.size - 1;
    const more = others === 0 ? "" : ` · ${others} more`;
    const question = wrapSpans(
      [span(asked.text, { role: "warning", isBold: true }), span(more, { role: "dim" })],
      wrap,
    );
    const rows = [
      ...question.slice(0, QUESTION_ROWS_MAX),
      ...wrapSpans([span(AUTO_ATTACH_HELP, { role: "dim" })], wrap),
      ...(asked.isSent
        ? [row([...bar, span("The answer is on its way.", { role: "dim" })])]
        : wrapSpans([span(this.#keysText(), isLive ? { role: "accent" } : { role: "dim" })], wrap)),
    ];
    // A part of a question is no question.
    return { rows: rows.length > height ? [] : rows };
  }

  drawn(): void {
    this.#guard.ask(this.#first);
  }

  hidden(): void {
    this.#guard.ask(undefined);
  }

  noteKey(): void {
    this.#guard.pasted();
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "confirm.yes":
        return this.#give(true);
      case "list.choose":
        // Enter starts what is held.
        return !this.#services.session.view.waiting.some(({ held }) => held) && this.#give(true);
      case "confirm.no":
        return this.#give(false);
      default:
        return false;
    }
  }

  [Symbol.dispose](): void {
    this.#guard[Symbol.dispose]();
  }

  get #first(): Asked | undefined {
    const [first] = this.#asked.values();
    return first;
  }

  /** True if neither the draft nor another question waits for keys. */
  get #isFree(): boolean {
    const { session, draft } = this.#services;
    return draft.text === "" && (session.view.run?.questions ?? []).length === 0;
  }

  #keysText(): string {
    const { keys, draft } = this.#services;
    const first = (action: ActionName) => keys.keysOf(action).slice(0, 1);
    const yes = [...first("list.choose"), ...first("confirm.yes")].join("/") || "-";
    const no = first("confirm.no")[0] ?? "-";
    const when = draft.text === "" ? "" : " · with an empty draft";
    return `[Y/n] ${yes} yes · ${no} no${when}`;
  }

  #give(always: boolean): boolean {
    const asked = this.#first;
    if (asked === undefined || !this.takesKeys) return false;
    asked.isSent = true;
    inBackground(this.#send(asked, always), this.#services);
    this.#services.redraw();
    return true;
  }

  async #send(asked: Asked, always: boolean): Promise<void> {
    const { session, say, redraw } = this.#services;
    const sessionId = asked.session;
    try {
      const answer = await session.send({ kind: "AnswerAutoAttach", sessionId, always });
      if (!(answer instanceof HarnessError)) this.remove(sessionId);
      else {
        say(refusalText(answer), "failure");
        // It is not asked any more: another answer came first, or the engine has started again.
        if (hasReason(answer, "InvalidCommand")) this.remove(sessionId);
      }
    } finally {
      asked.isSent = false;
      this.#guard.pasted();
      redraw();
    }
  }
}

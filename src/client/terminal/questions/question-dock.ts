import { HarnessError } from "../../../base/errors.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Part } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

type PermissionAnswer = Pick<CommandOf<"AnswerPermission">, "decision" | "scope">;

const ANSWERS: Readonly<Partial<Record<ActionName, PermissionAnswer>>> = {
  "question.once": { decision: "allow", scope: "once" },
  "question.session": { decision: "allow", scope: "argv_glob" },
  "question.tool": { decision: "allow", scope: "tool" },
  "question.deny": { decision: "deny", scope: "once" },
};

/** Time without any key after which a question takes letters and digits (PERM-14), in milliseconds. */
const QUIET_MS = 300;

/** The question that waits for a person, above the draft. */
export class QuestionDock implements Part {
  readonly contexts: readonly KeyContext[] = ["question"];
  readonly #services: Services;
  #seen: Question | undefined;
  /** Time of the last key, or of the first frame with this question. */
  #lastKeyAtMs = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The oldest open question. */
  get question(): Question | undefined {
    return this.#services.session.view.run?.questions[0];
  }

  /** Notes a key of any kind: each one restarts the time until the question takes letters. */
  noteKey(): void {
    this.#lastKeyAtMs = this.#services.clock.monotonic();
  }

  /** True if the question takes letters and digits now. */
  get takesKeys(): boolean {
    const { question } = this;
    if (question === undefined || question !== this.#seen) return false;
    return this.#services.clock.monotonic() - this.#lastKeyAtMs >= QUIET_MS;
  }

  draw({ columns, rows }: Size): DrawnPart {
    const { question } = this;
    if (question !== this.#seen) {
      this.#seen = question;
      this.noteKey();
    }
    if (question === undefined) return { rows: [] };
    return { rows: rowsOf(question, columns).slice(0, rows) };
  }

  act(action: ActionName): boolean {
    const { question } = this;
    const { open } = this.#services.session;
    const answer = ANSWERS[action];
    if (question?.kind !== "permission" || open === undefined || answer === undefined) return false;
    void this.#answer({
      kind: "AnswerPermission",
      sessionId: open.session,
      callId: question.request.callId,
      ...answer,
    });
    return true;
  }

  async #answer(command: CommandOf<"AnswerPermission">): Promise<void> {
    const refused = await this.#services.session.send(command);
    if (refused instanceof HarnessError) this.#services.say(refusalText(refused), "failure");
  }
}

function rowsOf(question: Question, columns: number): readonly DrawnRow[] {
  const text = question.kind === "permission" ? question.request.summary : question.ask.text;
  const lines = [
    question.kind === "permission" ? `Permission needed: ${question.request.tool}` : "Question",
    ...reveal(text).split("\n"),
    "1 once   2 for this session   3 this tool   4 deny",
  ];
  return lines.flatMap((line) => wrapSpans([span(line, { role: "warning" })], { columns }));
}

import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { PermissionAnswer } from "../../../view/questions/permission-answers.ts";
import { permissionAnswers } from "../../../view/questions/permission-answers.ts";
import {
  INSTEAD_LABEL,
  partLines,
  permissionHeading,
  permissionReason,
  permissionSummary,
  questionEndText,
} from "../../../view/questions/question-words.ts";
import { ruleChoices } from "../../../view/questions/rule-choices.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { changedPath } from "../../../view/texts/changes/change-preview.ts";
import type { DrawnRow, Style } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { Field } from "../input/editor/field.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { drawHunk, drawRequestedChange } from "./change-rows.ts";
import type { Dialog, DialogOptions, ShownAnswer } from "./dialog.ts";
import type { HunkChoice } from "./hunk-choice.ts";
import { decideHunk, decideRest, hunkAnswer, moveHunk, NO_HUNK_CHOICE } from "./hunk-choice.ts";
import { riskOf } from "./risk.ts";

type Request = PayloadOf<"PermissionRequested">;
type Given = Omit<CommandOf<"AnswerPermission">, "kind" | "sessionId" | "callId">;

/** The key of each answer. It is the same for every question, so that a number never changes its meaning. */
const ACTION_OF: Readonly<Record<PermissionAnswer["key"], ActionName>> = {
  once: "question.once",
  rule: "question.session",
  hosts: "question.session",
  tool: "question.tool",
  deny: "question.deny",
};
const SHORT: Readonly<Record<PermissionAnswer["key"], string>> = {
  once: "once",
  rule: "this session",
  hosts: "these hosts",
  tool: "this tool",
  deny: "deny",
};

/** The question if a call may run (PERM-03, PERM-06, PERM-14, PERM-15). */
export class PermissionDialog implements Dialog {
  readonly #request: Request;
  readonly #options: DialogOptions;
  readonly #rules: readonly string[];
  #field: Field | undefined;
  /** The place of the shown rule in `#rules`; absent unless a rule is being chosen. */
  #ruleAt: number | undefined;
  #choice: HunkChoice = NO_HUNK_CHOICE;
  #version = 0;

  constructor(request: Request, options: DialogOptions) {
    this.#request = request;
    this.#options = options;
    this.#rules = ruleChoices(request);
  }

  get contexts(): readonly KeyContext[] {
    if (this.#field !== undefined) return ["input"];
    if (this.#ruleAt !== undefined) return ["dialog"];
    return this.#hasHunks ? ["review", "dialog", "question"] : ["dialog", "question"];
  }

  get heading(): string {
    const risk = riskOf(this.#request);
    return `${permissionHeading(this.#request)}${risk === undefined ? "" : ` · ${risk}`}`;
  }

  get version(): number {
    return this.#version;
  }

  get field(): Field | undefined {
    return this.#field;
  }

  get hasFocus(): boolean {
    return this.#field !== undefined || this.#ruleAt !== undefined;
  }

  get #hasHunks(): boolean {
    return (this.#request.hunks?.length ?? 0) > 1;
  }

  body(columns: number): readonly DrawnRow[] {
    const { reason, why, rule } = this.#request;
    const modeText = this.#modeText();
    const end =
      why === undefined || why.cause === "network" || modeText !== undefined
        ? undefined
        : questionEndText(why);
    const text = (line: string, style: Style = {}) => wrapSpans([span(line, style)], { columns });
    const because = modeText ?? reason ?? why?.text;
    return [
      ...this.#summaryRows(columns),
      ...partLines(this.#request).flatMap((line) => text(line)),
      ...this.#changeRows(columns),
      ...(because === undefined ? [] : text(permissionReason(because), { role: "dim" })),
      ...(end === undefined ? [] : text(end, { role: "dim" })),
      ...(why?.ends?.rule === undefined || why.ends.rule === rule || modeText !== undefined
        ? []
        : text(`a rule that would end the question: ${reveal(why.ends.rule)}`, { role: "dim" })),
    ];
  }

  /** Returns the reason of a question that the mode "ask" alone has caused, with the key of the next mode. */
  #modeText(): string | undefined {
    const { session, keys } = this.#options.services;
    const { run } = session.view;
    if (this.#request.why?.cause !== "level" || run?.level !== "ReadOnly" || run.planMode) return undefined;
    const key = keys.label("mode.next", "the palette");
    return `the mode is "ask"; ${key} goes to the next mode, "accept edits"`;
  }

  /** The row of the head of the current hunk. */
  rowInSight(columns: number): number {
    if (!this.#hasHunks || this.#choice.at === 0) return 0;
    const { hunks = [] } = this.#request;
    const above = this.#summaryRows(columns).length;
    const parts = partLines(this.#request).flatMap((line) => wrapSpans([span(line)], { columns })).length;
    const before = hunks.slice(0, this.#choice.at).flatMap((hunk, at) => this.#hunkRows(hunk, at, columns));
    return above + parts + before.length;
  }

  answers(): readonly ShownAnswer[] {
    if (this.#field !== undefined)
      return [
        this.#shown("input.send", "deny, with these words for the model"),
        this.#shown("turn.cancel", "back"),
      ];
    if (this.#ruleAt !== undefined) return this.#ruleAnswers(this.#rules[this.#ruleAt] ?? "");
    const offered = permissionAnswers(this.#request).map(
      ({ key, label }): ShownAnswer => ({
        keys: this.#keysOf(ACTION_OF[key]),
        label,
        short: SHORT[key],
      }),
    );
    const words = this.#shown("question.words", INSTEAD_LABEL, "deny with words");
    return this.#hasHunks ? [...offered, words, ...this.#hunkAnswers()] : [...offered, words];
  }

  act(action: ActionName): boolean {
    if (this.#field !== undefined) return this.#actInField(this.#field, action);
    if (this.#ruleAt !== undefined) return this.#actOnRule(this.#ruleAt, action);
    if (action === "question.words") {
      this.#field = new Field();
      return true;
    }
    if (this.#actOnHunks(action)) return true;
    const chosen = permissionAnswers(this.#request).find(({ key }) => ACTION_OF[key] === action);
    if (chosen === undefined) return false;
    if (chosen.key === "rule" && this.#rules.length > 1) {
      this.#ruleAt = 0;
      return true;
    }
    const { decision, scope, hosts } = chosen;
    this.#give({ decision, scope, ...(hosts === undefined ? {} : { hosts }) });
    return true;
  }

  type(text: string): boolean {
    this.#field?.insert(text);
    return this.#field !== undefined;
  }

  #actInField(field: Field, action: ActionName): boolean {
    if (action === "turn.cancel") {
      this.#field = undefined;
      return true;
    }
    if (action === "input.send") {
      const words = field.text.trim();
      this.#give({ decision: "deny", scope: "once", ...(words === "" ? {} : { words }) });
      return true;
    }
    return field.act(action) || action.startsWith("edit.") || action === "input.newLine";
  }

  #actOnRule(at: number, action: ActionName): boolean {
    switch (action) {
      case "dialog.shorter":
        this.#ruleAt = Math.min(this.#rules.length - 1, at + 1);
        return true;
      case "dialog.longer":
        this.#ruleAt = Math.max(0, at - 1);
        return true;
      case "turn.cancel":
        this.#ruleAt = undefined;
        return true;
      case "dialog.send": {
        const rule = this.#rules[at];
        if (rule !== undefined) this.#give({ decision: "allow", scope: "argv_glob", rule });
        return true;
      }
      default:
        return false;
    }
  }

  #actOnHunks(action: ActionName): boolean {
    if (!this.#hasHunks) return false;
    const { hunks = [] } = this.#request;
    switch (action) {
      case "review.next":
      case "review.previous":
        return this.#choose(moveHunk(this.#choice, action === "review.next" ? 1 : -1, hunks.length));
      case "review.accept":
        return this.#choose(decideHunk(this.#choice, hunks, "accepted"));
      case "review.decline":
        return this.#choose(decideHunk(this.#choice, hunks, "refused"));
      case "review.acceptRest":
        return this.#choose(decideRest(this.#choice, hunks, "accepted"));
      case "review.declineRest":
        return this.#choose(decideRest(this.#choice, hunks, "refused"));
      case "review.whole":
        this.#options.showFull();
        return true;
      case "dialog.send":
        return this.#sendHunks();
      default:
        return false;
    }
  }

  /** Enter with no hunk decided is for the draft. */
  #sendHunks(): boolean {
    const { hunks = [] } = this.#request;
    if (this.#choice.decided.size === 0) return false;
    const reply = hunkAnswer(this.#choice, hunks);
    if (reply !== undefined) this.#give(reply);
    else {
      const open = hunks.length - this.#choice.decided.size;
      const { say, keys } = this.#options.services;
      const key = (name: ActionName) => keys.label(name);
      const ways = `${key("review.acceptRest")} accepts the rest, ${key("review.declineRest")} refuses it`;
      say(`${open} of ${hunks.length} hunks are not decided yet: ${ways}.`, "warning");
    }
    return true;
  }

  #choose(choice: HunkChoice): true {
    this.#choice = choice;
    this.#version += 1;
    return true;
  }

  #give(given: Given): void {
    const { services, answer } = this.#options;
    const { open } = services.session;
    if (open === undefined) return;
    const { callId } = this.#request;
    this.#field = undefined;
    this.#ruleAt = undefined;
    answer({ kind: "AnswerPermission", sessionId: open.session, callId, ...given });
  }

  /** Path of the file that is changed. */
  get #path(): string | undefined {
    const { args, preview } = this.#request;
    return changedPath(preview, args);
  }

  #summaryRows(columns: number): readonly DrawnRow[] {
    return permissionSummary(this.#request, this.#options.services.workingDir)
      .split("\n")
      .flatMap((line) => wrapSpans([span(reveal(line), { role: "code" })], { columns, byWords: false }));
  }

  #changeRows(columns: number): readonly DrawnRow[] {
    const { hunks = [] } = this.#request;
    if (!this.#hasHunks) return drawRequestedChange(this.#request, this.#shownIn(columns));
    return hunks.flatMap((hunk, at) => this.#hunkRows(hunk, at, columns));
  }

  #shownIn(columns: number) {
    return { columns, layout: this.#options.services.settings.values.diffLayout };
  }

  #hunkRows(hunk: NonNullable<Request["hunks"]>[number], at: number, columns: number): readonly DrawnRow[] {
    const isHere = at === this.#choice.at;
    const state = this.#choice.decided.get(hunk.id) ?? "not decided";
    const count = this.#request.hunks?.length ?? 0;
    const head = `${isHere ? ">" : " "} hunk ${at + 1} of ${count}: ${state}`;
    const role = state === "accepted" ? "success" : state === "refused" ? "failure" : "warning";
    return [
      ...wrapSpans([span(head, { role, isBold: isHere })], { columns }),
      ...drawHunk(hunk, this.#path, this.#shownIn(columns)),
    ];
  }

  #hunkAnswers(): readonly ShownAnswer[] {
    const key = (name: ActionName) => this.#keysOf(name)[0] ?? "-";
    const keys = [key("review.next"), key("review.previous")];
    const verdicts = [key("review.accept"), key("review.decline")];
    const rest = [key("review.acceptRest"), key("review.declineRest")];
    return [
      { keys, label: "next hunk, hunk before", short: "next hunk" },
      { keys: verdicts, label: "accept the hunk, refuse it", short: "accept hunk" },
      { keys: rest, label: "accept the rest, refuse it", short: "accept rest" },
      this.#shown("dialog.send", "send the chosen hunks", "send hunks"),
    ];
  }

  #ruleAnswers(rule: string): readonly ShownAnswer[] {
    const keys = [...this.#keysOf("dialog.shorter"), ...this.#keysOf("dialog.longer")];
    return [
      this.#shown("dialog.send", `allow for this session: ${reveal(rule)}`),
      { keys, label: "shorter rule, longer rule", short: "shorter, longer" },
      this.#shown("turn.cancel", "back"),
    ];
  }

  #shown(action: ActionName, label: string, short = label): ShownAnswer {
    return { keys: this.#keysOf(action), label, short };
  }

  /** Keys of an action that the hunks do not take for themselves. */
  #keysOf(action: ActionName): readonly string[] {
    const { keys } = this.#options.services;
    const all = action === "input.send" ? keys.keysOf(action).slice(0, 1) : keys.keysOf(action);
    const { contexts } = this;
    const live = all.filter((key) => keys.find(key, contexts) === action);
    return live.length > 0 ? live : all;
  }
}

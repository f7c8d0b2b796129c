import { textOfJson } from "../../../base/json.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { MarkdownBlocks } from "../../../view/markdown/markdown-blocks.ts";
import type { AskAnswer } from "../../../view/questions/ask-answers.ts";
import { askAnswers, notedNumber } from "../../../view/questions/ask-answers.ts";
import { fateText, ORPHAN_WORDS, questionWords } from "../../../view/questions/question-words.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { otherLayout } from "../diff/diff-layout.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { Field } from "../input/editor/field.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { drawBlock } from "../markdown/draw-block.ts";
import { drawReview } from "../review/draw-review.ts";
import type { TrustReview } from "../review/parse-review.ts";
import { parseReview } from "../review/parse-review.ts";
import type { Dialog, DialogOptions, ShownAnswer } from "./dialog.ts";

type Ask = PayloadOf<"Asked">;

/** A question that is no permission: trust, a plan, an interrupted call, a form of a tool server … */
export class AskDialog implements Dialog {
  readonly #ask: Ask;
  readonly #options: DialogOptions;
  readonly #answers: readonly AskAnswer[];
  /** Present if it is about trust. */
  readonly #review: TrustReview | undefined;
  #field: Field | undefined;
  #hasFocus = false;
  #fileAt = 0;
  #columns = 0;
  #version = 0;

  constructor(ask: Ask, options: DialogOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#answers = askAnswers(ask);
    if (ask.about === "trust") this.#review = parseReview(ask.text);
    if (this.#isText) this.#field = new Field();
  }

  get contexts(): readonly KeyContext[] {
    if (this.#field !== undefined) return this.#isText ? ["input", "dialog"] : ["input"];
    if (this.#ask.about === "trust") return ["review", "dialog"];
    return this.#takesWords ? ["choice", "dialog"] : ["dialog"];
  }

  get heading(): string {
    return questionWords(this.#ask).heading;
  }

  get version(): number {
    return this.#version;
  }

  get field(): Field | undefined {
    return this.#field;
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** True if the answer is a text, not a choice. */
  get #isText(): boolean {
    return this.#answers.length === 0;
  }

  body(columns: number): readonly DrawnRow[] {
    const { about, text } = this.#ask;
    this.#columns = columns;
    if (about === "plan") return planRows(text, columns);
    const layout = this.#options.services.settings.values.diffLayout;
    if (this.#review !== undefined) return drawReview(this.#review, { columns, at: this.#fileAt, layout });
    const lines = about === "orphan" ? orphanLines(this.#ask) : text.split("\n");
    return lines.flatMap((line) => wrapSpans([span(reveal(line))], { columns }));
  }

  answers(): readonly ShownAnswer[] {
    const { keys } = this.#options.services;
    const key = (name: ActionName) => keys.keysOf(name).slice(0, 1);
    if (this.#isText)
      return [
        { keys: key("input.send"), label: "send the text", short: "send" },
        { keys: key("dialog.decline"), label: "give no answer", short: "no answer" },
      ];
    if (this.#field !== undefined)
      return [
        { keys: key("input.send"), label: this.#noteLabel(), short: "send" },
        { keys: key("turn.cancel"), label: "back", short: "back" },
      ];
    const choices = this.#answers.map((answer, at) => this.#shownChoice(answer, at));
    const words = this.#takesWords
      ? [{ keys: key("choice.words"), label: this.#noteLabel(), short: "words" }]
      : [];
    return [...choices, ...words, ...this.#reviewAnswers()];
  }

  act(action: ActionName): boolean {
    if (action === "dialog.decline" && this.#isText) {
      this.#give(null);
      return true;
    }
    if (this.#field !== undefined) return this.#actInField(this.#field, action);
    if (action === "choice.words") {
      this.#field = new Field();
      this.#hasFocus = true;
      return true;
    }
    return this.#ask.about === "trust" && this.#actOnReview(action);
  }

  type(text: string): boolean {
    if (this.#field !== undefined) {
      this.#field.insert(text);
      this.#hasFocus = true;
      return true;
    }
    const chosen = this.#answers.find(
      ({ letter }, at) => text === `${at + 1}` || (letter !== undefined && letter === text),
    );
    if (chosen === undefined) return false;
    this.#give(chosen.value);
    return true;
  }

  get #takesWords(): boolean {
    return this.#ask.words === true || notedNumber(this.#ask) !== undefined;
  }

  #noteLabel(): string {
    const { about, noteFor } = this.#ask;
    if (noteFor === undefined) return "answer in your own words";
    return about === "orphan" ? ORPHAN_WORDS.noted : `${noteFor}, with a note`;
  }

  #actInField(field: Field, action: ActionName): boolean {
    if (action === "turn.cancel") {
      this.#hasFocus = false;
      if (!this.#isText) this.#field = undefined;
      return true;
    }
    if (action === "input.send" || action === "dialog.send") {
      const text = field.text.trim();
      // Without a text, Enter is for the draft, unless the person is in the field.
      if (text === "") return this.#hasFocus;
      const { noteFor } = this.#ask;
      this.#give(noteFor === undefined ? field.text : `${noteFor}: ${text}`);
      return true;
    }
    const isEdit = field.act(action);
    if (isEdit) this.#hasFocus = true;
    return isEdit || (this.#hasFocus && (action.startsWith("edit.") || action === "input.newLine"));
  }

  /** Files of a trust question. */
  get #files(): number {
    return this.#review?.files.length ?? 0;
  }

  #actOnReview(action: ActionName): boolean {
    const { settings } = this.#options.services;
    switch (action) {
      case "review.next":
      case "review.previous": {
        const by = action === "review.next" ? 1 : -1;
        this.#fileAt = Math.max(0, Math.min(this.#files - 1, this.#fileAt + by));
        break;
      }
      case "review.layout":
        settings.change({ diffLayout: otherLayout(settings.values.diffLayout, this.#columns) });
        break;
      case "review.accept":
      case "review.decline": {
        const wanted = this.#answers.find(({ denies }) => denies === (action === "review.decline"));
        if (wanted !== undefined) this.#give(wanted.value);
        return true;
      }
      case "review.whole":
        this.#options.showFull();
        return true;
      default:
        return false;
    }
    this.#version += 1;
    return true;
  }

  #give(answer: string | null): void {
    const { services, answer: send } = this.#options;
    const { open } = services.session;
    if (open === undefined) return;
    this.#hasFocus = false;
    send({ kind: "Answer", sessionId: open.session, askId: this.#ask.askId, answer });
  }

  #shownChoice({ value, label, letter, denies }: AskAnswer, at: number): ShownAnswer {
    const { about } = this.#ask;
    const keys = this.#options.services.keys;
    const review = keys.keysOf(denies ? "review.decline" : "review.accept").slice(0, 1);
    const more = about === "trust" ? review : letter === undefined ? [] : [letter];
    const text = about === "orphan" ? (fateText(value) ?? label) : label;
    return { keys: [`${at + 1}`, ...more], label: text, short: about === "trust" ? value : text };
  }

  #reviewAnswers(): readonly ShownAnswer[] {
    if (this.#ask.about !== "trust") return [];
    const { keys } = this.#options.services;
    const key = (name: ActionName) => keys.label(name);
    const move = [key("review.next"), key("review.previous")];
    const layout = { keys: [key("review.layout")], label: "other layout", short: "layout" };
    const view = {
      keys: [key("review.whole"), key("review.layout")],
      label: "whole screen, other layout",
      short: "whole",
    };
    const several = this.#files > 1;
    return [
      ...(several ? [{ keys: move, label: "next file, file before", short: "next file" }] : []),
      this.#options.isFull() ? layout : view,
    ];
  }
}

function planRows(text: string, columns: number): readonly DrawnRow[] {
  const blocks = new MarkdownBlocks();
  return [...blocks.push(text), ...blocks.end()].flatMap((block) => drawBlock(block, columns));
}

function orphanLines({ text, details = {} }: Ask): readonly string[] {
  if (details["tool"] === undefined) return text.split("\n");
  return [
    ORPHAN_WORDS.first,
    callSummary(textOfJson(details["tool"]), details["args"]),
    ...["within", "living"].flatMap((name) => {
      const said = details[name];
      return typeof said === "string" ? said.trim().split("\n") : [];
    }),
    ORPHAN_WORDS.last,
  ];
}

import { count } from "../../../base/text/text.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { neutralise, neutraliseLine, TerminalText } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { proposedChanges } from "../../../view/texts/changes/change-preview.ts";
import type { Palette } from "./palette.ts";
import { Wrap } from "./wrap.ts";

/** Limit of lines of a result. A longer one is shown by its end, where tests print their verdict. */
export const RESULT_LINES_MAX = 12;

/** Shows one turn to people who have never seen an agent: its words, its calls and their results. */
export class Screen {
  readonly #palette: Palette;
  readonly #safe = new TerminalText();
  readonly #wrap: Wrap;
  /** Calls of commands that have no result yet. */
  readonly #commands = new Set<string>();
  #speaking = false;

  constructor(columns: number, palette: Palette) {
    this.#palette = palette;
    this.#wrap = new Wrap(columns);
  }

  /** Returns the text for an event; empty for events that are not shown. Errors are printed elsewhere. */
  print(envelope: Envelope): string {
    switch (envelope.kind) {
      case "TextDelta":
        return this.#say(envelope.payload.text);
      case "ToolCallStarted":
        return this.#call(envelope.payload);
      case "ToolResult":
        return this.#result(envelope.payload);
      case "TurnEnded":
        return this.#silence();
      default:
        return "";
    }
  }

  #say(text: string): string {
    const lead = this.#speaking ? "" : "\n";
    this.#speaking = true;
    return lead + this.#wrap.push(this.#safe.push(text));
  }

  #silence(): string {
    if (!this.#speaking) return "";
    this.#speaking = false;
    return this.#wrap.push(this.#safe.end()) + this.#wrap.end();
  }

  #call({ callId, tool, args, toolKind, preview }: PayloadOf<"ToolCallStarted">): string {
    const { tool: paint } = this.#palette;
    if (toolKind === "execute") this.#commands.add(callId);
    return `${this.#silence()}\n${paint(`> ${callSummary(tool, args)}`)}\n${this.#replacements(preview, args)}`;
  }

  /** Shows both sides of each edit, as a diff does. */
  #replacements(preview: PayloadOf<"ToolCallStarted">["preview"], args: unknown): string {
    const { good, bad } = this.#palette;
    const lines = (text: string, mark: string) =>
      neutralise(text)
        .split("\n")
        .map((line) => `  ${mark} ${line}`);
    return proposedChanges(preview, args)
      .flatMap(({ before, after }) =>
        before === undefined ? [] : [...lines(before, "-").map(bad), ...lines(after, "+").map(good)],
      )
      .map((line) => `${line}\n`)
      .join("");
  }

  #result({ callId, content, isError }: PayloadOf<"ToolResult">): string {
    const text = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
    const lines = neutralise(text.replace(/\n+$/, "")).split("\n");
    const isCommand = this.#commands.delete(callId);
    const failed = isError === true;
    // Output of a command matters; of a file that was read, its length is enough.
    if (!isCommand && !failed) return `${this.#quoted(`ok, ${count(lines.length, "line")}`, false)}\n`;
    const hiddenCount = lines.length - RESULT_LINES_MAX;
    const shown =
      hiddenCount > 0 ? [`(${count(hiddenCount, "line")} before)`, ...lines.slice(hiddenCount)] : lines;
    return `${shown.map((line) => this.#quoted(neutraliseLine(line), failed)).join("\n")}\n`;
  }

  #quoted(line: string, failed: boolean): string {
    const { dim, bad } = this.#palette;
    const isWrong = failed && /^(?:FAIL|\[exit code)|not|Permission/.test(line);
    return `${dim("  |")} ${isWrong ? bad(line) : dim(line)}`;
  }
}

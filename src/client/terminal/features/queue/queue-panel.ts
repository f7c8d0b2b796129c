import type { InputId } from "../../../../base/ids.ts";
import type { WaitingInput } from "../../../../view/session/waiting.ts";
import { neutralise } from "../../../../view/terminal/terminal-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";
import type { QueueCommands } from "./queue-commands.ts";
import { drawWaiting, waitingRow } from "./waiting-rows.ts";

const PREVIEW_ROWS = 3;
const PREVIEW_CHARACTERS_MAX = 2_000;

/** The messages that wait: edits, moves and withdraws them. Characters that are typed go to the draft. */
export class QueuePanel implements Overlay {
  readonly title = "Waiting messages";
  readonly place = "bottom";
  readonly isOfSession = true;
  readonly contexts: readonly KeyContext[] = ["queue", "list"];
  readonly #services: Services;
  readonly #commands: QueueCommands;
  readonly #onClosed: () => void;
  /** The chosen message: the list changes by itself. */
  #chosen: InputId | undefined;

  constructor(services: Services, commands: QueueCommands, onClosed: () => void) {
    this.#services = services;
    this.#commands = commands;
    this.#onClosed = onClosed;
    this.#chosen = this.#waiting.at(-1)?.inputId;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const { view, self } = this.#services.session;
    const waiting = this.#waiting;
    const at = this.#at;
    const head = row([span(`${this.title}: ${at + 1} of ${waiting.length}`, { role: "heading" })]);
    const hints = wrapSpans([span(this.#hints(), { role: "dim" })], { columns });
    const room = Math.max(1, height - 1 - hints.length);
    const preview = room > PREVIEW_ROWS + 1 ? previewRows(waiting[at], columns) : [];
    const listed = Math.max(1, Math.min(waiting.length, room - preview.length));
    const top = Math.max(0, Math.min(at - Math.floor(listed / 2), waiting.length - listed));
    const list = waiting.slice(top, top + listed).map((input, index) => {
      const isChosen = top + index === at;
      const facts = waitingRow(input, top + index + 1, { clients: view.clients, self });
      return drawWaiting(facts, columns, { mark: isChosen ? "▸ " : "  ", isChosen });
    });
    return { rows: [head, ...list, ...preview, ...hints].slice(0, Math.max(1, height)) };
  }

  act(action: ActionName): boolean {
    const services = this.#services;
    const commands = this.#commands;
    const input = this.#waiting[this.#at];
    switch (action) {
      case "list.up":
        return this.#go(-1);
      case "list.down":
        if (this.#at === this.#waiting.length - 1) services.close(this);
        return this.#go(1);
      case "queue.edit":
        services.close(this);
        if (input !== undefined) inBackground(commands.edit(input), services);
        return true;
      case "queue.withdraw":
        if (input !== undefined) inBackground(commands.withdraw(input), services);
        return true;
      case "queue.now":
        if (input !== undefined) inBackground(commands.sendNow(input), services);
        return true;
      case "queue.up":
        if (input !== undefined) inBackground(commands.move(input, -1), services);
        return true;
      case "queue.down":
        if (input !== undefined) inBackground(commands.move(input, 1), services);
        return true;
      case "list.leave":
      case "input.takeBack":
        services.close(this);
        return true;
      default:
        return false;
    }
  }

  type(text: string): boolean {
    this.#services.close(this);
    this.#services.draft.insert(text);
    return true;
  }

  closed(): void {
    this.#onClosed();
  }

  get #waiting(): readonly WaitingInput[] {
    return this.#services.session.view.waiting;
  }

  /** The place of the chosen message; of the last one if it waits no more. */
  get #at(): number {
    const waiting = this.#waiting;
    const at = waiting.findIndex(({ inputId }) => inputId === this.#chosen);
    return at === -1 ? Math.max(0, waiting.length - 1) : at;
  }

  #go(step: -1 | 1): boolean {
    const waiting = this.#waiting;
    const to = Math.max(0, Math.min(waiting.length - 1, this.#at + step));
    this.#chosen = waiting[to]?.inputId;
    return true;
  }

  #hints(): string {
    const { keys } = this.#services;
    const key = (name: ActionName) => keys.label(name);
    return [
      `${key("queue.edit")} edit`,
      `${key("queue.withdraw")} withdraw`,
      `${key("queue.up")} ${key("queue.down")} move`,
      `${key("queue.now")} send now`,
      `${key("list.leave")} close`,
    ].join(" · ");
  }
}

/** Returns the first rows of a message that one row does not show whole. */
function previewRows(input: WaitingInput | undefined, columns: number): readonly DrawnRow[] {
  const text = (input?.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .slice(0, PREVIEW_CHARACTERS_MAX);
  if (!text.includes("\n") && text.length < columns - 20) return [];
  const bar = [span("  │ ", { role: "border" })];
  return neutralise(text)
    .split("\n", PREVIEW_ROWS)
    .flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns, first: bar }))
    .slice(0, PREVIEW_ROWS);
}

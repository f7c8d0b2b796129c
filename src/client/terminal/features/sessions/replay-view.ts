import type { EventSeq, SessionId } from "../../../../base/ids.ts";
import { grouped } from "../../../../base/text/text.ts";
import { NO_CLIENTS } from "../../../../view/session/clients.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import { packedRows } from "../../panels/list-rows.ts";
import type { MouseInput, Size } from "../../screen/screen.ts";
import type { DrawContext } from "../../transcript/draw-context.ts";
import { drawPart, partsOf } from "../../transcript/draw-item.ts";
import { ALL_UNFOLDED } from "../../transcript/folds.ts";
import type { ReplayStep } from "./replay-steps.ts";
import { ReplaySteps } from "./replay-steps.ts";

export interface ReplayViewOptions {
  readonly session: SessionId;
  readonly title: string;
  /** The step to begin at, by its event. Default: the first one. */
  readonly event?: EventSeq;
}

/** Opens a stored session step by step, from its log alone (SES-09). No model, tool or network is used. */
export function openReplay(services: Services, options: ReplayViewOptions): void {
  const view = new ReplayView(services, options);
  services.open(view);
  view.begin();
}

const HINTS: readonly (readonly [ActionName, string])[] = [
  ["replay.next", "next"],
  ["replay.previous", "back"],
  ["replay.nextTurn", "next turn"],
  ["replay.previousTurn", "turn back"],
  ["replay.end", "end"],
  ["replay.start", "beginning"],
];
const DIGITS_MAX = 7;
const HINT_ROWS_MAX = 2;

/** A stored session, step by step. */
export class ReplayView implements Overlay {
  readonly title: string;
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = ["replay", "panel"];
  readonly #services: Services;
  readonly #options: ReplayViewOptions;
  readonly #steps: ReplaySteps;
  /** Rows of steps that were drawn, for the width of the last frame. */
  readonly #drawn = new WeakMap<object, { readonly columns: number; readonly rows: readonly DrawnRow[] }>();
  #isReading = false;
  #next: (() => void) | undefined;
  #digits = "";
  #sentence = "";

  constructor(services: Services, options: ReplayViewOptions) {
    this.title = `Replay: ${options.title}`;
    this.#services = services;
    this.#options = options;
    this.#steps = new ReplaySteps(options.session, (query) => services.session.query(query));
  }

  /** Reads the first step. */
  begin(): void {
    this.#go(() => this.#steps.goTo(this.#options.event ?? 1));
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const foot = this.#footRows(columns).slice(0, Math.max(0, height - 1));
    const room = height - foot.length;
    const blocks: (readonly DrawnRow[])[] = [];
    let count = 0;
    for (const step of this.#steps.backwards()) {
      if (count >= room) break;
      const rows = this.#stepRows(step, columns);
      blocks.unshift(rows);
      count += rows.length;
    }
    // The step at hand is seen from its beginning.
    const rows = blocks.flat();
    const current = blocks.at(-1)?.length ?? 0;
    const top = Math.max(0, Math.min(rows.length - room, rows.length - current));
    const shown = rows.slice(top, top + room);
    const blank = Array.from({ length: room - shown.length }, () => EMPTY_ROW);
    return { rows: [...shown, ...blank, ...foot] };
  }

  act(action: ActionName): boolean {
    const steps = this.#steps;
    switch (action) {
      case "replay.next":
        return this.#go(() => steps.move(1), "This is the end of the log.");
      case "replay.previous":
        return this.#go(() => steps.move(-1), "This is the beginning of the log.");
      case "replay.nextTurn":
        return this.#go(() => steps.nextTurn(), "There is no later turn.");
      case "replay.previousTurn":
        return this.#go(() => steps.previousTurn(), "There is no earlier turn.");
      case "replay.end":
        return this.#go(() => steps.end());
      case "replay.goToTurn":
        this.#goToTyped();
        return true;
      case "replay.start":
        return this.#go(() => steps.goTo(1));
      case "panel.leave":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      default:
        return false;
    }
  }

  /** Takes the digits of a turn's number. */
  type(text: string): boolean {
    this.#digits = /^\d$/.test(text) ? `${this.#digits}${text}`.slice(-DIGITS_MAX) : "";
    return true;
  }

  #goToTyped(): void {
    if (this.#digits === "") return;
    const turn = Number(this.#digits);
    this.#go(() => this.#steps.toTurn(turn), `There is no turn ${turn}.`);
  }

  paste(): boolean {
    return true;
  }

  mouse({ type, wheel }: MouseInput): boolean {
    if (type !== "wheel") return false;
    return this.act(wheel < 0 ? "replay.previous" : "replay.next");
  }

  /** Makes a step. Of the keys that come while one is read, the last one counts: a held key does not run on. */
  #go(step: () => Promise<unknown>, refusal = ""): true {
    if (this.#isReading) {
      this.#next = () => this.#go(step, refusal);
      return true;
    }
    this.#isReading = true;
    this.#digits = "";
    this.#sentence = "";
    const made = async () => {
      try {
        if ((await step()) === false) this.#sentence = refusal;
      } finally {
        this.#isReading = false;
        this.#services.redraw();
        const next = this.#next;
        this.#next = undefined;
        next?.();
      }
    };
    inBackground(made(), this.#services);
    return true;
  }

  #stepRows({ item, shown }: ReplayStep, columns: number): readonly DrawnRow[] {
    if (shown === undefined)
      return [EMPTY_ROW, ...wrapSpans([span(item.text, { role: "dim" })], { columns })];
    const known = this.#drawn.get(shown);
    if (known?.columns === columns) return known.rows;
    const context = this.#context(columns);
    const drawn = shown.flatMap((each) =>
      Array.from({ length: partsOf(each) }, (_, part) => drawPart(each, part, context)).flat(),
    );
    const more =
      item.children === undefined
        ? []
        : [row([span(`  ${grouped(item.children)} steps of the sub-agent are not shown`, { role: "dim" })])];
    const rows = [...drawn, ...more];
    this.#drawn.set(shown, { columns, rows });
    return rows;
  }

  #context(columns: number): DrawContext {
    const { session, clock, settings } = this.#services;
    const isShown = session.open?.session === this.#options.session;
    const { lastLines, diffLayout } = settings.values;
    return {
      columns,
      unfolded: ALL_UNFOLDED,
      clients: isShown ? session.view.clients : NO_CLIENTS,
      self: undefined,
      nowMs: clock.now(),
      lastLines,
      diffLayout,
    };
  }

  #footRows(columns: number): readonly DrawnRow[] {
    const { keys } = this.#services;
    const { current, isFirst, isLast } = this.#steps;
    const place = [
      ...(current?.turn === undefined ? [] : [`turn ${current.turn}`]),
      ...(current === undefined
        ? []
        : [`event ${grouped(current.event)}`, current.ts.slice(0, 19).replace("T", " ")]),
      ...(isLast && current !== undefined
        ? ["the end"]
        : isFirst && current !== undefined
          ? ["the beginning"]
          : []),
    ];
    const state =
      this.#sentence !== "" ? this.#sentence : this.#isReading ? "reading …" : "nothing runs again";
    const [goKey] = keys.keysOf("replay.goToTurn");
    const [leaveKey] = keys.keysOf("panel.leave");
    const typed =
      this.#digits === "" || goKey === undefined ? "" : ` · ${this.#digits} (${goKey} goes to that turn)`;
    const line = `${[...place, state].join(" · ")}${typed}`;
    const hints = HINTS.flatMap(([action, word]) => {
      const [key] = keys.keysOf(action);
      return key === undefined ? [] : [`${key} ${word}`];
    });
    return [
      row([span("─".repeat(columns), { role: "border" })]),
      ...wrapSpans([span(line, { role: "accent" })], { columns }),
      ...packedRows(
        [
          ...hints,
          ...(goKey === undefined ? [] : [`12 ${goKey} turn 12`]),
          ...(leaveKey === undefined ? [] : [`${leaveKey} leave`]),
        ],
        { columns, rowsMax: HINT_ROWS_MAX },
      ),
    ];
  }
}

import type { CallId } from "../../src/base/ids.ts";
import { textOfRow } from "../../src/client/terminal/drawing/span.ts";
import type { DrawnPart } from "../../src/client/terminal/layout/part.ts";
import type { MouseInput, MouseMode, Size } from "../../src/client/terminal/screen/screen.ts";
import { TranscriptPart } from "../../src/client/terminal/transcript/transcript-part.ts";
import type { CallItem, PromptItem, TextItem, TranscriptItem } from "../../src/view/transcript/items.ts";
import { endedText, newText } from "../../src/view/transcript/streamed-text.ts";
import type { Transcript } from "../../src/view/transcript/transcript.ts";
import { fakeId } from "./fake-connection.ts";
import type { FakeServices } from "./terminal-parts.ts";
import { fakeServices } from "./terminal-parts.ts";

const TS = "2026-01-01T00:00:00.000Z";

/** A transcript in a window, driven by keys and the mouse as the stage does it. */
export interface TranscriptRig {
  readonly services: FakeServices;
  readonly part: TranscriptPart;
  /** Rows of the window as they are shown, without trailing blanks. */
  rows(): readonly string[];
  draw(): DrawnPart;
  /** The line above the draft: browse or search; empty without one. */
  bar(): string;
  /** Adds items at the end. */
  add(...items: readonly TranscriptItem[]): void;
  /** Presses keys by their names: in the bar that has the focus, else in the draft. */
  press(...keys: readonly string[]): void;
  type(text: string): void;
  mouse(type: MouseInput["type"], row: number, column: number): void;
  setMouse(mode: MouseMode, more?: { readonly copyOnSelect?: boolean }): void;
}

export function openTranscript(items: readonly TranscriptItem[], size: Size): TranscriptRig {
  const services = fakeServices();
  let transcript = transcriptOf(items);
  Object.assign(services.host, { environment: { TERM: "xterm-256color" } });
  Object.defineProperty(services.session, "transcript", { get: () => transcript });
  const part = new TranscriptPart(services);
  const draw = (): DrawnPart => {
    const drawn = part.draw(size);
    part.drawn();
    return drawn;
  };
  const rig: TranscriptRig = {
    services,
    part,
    draw,
    rows: () => draw().rows.map((row) => textOfRow(row).trimEnd()),
    bar() {
      const [row] = services.overlays.at(-1)?.draw({ columns: size.columns, rows: 3 }).rows ?? [];
      return row === undefined ? "" : textOfRow(row);
    },
    add(...more) {
      transcript = transcriptOf([...transcript.segments.flatMap((each) => each.items ?? []), ...more]);
    },
    press(...keys) {
      for (const key of keys) {
        const overlay = services.overlays.at(-1);
        const action = services.keys.find(key, overlay?.contexts ?? ["input"]);
        if (action === undefined) throw new Error(`${key} is bound to nothing`);
        if (overlay?.act(action) !== true && !part.act(action)) throw new Error(`nobody takes ${action}`);
        draw();
      }
    },
    type(text) {
      for (const unit of text) services.overlays.at(-1)?.type?.(unit);
      draw();
    },
    mouse(type, row, column) {
      part.mouse({ kind: "mouse", type, button: "left", row, column, wheel: 0, shift: false });
      draw();
    },
    setMouse: (mouse, more = {}) => services.settings.change({ mouse, ...more }),
  };
  draw();
  return rig;
}

export function promptItem(event: number, text: string): PromptItem {
  const content = [{ type: "text" as const, text }];
  return { kind: "prompt", event, ts: TS, turn: event, originator: fakeId("cli", 9), content };
}

/** An answer that has ended. */
export function textItem(event: number, text: string): TextItem {
  return { kind: "text", event, ts: TS, streamed: endedText(newText(text)) };
}

/** A command that has ended. */
export function callItem(event: number, output: string, more: Partial<CallItem> = {}): CallItem {
  return {
    kind: "call",
    event,
    ts: TS,
    endedAt: TS,
    callId: fakeId("call", event) as CallId,
    tool: "Bash",
    toolKind: "execute",
    args: { command: "run" },
    state: "done",
    output,
    media: [],
    items: [],
    ...more,
  };
}

function transcriptOf(items: readonly TranscriptItem[]): Transcript {
  const last = items.at(-1)?.event ?? 0;
  return { reached: last, segments: [{ first: 1, last, items, weight: 0 }] };
}

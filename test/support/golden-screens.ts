import { join } from "node:path";
import { writeIfChanged } from "../../scripts/write-if-changed.ts";
import type { ClientId } from "../../src/base/ids.ts";
import type { Theme } from "../../src/client/terminal/drawing/paint.ts";
import { sidebar } from "../../src/client/terminal/features/sidebar/sidebar.ts";
import { ImageUploads } from "../../src/client/terminal/images/image-uploads.ts";
import { InputPart } from "../../src/client/terminal/input/input-part.ts";
import { ScreenLayout } from "../../src/client/terminal/layout/screen-layout.ts";
import { QuestionDock } from "../../src/client/terminal/questions/question-dock.ts";
import type { MouseInput } from "../../src/client/terminal/screen/screen.ts";
import { drawHeader } from "../../src/client/terminal/status/header.ts";
import { StatusPart } from "../../src/client/terminal/status/status-part.ts";
import { colourTheme } from "../../src/client/terminal/themes/colour-theme.ts";
import { NO_COLOURS } from "../../src/client/terminal/themes/none.ts";
import type { ThemePalette } from "../../src/client/terminal/themes/palettes.ts";
import {
  DARK,
  DARK_COLOUR_BLIND,
  LIGHT,
  LIGHT_COLOUR_BLIND,
} from "../../src/client/terminal/themes/palettes.ts";
import { sixteenColours } from "../../src/client/terminal/themes/sixteen.ts";
import type { ThemeName } from "../../src/client/terminal/themes/theme-choice.ts";
import { TranscriptPart } from "../../src/client/terminal/transcript/transcript-part.ts";
import type { NewsItem } from "../../src/protocol/events/news.ts";
import type { Question } from "../../src/view/questions/questions.ts";
import { NEW_SESSION } from "../../src/view/session/session-view.ts";
import type { NoteItem, ThinkingItem, TranscriptItem } from "../../src/view/transcript/items.ts";
import { endedText, newText } from "../../src/view/transcript/streamed-text.ts";
import { fakeId } from "./fake-connection.ts";
import { ROOT } from "./source.ts";
import { fakeServices } from "./terminal-parts.ts";
import { callItem, promptItem, textItem } from "./transcript-window.ts";

/** A theme whose screens are kept, and the palette that it is made from. */
export interface GoldenTheme {
  /** Name of its file. */
  readonly name: Exclude<ThemeName, "auto" | "colour-blind">;
  readonly theme: Theme;
  /** Absent: its colours are those of the terminal. */
  readonly palette?: ThemePalette;
}

export const GOLDEN_THEMES: readonly GoldenTheme[] = [
  ...([DARK, LIGHT, DARK_COLOUR_BLIND, LIGHT_COLOUR_BLIND] as const).map((palette) => ({
    name: palette.name as GoldenTheme["name"],
    theme: colourTheme(palette, { colours: "all" }),
    palette,
  })),
  { name: "sixteen", theme: sixteenColours("dark") },
  { name: "none", theme: NO_COLOURS },
];

/** Returns the path of the screens of a theme, relative to the root of the clone. */
export function goldenScreenPath(name: string): string {
  return `test/data/themes/${name}.ansi`;
}

const SIZE = { columns: 120, rows: 52 };
const SEARCH_SIZE = { columns: 120, rows: 36 };
const TS = "2026-01-01T00:00:00.000Z";
/** Longer than a question waits for a pause in the keys. */
const LIVE_MS = 400;
const SELF = fakeId("cli", 1) as ClientId;
const SESSION = "sess_01KB4T7N2WQJ5D8XR6ZC0V9EGM";

const ANSWER = `## Why attempts do not wait

\`sleep\` returns a promise, and **nothing awaits it**. See [the guide](https://example.com/guide).

> A promise that nobody awaits is a wait that nobody does.

- [x] read the code
- [ ] run the checks

\`\`\`ts
export async function retry<T>(run: Run<T>, times = 3): Promise<T> {
  throw new Error("given up"); // after 300 ms
}
\`\`\`
`;
const FIX = {
  path: "src/retry.ts",
  old: "  const pause = 100 * attempt;\n  sleep(pause);\n",
  new: "  const pause = 200 * attempt;\n  await sleep(pause);\n",
};
const PREVIEW = { path: "path", old: "old", new: "new" };

const ITEMS: readonly TranscriptItem[] = [
  promptItem(1, "Retries do not wait. Why?"),
  {
    ...{ kind: "thinking", event: 2, ts: TS, endedAt: TS },
    streamed: endedText(newText("The pause may be missing.")),
  } satisfies ThinkingItem,
  callItem(3, "ok   the first success is returned\nFAIL attempts wait\n[exit code 1]", {
    state: "failed",
    args: { command: "sh check.sh" },
  }),
  textItem(4, ANSWER),
  callItem(5, "edited", { tool: "Edit", toolKind: "edit", args: FIX, preview: PREVIEW }),
  note(6, "info", "The context was compacted."),
  note(7, "warning", "The limit of this session is near: $4.60 of $5.00."),
  note(8, "failure", "acme answered with 503: overloaded."),
];

function note(event: number, tone: NoteItem["tone"], text: string): NoteItem {
  return { kind: "note", event, ts: TS, tone, text };
}

const QUESTION = {
  kind: "permission",
  request: {
    callId: "call_1",
    tool: "Edit",
    toolKind: "edit",
    args: FIX,
    summary: "src/retry.ts",
    preview: PREVIEW,
    why: { cause: "rule", text: "ask = Edit" },
    reason: "a rule asks about every edit",
    timeoutMs: 60_000,
  },
} as unknown as Question;

const TODOS = [
  { content: "read the code", status: "completed" },
  { content: "await the pause", status: "in_progress" },
  { content: "run the checks", status: "pending" },
] as const;

const LISTS = {
  skills: [{ name: "write-docs", description: "", source: "user" }],
  servers: [
    { name: "issues", state: "running", tools: 3 },
    { name: "database", state: "degraded", tools: 0 },
  ],
  hooks: [{ event: "PreToolUse", command: "lint", source: "x", timeout_s: 1 }],
  waiting: [],
  more: false,
};

const SESSIONS = [
  { session: SESSION, title: "Retries do not wait", state: "running" },
  { session: "sess_01KB4T7N2WQJ5D8XR6ZC0V9EGN", title: "Release 1.3.1", state: "waiting", unread: 3 },
].map((info) => ({
  ...{ log: info.session.replace("sess_", "log_"), working_dir: "/home/user/retry", updated_at: TS },
  ...info,
}));

/** Services of a client that shows a session with a running turn, todos, clients and an open question. */
function goldenServices() {
  const services = fakeServices();
  const run = {
    ...{ questions: [QUESTION], tasks: [], rules: [], subAgents: new Map(), profile: "default" },
    turn: { number: 2, originator: SELF },
  };
  const view = { ...NEW_SESSION, todos: TODOS, run };
  const transcript = {
    reached: ITEMS.length,
    segments: [{ first: 1, last: ITEMS.length, items: ITEMS, weight: 0 }],
  };
  const values = {
    view,
    transcript,
    self: SELF,
    open: { session: SESSION, profile: "default", model: "acme:large", past: 0, notices: [] },
  };
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(services.session, name, { get: () => value });
  Object.assign(services.session, {
    query: async () => LISTS,
    async *news({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<NewsItem> {
      for (const info of SESSIONS) yield { kind: "SessionChanged", session: info.session, info } as never;
      await new Promise<void>((ended) => signal.addEventListener("abort", () => ended(), { once: true }));
    },
  });
  Object.assign(services.screen, { size: SIZE });
  services.settings.change({ sidebar: true, mouse: "full" });
  return services;
}

/**
 * Returns two screens in a theme as a terminal gets them, drawn by the parts of the client: a question with a change,
 * beside it the sidebar, above it a selection in the transcript; then a search.
 */
export async function goldenScreens(theme: Theme): Promise<readonly string[]> {
  const services = goldenServices();
  const transcript = new TranscriptPart(services);
  // Without a session no draft is kept.
  const session = { ...services.session, open: undefined };
  const input = new InputPart({
    services: { ...services, session },
    uploads: new ImageUploads(session),
    outgoing: { slow: [] },
    workingDir: "/home/user/retry",
    send: () => undefined,
  });
  const side = sidebar(services);
  const status = new StatusPart(services, { isQuiet: false, mode: () => "accept edits" });
  const started = { id: 9, ts: new Date(services.clock.now()).toISOString(), kind: "TurnStarted" };
  status.add({ ...started, session: SESSION, payload: { turn: 2, originator: SELF } } as never);
  const stage: ScreenLayout = new ScreenLayout({
    clock: services.clock,
    redraw: () => undefined,
    parts: {
      header: (columns) =>
        drawHeader(
          {
            ...{ version: "1.0.0", workingDir: "/home/user/retry", isChoosing: false },
            ...{ keys: services.keys, nowMs: services.clock.now() },
          },
          columns,
        ),
      transcript,
      above: (columns) => side.above?.(columns) ?? [],
      rule: (columns) => status.rule(columns, transcript.newBlocks),
      dock: new QuestionDock(services),
      input,
      side: () => side.side,
      status: (columns) => status.status(columns),
    },
    keys: () => services.keys,
    theme: () => theme,
    act: () => undefined,
  });
  Object.assign(services, {
    open: (overlay: never) => stage.open(overlay),
    close: (overlay: never) => stage.close(overlay),
  });
  stage.draw(SIZE);
  await services.clock.advance(LIVE_MS);
  const { rows } = stage.draw(SIZE);
  const at = rows.findIndex((each) => each.includes("A promise that"));
  const mouse = { kind: "mouse", button: "left", wheel: 0, shift: false } as const;
  const drag: readonly Pick<MouseInput, "type" | "row" | "column">[] = [
    { type: "press", row: at, column: 4 },
    { type: "drag", row: at + 2, column: 14 },
    { type: "release", row: at + 2, column: 14 },
  ];
  for (const each of drag) stage.input({ ...mouse, ...each });
  const asked = stage.draw(SIZE).rows;
  stage.draw(SEARCH_SIZE);
  stage.run("transcript.search");
  for (const unit of "wait") stage.input({ kind: "key", key: unit, text: unit });
  stage.draw(SEARCH_SIZE);
  await services.clock.advance(LIVE_MS);
  const searched = stage.draw(SEARCH_SIZE).rows;
  transcript[Symbol.dispose]();
  side[Symbol.dispose]?.();
  return [asked, searched].map((frame) => `${frame.join("\n")}\n`);
}

/** Returns the text of the golden file of a theme. */
export async function goldenText({ theme }: GoldenTheme): Promise<string> {
  return (await goldenScreens(theme)).join("\n");
}

if (import.meta.main) {
  for (const golden of GOLDEN_THEMES) {
    const path = goldenScreenPath(golden.name);
    if (writeIfChanged(join(ROOT, path), await goldenText(golden))) console.log(path);
  }
}

import { join, resolve } from "node:path";
import { calls, says } from "../test/support/mock-provider/turn.ts";
import { textOfSvg } from "./terminal-svg.ts";
import { SCENES, tourPage } from "./tour-page.ts";
import type { Stage } from "./tour-stage.ts";
import { openStage } from "./tour-stage.ts";
import { writeIfChanged } from "./write-if-changed.ts";

/**
 * Makes `docs/tour.md` and its pictures in `docs/tour`:
 *
 *     sh scripts/bun.sh scripts/record-tour.ts
 *
 * Drives `./cinch` in a real terminal (tmux) with a scripted model. What differs between two recordings is replaced in
 * one place (`tour-stage.ts`).
 */
const ROOT = resolve(import.meta.dir, "..");

/** Takes the picture of a scene, once the screen shows a text. */
type Take = (name: string, shows: string | RegExp) => Promise<void>;

const RETRY = `import { sleep } from "./sleep.ts";

/** Runs a function until it succeeds, at most \`times\` times. */
export async function retry<T>(run: () => Promise<T>, times = 3): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === times) throw error;
      sleep(100 * attempt);
    }
  }
}
`;
const CHECK = `echo "ok   the first success is returned"
echo "ok   three attempts, then the error"
echo "FAIL attempts wait: 0 ms, expected 300 ms"
echo "2 passed, 1 failed"
exit 1
`;
const FILES = { "src/retry.ts": RETRY, "check.sh": CHECK };
const FIX = { old_string: "      sleep(100 * attempt);", new_string: "      await sleep(100 * attempt);" };
const ANSWER = `The attempts follow each other at once: \`sleep\` returns a promise, and **nothing awaits it**.

\`\`\`ts
if (attempt === times) throw error;
await sleep(100 * attempt); // waits 100 ms, then 200 ms
\`\`\`

The signature of \`retry\` stays the same, and so do the errors that it throws. No other file calls \`sleep\`.

| attempt | waits before it | in all |
|---|---:|---:|
| 1 | 0 ms | 0 ms |
| 2 | 100 ms | 100 ms |
| 3 | 200 ms | 300 ms |
`;
const PLAN = `## Let callers cancel retries

1. Give \`retry\` an \`AbortSignal\` as its last argument.
2. End the wait when the signal aborts, and throw its reason.
3. Add two checks: a cancel during the wait, and one before the first attempt.

Callers that pass no signal see no difference.
`;
const USAGE = { input: 9_200, output: 310, cacheRead: 21_400 };

/** A conversation about one bug, and what can be looked at in it. */
async function recordWork(take: (stage: Stage) => Take): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const todos = (first: string, second: string) => ({
    tool: "TodoWrite",
    input: {
      todos: [
        { content: "find out why attempts do not wait", status: first },
        { content: "await the pause", status: second },
        { content: "run the checks", status: "pending" },
      ],
    },
  });
  await using stage = await openStage({
    files: FILES,
    config: '[permissions]\nallow = ["Bash:sh check.sh"]\n',
    script: [
      says("It counts attempts from 1 and throws the last error."),
      {
        parts: [
          { text: "I read the code, then I run the checks." },
          todos("in_progress", "pending"),
          { tool: "Read", input: { file_path: "src/retry.ts" } },
          { tool: "Bash", input: { command: "sh check.sh" } },
        ],
        usage: USAGE,
      },
      says(ANSWER, { hold: answered.promise, usage: USAGE }),
      {
        parts: [
          { text: "I await the pause." },
          todos("completed", "in_progress"),
          { tool: "Edit", input: { file_path: "src/retry.ts", ...FIX } },
        ],
        usage: USAGE,
      },
      says("Attempts wait now: 100 ms before the second, 200 ms before the third.", { usage: USAGE }),
      calls("Write", { file_path: "NOTES.md", content: "# 1.3.1\n\n- Retries wait between attempts.\n" }),
      says("The release notes have a line about it.", { usage: USAGE }),
    ],
    columns: 100,
    rows: 32,
  });
  const picture = take(stage);
  await stage.start();
  await stage.send("How does retry count?");
  await stage.terminal.shows("throws the last error");
  await stage.terminal.gone("working");
  await stage.act("app.leaveIfEmpty");
  await stage.terminal.shows("continues this session");
  await stage.clear();
  await stage.start();
  await picture("first-screen", /continues "How does retry count\?"/);
  await stage.terminal.type("/se");
  await picture("slash", /\n> \/se\n/);
  await stage.act("edit.killToStart");
  await stage.terminal.gone("/se");
  await stage.act("app.palette");
  await picture("palette", "search:");
  await stage.act("list.leave");
  await stage.terminal.gone("search:");
  await stage.resize(120, 32);
  await stage.terminal.type("?");
  await picture("help", "ctrl+p");
  await stage.act("list.leave");
  await stage.terminal.gone("cancel the turn, else");
  await stage.resize(100, 32);
  await stage.send("Retries do not wait. Why?");
  await picture("answer", "nothing awaits it");
  await stage.send("Then fix it.");
  await stage.terminal.shows(/^queued +1 Then fix it\.$/m);
  await stage.send("And write a line for the release notes.");
  await stage.terminal.shows(/^queued +2 And write/m);
  await stage.act("input.takeBack");
  await picture("queue", "Waiting messages: 2 of 2");
  await stage.act("list.leave");
  await stage.terminal.gone("Waiting messages");
  answered.resolve();
  await stage.terminal.shows("The release notes have a line");
  // The todos above the draft go with the turn: until then the transcript has fewer rows.
  await stage.terminal.gone("working");
  await stage.act("transcript.search");
  await stage.terminal.shows("type to search");
  await stage.terminal.type("wait");
  await picture("search", /\d+ of \d+/);
  await stage.act("search.leave");
  await stage.terminal.gone("enter next");
  await stage.act("costs.open");
  await picture("costs", /by turn · /);
  await stage.act("list.leave");
  await stage.terminal.gone("by turn · ");
  await stage.act("model.open");
  await picture("models", /▸ ● acme:large/);
  await stage.act("list.leave");
  await stage.terminal.gone("▸ ● acme:large");
  await stage.act("session.open");
  await picture("sessions", /How does retry count/);
  await stage.act("list.leave");
  await stage.terminal.gone("How does retry count");
  await stage.act("turn.cancel");
  await stage.terminal.shows("Press Escape again");
  await stage.act("turn.cancel");
  await picture("rewind", /1 is removed|removed/);
  await stage.act("list.leave");
  await stage.terminal.gone("Go back to before a prompt");
  await stage.resize(130, 32);
  await stage.act("sidebar.toggle");
  await picture("sidebar", "Who is here");
  await stage.act("sidebar.toggle");
  await stage.terminal.gone("Who is here");
  await stage.resize(160, 24);
  await stage.act("changes.open");
  await stage.terminal.shows("▸ A NOTES.md");
  await stage.act("list.down");
  await stage.terminal.shows("▸ M src/retry.ts");
  await stage.act("list.choose");
  await picture("side-by-side", /sleep.*sleep/);
  await stage.act("list.leave");
  await stage.terminal.shows("Changed files");
  await stage.act("list.leave");
  await stage.terminal.gone("Changed files");
  await stage.resize(40, 24);
  await picture("narrow", "release notes");
}

/** Each kind of question, in a session of its own. */
async function recordQuestions(take: (stage: Stage) => Take): Promise<void> {
  await using stage = await openStage({
    files: FILES,
    config: '[permissions]\nask = ["Edit", "MultiEdit", "Bash"]\n',
    script: [
      {
        parts: [
          { text: "I clean the build before I measure." },
          { tool: "Bash", input: { command: "rm -rf dist && npm run build -- --minify" } },
        ],
      },
      {
        parts: [
          { text: "The pause has to be awaited." },
          { tool: "Edit", input: { file_path: "src/retry.ts", ...FIX } },
        ],
      },
      {
        parts: [
          { text: "Two places change: the default and the pause." },
          {
            tool: "MultiEdit",
            input: {
              file_path: "src/retry.ts",
              edits: [{ old_string: "times = 3", new_string: "times = 5" }, FIX],
            },
          },
        ],
      },
      calls("ExitPlanMode", { plan: PLAN }),
    ],
    columns: 100,
    rows: 32,
  });
  const picture = take(stage);
  const next = async () => {
    await stage.act("turn.cancel");
    await stage.terminal.shows("cancelled");
    await stage.act("session.new");
    await stage.terminal.gone("cancelled");
  };
  await stage.start();
  await stage.send("How large is the bundle?");
  await picture("question-command", /rm -rf dist[\s\S]*deny/);
  await next();
  await stage.send("Fix the pause.");
  await picture("question-diff", /await sleep[\s\S]*deny/);
  await next();
  await stage.send("Five attempts, and wait between them.");
  await picture("hunks", "hunk 1 of 2");
  await next();
  await stage.act("mode.next");
  await stage.terminal.shows("plan: the model reads and plans");
  await stage.send("Let callers cancel retries.");
  await picture("plan", "Callers that pass no signal");
}

async function recordInline(take: (stage: Stage) => Take): Promise<void> {
  await using stage = await openStage({
    files: FILES,
    script: [calls("Read", { file_path: "src/retry.ts" }), says(ANSWER, { usage: USAGE })],
    columns: 80,
    rows: 34,
  });
  const picture = take(stage);
  await stage.terminal.type("ls");
  await stage.terminal.press("Enter");
  await stage.terminal.shows(/^check\.sh .*\n\$$/m);
  await stage.start("--inline");
  await stage.send("Retries do not wait. Why?");
  await picture("inline", /3 +│ +200 ms/);
}

async function recordReader(take: (stage: Stage) => Take): Promise<void> {
  await using stage = await openStage({
    files: FILES,
    config: '[permissions]\nask = ["Edit"]\n',
    script: [
      {
        parts: [
          { text: "The pause has to be awaited." },
          { tool: "Edit", input: { file_path: "src/retry.ts", ...FIX } },
        ],
      },
    ],
    columns: 80,
    rows: 34,
  });
  const picture = take(stage);
  await stage.start("--screen-reader");
  // The line about the session comes once the engine is reached: above the prompt, or below it.
  await stage.terminal.shows("/help lists commands");
  await stage.send("Fix the pause.");
  await picture("reader", "Answer 1-4 >");
}

/** Records all scenes, in homes of their own. Returns their pictures by their names, in the order of the page. */
export async function recordTour(): Promise<ReadonlyMap<string, string>> {
  const taken = new Map<string, string>();
  const take =
    (stage: Stage): Take =>
    async (name, shows) => {
      const scene = SCENES.find((each) => each.name === name);
      if (scene === undefined) throw new Error(`no scene has the name ${name}`);
      taken.set(name, await stage.picture(scene.title, shows));
    };
  await Promise.all([recordWork, recordQuestions, recordInline, recordReader].map((record) => record(take)));
  return new Map(
    SCENES.map(({ name }) => {
      const picture = taken.get(name);
      if (picture === undefined) throw new Error(`the scene ${name} was not recorded`);
      return [name, picture] as const;
    }),
  );
}

/** Returns the path of a picture below the root of the clone. */
export function picturePath(name: string): string {
  return `docs/tour/${name}.svg`;
}

/** Returns the text of a picture for a comparison: blanks and lines count once, however long they are. */
export function comparableText(svg: string): string {
  return textOfSvg(svg)
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/─{2,}/g, "─")
    .replaceAll(/sess_…\w+/g, "sess_…"); // each run has its own
}

if (import.meta.main) {
  if (writeIfChanged(join(ROOT, "docs/tour.md"), tourPage())) console.log("docs/tour.md");
  if (Bun.which("tmux") === null)
    throw new Error(
      "tmux is missing: the pictures of docs/tour.md were not recorded. Install it, and run this again.",
    );
  for (const [name, svg] of await recordTour())
    if (writeIfChanged(join(ROOT, picturePath(name)), svg)) console.log(picturePath(name));
}

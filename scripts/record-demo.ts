import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SILENT_LOG } from "../src/base/log.ts";
import { byteLength } from "../src/base/text/text.ts";
import { CHECK, FIX, layOut } from "../src/cli/commands/demo/project.ts";
import { acknowledge, CONFIG, PROMPT } from "../src/cli/commands/demo/stage.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { RecordedExchange, TimedEvent } from "../src/providers/replay/cassette.ts";
import { parseCassette, renderLine } from "../src/providers/replay/cassette.ts";
import { startMockProvider } from "../test/support/mock-provider/mock-provider.ts";
import type { Turn } from "../test/support/mock-provider/turn.ts";
import { writeIfChanged } from "./write-if-changed.ts";

/**
 * Makes `src/cli/commands/demo/cassette.jsonl`, the recording that `cinch demo` plays:
 *
 *     sh scripts/bun.sh scripts/record-demo.ts
 *
 * A scripted model on this machine stands in for a real one; everything else is a live run of `./cinch -p --record` in
 * a copy of the project. Afterwards the pauses are set to what people can follow, and the usage, which a scripted model
 * does not have, to an estimate of 4 bytes a token. The same sources give the same bytes.
 */
const ROOT = resolve(import.meta.dir, "..");
const CASSETTE = "src/cli/commands/demo/cassette.jsonl";

const THINKING_MS = 700;
const CALLING_MS = 300;
const BYTES_PER_TOKEN = 4;

const runsTests = { tool: "Bash", input: { command: CHECK.join(" ") } };

const SCRIPT: readonly Turn[] = [
  { parts: [{ text: "First I run the tests, to see how they fail." }, runsTests] },
  {
    parts: [
      {
        text: "Three checks fail, and each result lacks its minutes: 60 seconds give nothing, and in 3725 the hour and the seconds are right. So I look at how minutes are counted.",
      },
      { tool: "Read", input: { file_path: FIX.path } },
    ],
  },
  {
    parts: [
      {
        text: "There it is: the line takes what is left of a minute (% 60) and divides it by 60, which is always 0. Minutes are what is left of an hour (% 3600).",
      },
      {
        tool: "Edit",
        input: { file_path: FIX.path, old_string: FIX.before, new_string: FIX.after },
      },
    ],
  },
  { parts: [{ text: "The tests again:" }, runsTests] },
  {
    parts: [
      {
        text: "All seven checks pass. Minutes were taken from the rest of a minute instead of the rest of an hour; I changed that one line in lib/words.sh and left the tests as they were.",
      },
    ],
  },
];

/** Records once, in folders of its own, and gives the text of the cassette. */
export async function recordDemo(): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "cinch-record-"));
  const mock = startMockProvider({ script: SCRIPT });
  try {
    const project = join(scratch, "project");
    const recorded = join(scratch, "cassette.jsonl");
    await layOut(hostWorld(SILENT_LOG), project, { fixed: false });
    mkdirSync(join(scratch, "config/cinch"), { recursive: true });
    const provider = `[providers.scripted]\nkind = "anthropic"\nbase_url = "${mock.url}"\n`;
    writeFileSync(join(scratch, "config/cinch/config.toml"), CONFIG + provider);
    await acknowledge(hostWorld(SILENT_LOG), { project, config: join(scratch, "config/cinch") });
    const child = Bun.spawn(
      [join(ROOT, "cinch"), "-p", PROMPT, "--model", "scripted:demo", "--record", recorded],
      {
        cwd: project,
        env: {
          PATH: process.env["PATH"],
          HOME: scratch,
          ...Object.fromEntries(
            ["config", "data", "state"].map((name) => [
              `XDG_${name.toUpperCase()}_HOME`,
              join(scratch, name),
            ]),
          ),
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const code = await child.exited;
    if (code !== 0) throw new Error(`the run that was to be recorded ended with code ${code}`);
    return directed(readFileSync(recorded, "utf8"));
  } finally {
    await mock[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The recording with pauses and usage set. Patterns are taken out: nothing in this project differs by them. */
function directed(text: string): string {
  const { header, exchanges } = parseCassette(text, "the recording");
  let bytes = 0;
  const lines = exchanges.map(({ request, events }) => {
    bytes += byteLength(JSON.stringify(request.messages));
    const said = events.flatMap(({ event }) => (event.kind === "block" ? [event.block] : []));
    const usage = { input: tokens(bytes), output: tokens(byteLength(JSON.stringify(said))) };
    return renderLine({ request, events: events.map((event, at) => timed(event, at, usage)) });
  });
  return renderLine({ ...header, variables: [] }) + lines.join("");
}

function timed(
  { event }: TimedEvent,
  at: number,
  usage: { input: number; output: number },
): RecordedExchange["events"][number] {
  const isCall = event.kind === "block" && event.block.type === "tool_use";
  const ms = at === 0 ? THINKING_MS : isCall ? CALLING_MS : 0;
  if (event.kind !== "usage") return { ms, event };
  const counted = {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  return { ms, event: { kind: "usage", usage: counted } };
}

function tokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

if (import.meta.main) {
  if (writeIfChanged(join(ROOT, CASSETTE), await recordDemo())) console.log(CASSETTE);
}

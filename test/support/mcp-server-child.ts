import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A small MCP server of 2025-11-25 that misbehaves as it is told: `JOURNAL HABIT…`. Each message that it gets is a
 * line of the journal, after a line with its process id.
 *
 * `tools=FILE` has it list what a JSON file holds at that moment; without it there are `echo` and `wait`.
 * `prompts=FILE` and `resources=FILE` do the same, and have it say so of prompts with the call `echo change-prompts`;
 * such a prompt says its name.
 */
const [journal = "", ...habits] = process.argv.slice(2);
const has = (habit: string) => habits.includes(habit);
const settingOf = (name: string) =>
  habits.find((habit) => habit.startsWith(`${name}=`))?.slice(name.length + 1);

const ECHO = {
  name: "echo",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const WAIT = { name: "wait", description: "Does not answer.", inputSchema: { type: "object" } };

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly requestId?: number | string;
    readonly arguments?: { readonly text?: string };
  };
}

appendFileSync(
  journal,
  `${JSON.stringify({ pid: process.pid, PPid: process.ppid, cwd: process.cwd(), env: process.env })}\n`,
);
if (has("ignores-signals")) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1_000);
}
if (existsSync(settingOf("dies-where") ?? "")) process.exit(7);
const reader = createInterface({ input: process.stdin });
reader.on("line", (line) => {
  appendFileSync(journal, `${line}\n`);
  take(JSON.parse(line) as Message);
});
if (!has("ignores-signals")) reader.on("close", () => process.exit(0));

let isMute = false;
let page = 0;

function say(message: object): void {
  if (isMute) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function take({ id, method, params }: Message): void {
  if (method === "notifications/cancelled" && has("answers-late")) answerLate(params?.requestId);
  if (id === undefined) return;
  switch (method) {
    case "initialize":
      if (has("never-greets")) return;
      say({
        id,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: {
            tools: { listChanged: true },
            ...(has("prompts") ? { prompts: {} } : {}),
            ...(settingOf("prompts") === undefined ? {} : { prompts: { listChanged: true } }),
            ...(settingOf("resources") === undefined ? {} : { resources: { listChanged: true } }),
          },
          serverInfo: { name: "test", version: "1" },
        },
      });
      if (has("floods-with-garbage")) flood("x".repeat(65_535));
      if (has("floods-its-errors")) floodErrors();
      if (has("never-ends-a-message")) flood("y".repeat(1_048_576), "");
      return;
    case "tools/list":
      if (has("never-lists")) return;
      if (settingOf("page-characters") !== undefined) return void sayPage(id);
      say({ id, result: { tools: listed("tools", [ECHO, WAIT]) } });
      return;
    case "resources/list":
      say({ id, result: { resources: listed("resources"), ttlMs: 3_600_000, cacheScope: "private" } });
      return;
    case "resources/templates/list":
      say({ id, result: { resourceTemplates: [] } });
      return;
    case "prompts/list":
      if (settingOf("prompts") !== undefined) say({ id, result: { prompts: listed("prompts") } });
      else if (!has("never-lists-prompts"))
        say({ id, result: { prompts: [{ name: "slow" }, { name: "x".repeat(1_000) }] } });
      return;
    case "prompts/get":
      if (settingOf("prompts") !== undefined)
        say({ id, result: { messages: [{ role: "user", content: { type: "text", text: params?.name } }] } });
      return;
    case "tools/call":
      call(id, params?.name, params?.arguments?.text ?? "");
      return;
    default:
      if (has("dies-of-the-new-greeting") && method === "server/discover") process.exit(9);
      say({ id, error: { code: -32601, message: "no such method" } });
  }
}

/** A page of a list that never ends. */
function sayPage(id: number | string): void {
  page += 1;
  const description = "x".repeat(Number(settingOf("page-characters")));
  say({ id, result: { tools: [{ ...ECHO, name: `echo${page}`, description }], nextCursor: `page ${page}` } });
}

/** To a call that nobody waits for any more, and to many that nobody made. */
function answerLate(id: number | string = 0): void {
  for (let at = 0; at < 300; at += 1) say({ id, result: { content: [{ type: "text", text: "late" }] } });
  say({ method: "notifications/tools/list_changed" });
}

function listed(what: string, otherwise: readonly object[] = []): unknown {
  const file = settingOf(what);
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  return otherwise;
}

function call(id: number | string, name: string | undefined, text: string): void {
  if (name === "wait") return;
  if (text === "die") process.kill(process.pid, "SIGKILL");
  if (text === "change") say({ method: "notifications/tools/list_changed" });
  if (text === "change-prompts") say({ method: "notifications/prompts/list_changed" });
  const result = { content: [{ type: "text", text: `echo: ${text}` }] };
  if (has("lies-about-ids")) {
    for (const other of [99_999, "a", null, -1]) say({ id: other, result });
    say({ id, result });
    say({ id, result });
  }
  say({ id, result });
}

function flood(line: string, end = "\n"): void {
  isMute = true;
  const write = () => {
    while (process.stdout.write(line + end)) {
      // until the pipe is full
    }
    process.stdout.once("drain", write);
  };
  write();
}

function floodErrors(): void {
  const write = () => {
    while (process.stderr.write(`${"z".repeat(4_095)}\n`)) {
      // until the pipe is full
    }
    process.stderr.once("drain", write);
  };
  write();
}

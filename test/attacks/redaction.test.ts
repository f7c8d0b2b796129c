import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../src/base/errors.ts";
import { openLogFile } from "../../src/platform/log-file.ts";
import { redactor } from "../../src/safety/redact.ts";
import { redactedLog } from "../../src/safety/redacted-log.ts";
import type { ToolMiddleware } from "../../src/tools/middleware.ts";
import type { Rig } from "../support/rig.ts";
import { fakeTool, ok, openRig } from "../support/rig.ts";
import { calls, events } from "../support/scripted-provider.ts";
import { seededRandom, temporaryDirectory } from "../support/world.ts";

// Secrets that leave through what is stored, shown or sent (attacks D, S54). The first two cases went red in a copy in
// which the redactor of the session gave every text as it is; the third is about the operational log.

const FLOWS = 60;

test(`[SES-05 S54 R06] ${FLOWS} secrets of as many kinds, each said in every place, reach no event, message or request`, async () => {
  const secrets = secretsOf("positives-generated", "positives-rewritten").slice(0, FLOWS);
  expect(secrets.length).toBe(FLOWS);
  for (const { text, core } of secrets) {
    await using rig = await openSaying(text);
    await rig.send(`I paste ${text} here`);
    const stored = await rig.store.messages(rig.session.logId);
    for (const [where, what] of Object.entries({
      events: rig.events,
      requests: rig.provider.requests,
      stored,
    })) {
      expect({
        where,
        core,
        leaks: JSON.stringify(what).includes(JSON.stringify(core).slice(1, -1)),
      }).toEqual({
        ...{ where, core },
        leaks: false,
      });
    }
  }
}, 300_000);

test("[SES-05 PERM-06 S54] the question for a permission shows no secret: not in its arguments, its line or its diff", async () => {
  const [secret] = secretsOf("positives-generated");
  const text = secret?.text ?? "";
  const tool = fakeTool("Write", () => ok("never"));
  await using rig = await openRig({
    script: [calls({ name: "Write", input: { file_path: ".env", content: text } }), calls("")],
    tools: [tool],
    gate: (questions) => [
      async (call, context) => {
        const question = {
          callId: call.id,
          tool: call.name,
          args: call.input,
          originator: context.originator,
        };
        const shown = { summary: `Write:${text}`, reason: `it holds ${text}`, diff: `@@ -1 +1 @@\n+${text}` };
        await questions.askPermission({ ...question, ...shown }, context.signal);
        return ok("asked");
      },
    ],
  });
  const { sessionId } = { sessionId: rig.session.id };
  await rig.connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  const asked = await rig.until("PermissionRequested");
  expect(JSON.stringify(asked)).not.toContain(secret?.core ?? "?");
  expect(JSON.stringify(asked).match(/«redacted:/g)?.length).toBe(4);
});

test("[LOG-01 S54] a line of the operational log forges no other line and no field, and drives no terminal", async () => {
  await using folder = temporaryDirectory();
  const levels = new Map();
  const log = redactedLog(openLogFile({ directory: folder.path, toStderr: false, now: () => 0, levels }));
  const forged = `\r\n{"level":"error","msg":"forged"}\u001b[2J\u2028`;
  log
    .for("engine")
    .write("warn", `failed${forged}`, { what: messageOf(new Error(forged)), msg: "forged", ts: "x" });
  const [name = ""] = readdirSync(folder.path);
  const text = readFileSync(join(folder.path, name), "utf8");
  expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(1);
  expect(text).not.toContain("\u001b");
  expect(JSON.parse(text)).toMatchObject({ level: "warn", component: "engine", msg: `failed${forged}` });
});

/** A session whose model, tool and middleware say a text in every way they have. */
async function openSaying(text: string): Promise<Rig> {
  const random = seededRandom(text.length);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random.number() * 9);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  const tool = fakeTool("Tell", (_input, context) => {
    for (const piece of pieces) context.progress(piece);
    context.progress("\n");
    context.emit({
      kind: "TaskChanged",
      payload: { taskId: "task_x" as never, what: text, state: "failed", detail: text },
    });
    return ok(`out: ${text}\n`);
  });
  const gate: ToolMiddleware = async (call, context, next) => {
    const output = await next(call, context);
    return { ...output, content: [...output.content, { type: "text", text: `refused: ${text}` }] };
  };
  const thinking = { type: "thinking", family: "scripted", text, data: { text } } as const;
  return await openRig({
    script: [
      events(
        ...pieces.map((piece) => ({ kind: "thinking", index: 0, text: piece }) as const),
        { kind: "block", index: 0, block: thinking },
        ...pieces.map((piece) => ({ kind: "text", index: 1, text: piece }) as const),
        { kind: "text", index: 1, text: "\n" },
        { kind: "block", index: 1, block: { type: "text", text: `${text}\n` } },
        {
          kind: "block",
          index: 2,
          block: { type: "tool_use", name: "Tell", input: { text, deep: [{ text }] } },
        },
        { kind: "finish", reason: "tool_use", raw: "tool_use" },
      ),
      events(
        ...pieces.map((piece) => ({ kind: "text", index: 0, text: piece }) as const),
        new Error(`failed: ${text}`),
      ),
    ],
    tools: [tool],
    gate: () => [gate],
  });
}

/** The samples of the corpus, one of each rule, with the part of each that has to go. */
function secretsOf(...files: readonly string[]): readonly { readonly text: string; readonly core: string }[] {
  const rules = new Set<string>();
  return files.flatMap((file) => {
    const rows = readFileSync(join(import.meta.dir, "../data/secrets", `${file}.tsv`), "utf8");
    return rows
      .trim()
      .split("\n")
      .slice(1)
      .flatMap((row) => {
        const [rule = "", encoded = ""] = row.split("\t");
        const text = Buffer.from(encoded, "base64").toString("utf8");
        const [before = "", after = ""] = redactor([])
          .text(text)
          .split(/«redacted:[^»]*»/);
        const core = text.slice(before.length, after === "" ? undefined : -after.length);
        if (rules.has(rule) || core.length < 16 || /[\\\s]/.test(core)) return [];
        rules.add(rule);
        return [{ text, core }];
      });
  });
}

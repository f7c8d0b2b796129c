import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk/unstable";
import type { AcpHome, OpenEditor } from "../support/acp-home.ts";
import { openAcpHome } from "../support/acp-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

// What an editor that shows forms can answer to a question. `docs/acp.md` names the tests.

const LIMIT_MS = 300_000;
const FLAGS = ["--model", "mock:one", "--level", "ReadOnly"] as const;
const BEFORE = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
const replaced = (...at: readonly number[]) =>
  BEFORE.map((line, index) => (at.includes(index + 1) ? `new ${index + 1}\n` : line)).join("");
const WRITE_TWICE = [
  calls("Read", { file_path: "a.txt" }),
  calls("Write", { file_path: "a.txt", content: replaced(2, 25) }),
  says("done"),
];

test(
  "[CTL-20 PERM-03] a person accepts some of the changes in a file, and says why not the others: session/request_permission, elicitation/create",
  async () => {
    await using place = openAcpHome(WRITE_TWICE);
    writeFileSync(join(place.work, "a.txt"), BEFORE.join(""));
    const forms: CreateElicitationRequest[] = [];
    await using open = withForms(place, (form) => {
      forms.push(form);
      const [, last] = offered(form);
      return { action: "accept", content: { changes: [last?.const ?? ""], words: "keep the head" } };
    });
    const { sessionId, turn } = await prompted(open, place);
    const { request, choose } = await open.editor.question();
    expect(request.options.map(({ optionId, kind }) => `${optionId}: ${kind}`)).toEqual([
      "allow-once: allow_once",
      "allow-some: allow_once",
      "allow-rule: allow_always",
      "allow-tool: allow_always",
      "deny: reject_once",
      "deny-words: reject_once",
      "deny-always: reject_always",
    ]);
    choose("allow-some");
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    const [form] = forms;
    expect(form).toMatchObject({ sessionId, mode: "form", toolCallId: request.toolCall.toolCallId });
    expect(form === undefined ? [] : offered(form).map(({ title }) => title)).toEqual([
      "line 2, +1 -1: -line 2",
      "line 25, +1 -1: -line 25",
    ]);
    expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe(replaced(25));
    expect(place.sent()).toContain("keep the head");
  },
  LIMIT_MS,
);

test(
  "[CTL-20 PERM-06] a form about changes that is not accepted, or names none or others, writes nothing: elicitation/create",
  async () => {
    const answers: readonly ((known: string) => unknown)[] = [
      () => ({ action: "decline" }),
      () => ({ action: "cancel" }),
      () => ({ action: "accept" }),
      () => ({ action: "accept", content: { changes: [] } }),
      () => ({ action: "accept", content: { changes: "all" } }),
      () => ({ action: "accept", content: { changes: ["none of them"] } }),
      (known) => ({ action: "accept", content: { changes: [known, "none of them"] } }),
      () => ({ action: "accept", content: { words: "no" } }),
      () => ({ action: "perhaps", content: {} }),
    ];
    await using place = openAcpHome(answers.flatMap(() => WRITE_TWICE));
    writeFileSync(join(place.work, "a.txt"), BEFORE.join(""));
    const waiting = [...answers];
    await using open = withForms(place, (form) => {
      const [first] = offered(form);
      return waiting.shift()?.(first?.const ?? "") as CreateElicitationResponse;
    });
    const { editor } = open;
    const { sessionId, turn } = await prompted(open, place);
    for (const at of answers.keys()) {
      const running = at === 0 ? turn : editor.prompt(sessionId, "again");
      (await editor.question(at + 1)).choose("allow-some");
      expect(await running).toMatchObject({ stopReason: "end_turn" });
      expect([at, readFileSync(join(place.work, "a.txt"), "utf8")]).toEqual([at, BEFORE.join("")]);
    }
    expect(waiting).toEqual([]);
  },
  LIMIT_MS,
);

test(
  "[CTL-20 PERM-14] a person denies a call with words for the model, and refuses a plan with words: elicitation/create, plan_update, plan_removed",
  async () => {
    await using place = openAcpHome([
      calls("Write", { file_path: "a.txt", content: "x" }),
      says("denied"),
      calls("ExitPlanMode", { plan: "1. write it" }),
      calls("ExitPlanMode", { plan: "2. write it well" }),
      says("planned"),
    ]);
    const words = ["write b.txt instead", "name the tests"];
    const titles: unknown[] = [];
    await using open = withForms(place, (form) => {
      titles.push(form.message);
      return { action: "accept", content: { words: words.shift() ?? "" } };
    });
    const { editor } = open;
    const { sessionId, turn } = await prompted(open, place);
    const { request, choose } = await editor.question();
    expect(request.options.map(({ optionId }) => optionId)).toContain("deny-words");
    choose("deny-words");
    await turn;
    expect(place.sent()).toContain("write b.txt instead");
    await editor.agent.request("session/set_mode", { sessionId, modeId: "plan" });
    const planning = editor.prompt(sessionId, "plan it");
    const first = await editor.question(2);
    expect(first.request.options.map(({ optionId }) => optionId)).toEqual(["approve", "deny", "words"]);
    first.choose("words");
    (await editor.question(3)).choose("approve");
    await planning;
    expect(place.sent()).toContain("name the tests");
    expect(titles).toEqual(["Permission needed: Write", "Carry out this plan?"]);
    const plans = editor.updates
      .map(({ update }) => update)
      .filter(({ sessionUpdate }) => sessionUpdate.startsWith("plan"));
    expect(plans).toEqual([
      { sessionUpdate: "plan_update", plan: { type: "markdown", planId: "plan", content: "1. write it" } },
      { sessionUpdate: "plan_removed", planId: "plan" },
      {
        sessionUpdate: "plan_update",
        plan: { type: "markdown", planId: "plan", content: "2. write it well" },
      },
    ]);
  },
  LIMIT_MS,
);

test(
  "[CTL-20 PERM-03] a person allows all commands that begin alike: session/request_permission",
  async () => {
    await using place = openAcpHome([
      calls("Bash", { command: "make -n first thing" }),
      calls("Bash", { command: "make -n second" }),
      says("done"),
    ]);
    await using open = place.edit(...FLAGS);
    const { editor } = open;
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "make it");
    const { request, choose } = await editor.question();
    const prefixes = request.options.filter(({ optionId }) => optionId.startsWith("allow-prefix"));
    expect(prefixes.length).toBeGreaterThan(0);
    expect(new Set(prefixes.map(({ kind }) => kind))).toEqual(new Set(["allow_always"]));
    // Without forms nothing is offered that needs one.
    expect(request.options.map(({ optionId }) => optionId)).not.toContain("deny-words");
    choose(prefixes.at(-1)?.optionId ?? "");
    await turn;
    expect(prefixes.at(-1)?.name).toBe("Allow for this session: Bash:make -n *");
    expect(editor.questions.length).toBe(1);
  },
  LIMIT_MS,
);

function withForms(
  place: AcpHome,
  elicit: (form: CreateElicitationRequest) => CreateElicitationResponse,
): OpenEditor {
  return place.editWith({ elicit }, ...FLAGS);
}

/** Begins a session for an editor with forms and plans, and sends a prompt. */
async function prompted({ editor }: OpenEditor, { work }: AcpHome) {
  const clientCapabilities = { elicitation: { form: {} }, plan: {} };
  await editor.agent.request("initialize", { protocolVersion: 1, clientCapabilities });
  const { sessionId } = await editor.agent.request("session/new", { cwd: work, mcpServers: [] });
  return { sessionId, turn: editor.prompt(sessionId, "go") };
}

/** Returns the changes that a form offers. */
function offered(form: CreateElicitationRequest): readonly { const: string; title: string }[] {
  const { requestedSchema } = form as unknown as {
    readonly requestedSchema: {
      readonly properties: {
        readonly changes: { readonly items: { readonly anyOf: { const: string; title: string }[] } };
      };
    };
  };
  return requestedSchema.properties.changes.items.anyOf;
}

test(
  "[CTL-20] a question about a change says that the editor has unsaved changes of the file: fs/read_text_file",
  async () => {
    const edit = { file_path: "a.txt", old_string: "one", new_string: "two" };
    await using place = openAcpHome([
      calls("Read", { file_path: "a.txt" }),
      calls("Edit", edit),
      calls("Edit", edit),
      says("done"),
    ]);
    const path = join(place.work, "a.txt");
    writeFileSync(path, "one\n");
    let buffer = "one, and more\n";
    await using open = place.editWith({ readTextFile: () => buffer }, ...FLAGS);
    const { editor } = open;
    const clientCapabilities = { fs: { readTextFile: true } };
    await editor.agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await editor.agent.request("session/new", { cwd: place.work, mcpServers: [] });
    const turn = editor.prompt(sessionId, "go");
    const first = await editor.question();
    expect(JSON.stringify(first.request.toolCall.content)).toContain("unsaved changes in the editor");
    first.choose("deny");
    const second = editor.question(2);
    buffer = "one\n";
    const { request, choose } = await second;
    expect(JSON.stringify(request.toolCall.content)).not.toContain("unsaved changes in the editor");
    choose("allow-once");
    await turn;
    expect(readFileSync(path, "utf8")).toBe("two\n");
  },
  LIMIT_MS,
);

test(
  "[CTL-20] an editor draws the output of a command in a terminal of its own, while the command runs in the sandbox: tool_call, tool_call_update",
  async () => {
    await using place = openAcpHome([
      calls("Bash", { command: "printf 'one\\ntwo\\n'" }),
      calls("Bash", { command: "printf 'three\\n'; exit 3" }),
      says("done"),
    ]);
    await using open = place.edit("--model", "mock:one", "--auto-approve");
    const { editor } = open;
    const clientCapabilities = { terminal: true, _meta: { terminal_output: true } };
    await editor.agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await editor.agent.request("session/new", { cwd: place.work, mcpServers: [] });
    // The editor of this test refuses terminal/create: nothing asks it for one.
    await editor.prompt(sessionId, "go");
    const told = editor.updates.flatMap(({ update }) =>
      update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? [update] : [],
    );
    const ids = [...new Set(told.map(({ toolCallId }) => toolCallId))];
    const drawn = ids.map((id) =>
      told
        .filter(({ toolCallId }) => toolCallId === id)
        .map(({ _meta: meta }) => {
          const output = meta?.["terminal_output"];
          return String(Reflect.get(Object(output), "data") ?? "");
        })
        .join(""),
    );
    expect(drawn[0]).toContain("one\ntwo\n");
    expect(drawn[1]).toContain("three\n");
    for (const id of ids) {
      const [first, ...more] = told.filter(({ toolCallId }) => toolCallId === id);
      const terminal = [{ type: "terminal", terminalId: id }];
      expect(first).toMatchObject({
        content: terminal,
        _meta: { terminal_info: { terminal_id: id, cwd: place.work } },
      });
      expect(more.at(-1)).toMatchObject({
        content: terminal,
        _meta: { terminal_exit: { terminal_id: id } },
      });
    }
  },
  LIMIT_MS,
);

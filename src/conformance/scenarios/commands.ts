import { arrayAt, isObject, objectAt, stringAt } from "../../base/json.ts";
import { UNSAVED_FILES_MAX } from "../../protocol/commands/run-limits.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { AGENTS_TOO, EVERY, HTTP, MCP } from "../scenario.ts";
import {
  answerCommand,
  inputCommand,
  listKinds,
  newestTurn,
  payloadOf,
  promptTurn,
  requestPermission,
} from "../stage.ts";
import type { Client, EventStream } from "../transports/transport.ts";

/** Commands that people run. */
const SHELL_KINDS = ["RunShell", "StopShell"];

export const COMMAND_SCENARIOS: readonly Scenario[] = [
  {
    id: "unknown-fields",
    section: "[A] § Unknown-field policy",
    promise: "Unknown fields of a command are ignored.",
    wires: HTTP,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const content = [{ type: "text", text: "cue:say known", x_conformance: { later: true } }];
      const more = { content, x_conformance: [1, 2], laterField: "of a newer version" };
      assertSame("the answer", await answerTo(client, session, inputCommand(session, "", more)), "known");
    },
  },
  {
    id: "content-spellings",
    section: "[A] § Control plane; § WebSocket surface",
    promise: "A text block may omit its type, and a content block may be nested under the name of its type.",
    wires: HTTP,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      for (const content of [
        [{ text: "cue:say spelt" }],
        [{ type: "text", text: { text: "cue:say spelt" } }],
      ]) {
        const answer = await answerTo(client, session, inputCommand(session, "", { content }));
        assertSame(`the answer to ${JSON.stringify(content)}`, answer, "spelt");
      }
    },
  },
  {
    id: "command-spelling",
    section: "[A] § Control plane; § WebSocket surface",
    promise: "A command may also have the form {kind, body}.",
    wires: HTTP,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { kind, ...body } = inputCommand(session, "cue:say nested");
      await using stream = await client.follow(session);
      const command = { kind, body };
      const at = `/v1/sessions/${session}/command`;
      if (stage.wire === "ws") assertAccepted("the command", await client.send(command));
      else assertSame("the status of the command", (await stage.ask(at, { json: command })).ok, true);
      await stream.kind("TurnEnded");
      assertSame("the answer", newestTurn(stream.seen).text, "nested");
    },
  },
  {
    id: "unknown-command",
    section: "[A] § User-facing errors",
    promise: "A command of an unknown kind is refused with InvalidCommand, and the connection stays usable.",
    wires: HTTP,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const unknown = { kind: "ConformanceCommand", sessionId: session };
      assertRefused("the command", await client.send(unknown), ["InvalidCommand", "InvalidBody"]);
      assertSame(
        "the answer to a prompt after it",
        (await promptTurn(client, session, "cue:say on")).text,
        "on",
      );
    },
  },
  {
    id: "invalid-command",
    section: "[A] § User-facing errors",
    promise:
      "A command with a field of a wrong type, or without a required one, is refused and has no effect.",
    wires: HTTP,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const wrong = [
        { content: "cue:say wrong" },
        { content: [] },
        { content: [{ type: "text", text: 7 }] },
        {},
      ];
      for (const fields of wrong) {
        const answer = await client.send({ kind: "SendInput", sessionId: session, ...fields });
        assertRefused(`SendInput with ${JSON.stringify(fields)}`, answer, ["InvalidCommand", "InvalidBody"]);
      }
      assertSame(
        "the answer to a prompt after it",
        (await promptTurn(client, session, "cue:say on")).text,
        "on",
      );
    },
  },
  {
    id: "unknown-session",
    section: "[A] § User-facing errors",
    promise: "A command for an unknown session is refused with UnknownSession.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const other = `${session.slice(0, -4)}${session.endsWith("0000") ? "1111" : "0000"}`;
      assertRefused(
        "the command",
        await client.send({ kind: "CancelTurn", sessionId: other }),
        MCP.includes(stage.wire) ? UNKNOWN : ["UnknownSession"],
        404,
      );
    },
  },
  {
    id: "forged-session",
    section: "[A] § User-facing errors",
    promise: "An invalid session id is refused as such, whatever characters it has.",
    wires: HTTP,
    async play(stage) {
      const client = await stage.attach();
      for (const id of [
        "sess_short",
        "../../etc/passwd",
        "sess_\r\nx-injected: 1",
        "sess_ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
      ]) {
        const answer = await client.send({ kind: "CancelTurn", sessionId: id });
        assertRefused(`a command for ${JSON.stringify(id)}`, answer, [
          "InvalidSessionID",
          "InvalidPath",
          "InvalidCommand",
          "InvalidBody",
        ]);
      }
    },
  },
  {
    id: "model-unknown",
    section: "[A] § User-facing errors",
    promise: "SetModel to a model of an unknown provider is refused, and the session keeps its model.",
    wires: AGENTS_TOO,
    kinds: ["SetModel"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const model = "no-such-provider:no-such-model";
      assertRefused("SetModel", await client.send({ kind: "SetModel", sessionId: session, model }), []);
      assertSame("the answer after it", (await promptTurn(client, session, "cue:say kept")).text, "kept");
    },
  },
  {
    id: "profile-unknown",
    section: "[A] § User-facing errors",
    promise: "A session with an unknown profile is refused with ProfileMissing.",
    wires: AGENTS_TOO,
    async play(stage) {
      const client = await stage.attach();
      const answer = await client.send({ kind: "CreateSession", profile: "no-such-profile" });
      const made = answer.kind === "accepted" ? stringAt(answer.body, "sessionId") : undefined;
      if (made !== undefined) stage.ends(made);
      assertRefused("CreateSession", answer, ["ProfileMissing"], 404);
    },
  },
  {
    id: "unsaved-text",
    section: "docs/sessions.md § In the line client; CTL-20",
    promise:
      "An unsaved text of a file that may be read goes to the model with the input; an input with too many of them is refused.",
    wires: EVERY,
    since: "0.3.0",
    // Engines without these know no unsaved texts either.
    kinds: SHELL_KINDS,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const unsaved = (path: string) => ({ type: "unsaved", path, text: "the words of nobody yet" });
      const input = inputCommand(session, "cue:say seen");
      const content = arrayAt(input, "content");
      const many = Array.from({ length: UNSAVED_FILES_MAX + 1 }, (_, at) => unsaved(`${at}.txt`));
      const refused = await client.send({ ...input, content: [...content, ...many] });
      assertRefused("an input with 33 unsaved texts", refused, ["InvalidCommand"]);
      const one = { ...input, content: [...content, unsaved("unsaved.txt")] };
      assertAccepted("an input with one", await client.send(one));
      await stream.kind("TurnEnded");
      const [started] = stream.seen.filter(({ kind }) => kind === "TurnStarted");
      const sent = JSON.stringify(payloadOf(started ?? {}));
      const words = "the words of nobody yet";
      assertHolds("the turn has the text", sent.includes(words), { expected: words, got: sent });
    },
  },
  {
    id: "shell-run",
    section: "docs/protocol/compatibility.md; CTL-19",
    promise:
      "A command of a person starts no turn: it is a call by the user, and ends with a result of its own.",
    wires: EVERY,
    since: "0.3.0",
    kinds: SHELL_KINDS,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const callId = await runShell(client, session, false);
      const { started, ended } = await endOf(client, { session, stream, callId });
      assertSame(
        "whose call it is",
        [started["by"], started["shell"], started["toModel"]],
        ["user", true, false],
      );
      assertSame("whose result it is", [ended["by"], ended["shell"]], ["user", true]);
      assertSame("turns by then", listKinds(stream.seen).includes("TurnStarted"), false);
      assertSame(
        "the answer to a prompt after it",
        (await promptTurn(client, session, "cue:say on")).text,
        "on",
      );
    },
  },
  {
    id: "shell-stop",
    section: "docs/protocol/compatibility.md; CTL-19",
    promise: "StopShell for a call that is no command of a person, or has ended, is refused.",
    wires: EVERY,
    since: "0.3.0",
    kinds: SHELL_KINDS,
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const callId = await runShell(client, session, true);
      await endOf(client, { session, stream, callId });
      const stop = { kind: "StopShell", sessionId: session, callId };
      assertRefused("the command", await client.send(stop), ["InvalidCommand"]);
    },
  },
  {
    id: "shell-agent",
    section: "[A] § Multi-client semantics",
    promise: "An agent runs no command in the name of a person.",
    wires: EVERY,
    since: "0.3.0",
    kinds: SHELL_KINDS,
    async play(stage) {
      const [agent, person] = [await stage.attachAgent(), await stage.attach()];
      const session = await stage.session(person);
      await using stream = await person.follow(session);
      const command = { kind: "RunShell", sessionId: session, command: "echo shell", toModel: true };
      assertRefused("the agent's command", await agent.send(command), []);
      await promptTurn(person, session, "cue:say on");
      assertSame("calls by then", listKinds(stream.seen).includes("ToolCallStarted"), false);
    },
  },
  {
    id: "input-edited",
    section: "docs/protocol/compatibility.md; ENG-26",
    promise: "A client can edit its waiting input: its turn has the new content.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["EditInput", "InputEdited"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const queued = inputCommand(session, "cue:say before", { delivery: "queue" });
      const { inputId } = assertAccepted("the second prompt", await client.send(queued));
      const { content } = inputCommand(session, "cue:say after");
      const edit = { kind: "EditInput", sessionId: session, inputId, content };
      assertAccepted("EditInput", await client.send(edit));
      const edited = payloadOf(await stream.kind("InputEdited"));
      assertSame("what was reported as edited", [edited["inputId"], edited["content"]], [inputId, content]);
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded", 2);
      assertSame("the answer of the second turn", newestTurn(stream.seen).text, "after");
      assertRefused("EditInput of an input that has begun", await client.send(edit), ["InvalidCommand"]);
    },
  },
  {
    id: "input-moved",
    section: "docs/protocol/compatibility.md; ENG-26",
    promise: "A client can move its waiting input before another one: it then starts first.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["MoveInput", "InputMoved"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const send = async (text: string) =>
        assertAccepted(
          text,
          await client.send(inputCommand(session, `cue:say ${text}`, { delivery: "queue" })),
        );
      const [{ inputId: before }, { inputId }] = [await send("one"), await send("two")];
      const move = { kind: "MoveInput", sessionId: session, inputId, before };
      assertAccepted("MoveInput", await client.send(move));
      const moved = payloadOf(await stream.kind("InputMoved"));
      assertSame("what was reported as moved", [moved["inputId"], moved["before"]], [inputId, before]);
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny", "once")));
      await stream.kind("TurnEnded", 3);
      const begun = stream.seen.flatMap((event) =>
        event["kind"] === "TurnStarted" ? [payloadOf(event)] : [],
      );
      assertSame(
        "the order of the turns",
        begun.slice(1).map((each) => each["inputId"]),
        [inputId, before],
      );
    },
  },
  {
    id: "level-set",
    section: "docs/permissions.md",
    promise:
      "A person sets the level of a session; an agent's SetLevel, and one to an unknown level, is refused.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["SetLevel"],
    async play(stage) {
      const [agent, person] = [await stage.attachAgent(), await stage.attach()];
      const session = await stage.session(person);
      const command = { kind: "SetLevel", sessionId: session, level: "ReadOnly" };
      assertRefused("the agent's SetLevel", await agent.send(command), ["Forbidden", "InvalidCommand"]);
      const set = assertAccepted("SetLevel", await person.send(command));
      assertSame("the level", stringAt(objectAt(set, "result"), "level"), "ReadOnly");
      const wrong = await person.send({ ...command, level: "Root" });
      assertRefused("SetLevel to an unknown level", wrong, ["InvalidCommand", "InvalidBody"]);
    },
  },
  {
    id: "agent-unknown",
    section: "docs/agents.md",
    promise:
      "StopAgent and SteerAgent for a call that runs no sub-agent are refused, and the turn continues.",
    wires: EVERY,
    since: "0.3.0",
    kinds: ["StopAgent", "SteerAgent"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await using stream = await client.follow(session);
      const { callId } = await requestPermission(client, session, stream);
      const { content } = inputCommand(session, "cue:say lost");
      for (const [kind, fields] of [
        ["StopAgent", {}],
        ["SteerAgent", { content }],
      ] as const) {
        const answer = await client.send({ kind, sessionId: session, callId, ...fields });
        assertRefused(kind, answer, ["InvalidCommand"]);
      }
      assertAccepted("the answer", await client.send(answerCommand(session, callId, "allow")));
      await stream.kind("TurnEnded");
      assertSame("how the turn ended", newestTurn(stream.seen).reason, "complete");
    },
  },
];

/** Sends a prompt unchanged; returns the model's answer. */
async function answerTo(
  client: Client,
  session: string,
  command: ReturnType<typeof inputCommand>,
): Promise<string> {
  await using stream = await client.follow(session);
  assertAccepted(`the prompt ${JSON.stringify(command["content"])}`, await client.send(command));
  await stream.kind("TurnEnded");
  return newestTurn(stream.seen).text;
}

/** Reasons for an unknown session: a client bound to one session does not learn whether another exists. */
const UNKNOWN: readonly string[] = ["UnknownSession", "Forbidden"];

async function runShell(client: Client, sessionId: string, toModel: boolean): Promise<string> {
  const command = { kind: "RunShell", sessionId, command: "echo shell", toModel };
  const { result } = assertAccepted("RunShell", await client.send(command));
  const callId = isObject(result) ? stringAt(result, "callId") : undefined;
  assertHolds("what RunShell answers", callId !== undefined, { expected: "its callId", got: result });
  return String(callId);
}

/** Waits for the end of a command. If its server asks about it, it is denied: it ends all the same. */
async function endOf(
  client: Client,
  {
    session,
    stream,
    callId,
  }: { readonly session: string; readonly stream: EventStream; readonly callId: string },
) {
  const isOfIt = (event: Parameters<typeof payloadOf>[0]) => payloadOf(event)["callId"] === callId;
  const first = await stream.until(
    "its question or result",
    (event) => isOfIt(event) && ["PermissionRequested", "ToolResult"].includes(String(event["kind"])),
  );
  if (first["kind"] === "PermissionRequested")
    assertAccepted("the answer", await client.send(answerCommand(session, callId, "deny")));
  const of = (kind: string) =>
    stream.until(`its ${kind}`, (event) => isOfIt(event) && event["kind"] === kind).then(payloadOf);
  return { started: await of("ToolCallStarted"), ended: await of("ToolResult") };
}

import { expect, test } from "bun:test";
import type { SessionId } from "../src/base/ids.ts";
import type { CommandKind } from "../src/protocol/commands/commands.ts";
import type { IdentityClass } from "../src/protocol/connection.ts";
import { COMMAND_KINDS, QUERY_KINDS } from "../src/protocol/kinds.ts";
import { queryDefinition } from "../src/protocol/queries/queries.ts";
import type { Scope } from "../src/session/access/scope.ts";
import type { ControlRig } from "./support/control-rig.ts";
import { openControlRig } from "./support/control-rig.ts";
import { hangs, says } from "./support/scripted-provider.ts";

/** A client by its token: class, named sessions, and the owner of the session it asks about. */
interface Asker {
  readonly identityClass: IdentityClass;
  readonly names: "every session" | "this session" | "another session";
  readonly whose: "a person's" | "an agent's";
}

/** In the order of the columns below. */
const ASKERS: readonly Asker[] = [
  { identityClass: "human", names: "every session", whose: "a person's" },
  { identityClass: "human", names: "this session", whose: "a person's" },
  { identityClass: "human", names: "another session", whose: "a person's" },
  { identityClass: "agent", names: "every session", whose: "a person's" },
  { identityClass: "agent", names: "every session", whose: "an agent's" },
  { identityClass: "agent", names: "this session", whose: "a person's" },
  { identityClass: "agent", names: "another session", whose: "a person's" },
];

const USE = "yes yes no  yes yes yes no";
const DECIDE = "yes yes no  no yes yes no";
const PERSON = "yes yes no  no no no no";
/** Ways to other sessions than those that a token names. */
const UNBOUND = "yes no no  yes yes no no";
const PERSON_UNBOUND = "yes no no  no no no no";

/** Required rights and test fields of each command. A new kind must be entered here. */
const COMMANDS: Readonly<Record<CommandKind, readonly [who: string, fields: object]>> = {
  SendInput: [USE, { content: [{ type: "text", text: "go" }] }],
  CancelTurn: [DECIDE, {}],
  AnswerPermission: [PERSON, { callId: "call_00000000000000000000000000", decision: "deny" }],
  CreateSession: [UNBOUND, {}],
  AttachSession: [USE, {}],
  DetachSession: [USE, {}],
  SetModel: [DECIDE, { model: "scripted:x" }],
  EnterPlanMode: [USE, {}],
  ExitPlanMode: [PERSON, { approve: true }],
  CustomCommand: [UNBOUND, { namespace: "nobody", verb: "x", payload: {} }],
  EndSession: [DECIDE, {}],
  BranchSession: [USE, { at: 1 }],
  PinSession: [DECIDE, { pinned: true }],
  CompactSession: [DECIDE, {}],
  RewindSession: [PERSON, { to: 0, what: "files" }],
  WithdrawInput: [USE, { inputId: "inp_00000000000000000000000000" }],
  RevokeRule: [DECIDE, { rule: "Bash:x" }],
  PromoteRule: [PERSON, { rule: "Bash:x" }],
  SwitchProfile: [PERSON_UNBOUND, { profile: "test" }],
  ReloadSkills: [PERSON, {}],
  ManageMcp: [USE, { server: "x", action: "status" }],
  StopTask: [DECIDE, { taskId: "task_00000000000000000000000000" }],
  Answer: [PERSON, { askId: "ask_00000000000000000000000000", answer: null }],
  ExportSession: [PERSON_UNBOUND, {}],
  DismissExpiring: [PERSON_UNBOUND, {}],
  MuteSession: [PERSON, {}],
  RenameSession: [DECIDE, { title: "x" }],
  ArchiveSession: [DECIDE, { archived: true }],
  DeleteSession: [PERSON, {}],
  MarkRead: [DECIDE, { event: 0, reader: "me" }],
  SetDraft: [PERSON, { text: "x", reader: "me" }],
  SetLevel: [PERSON, { level: "ReadOnly" }],
  EditInput: [USE, { inputId: "inp_00000000000000000000000000", content: [{ type: "text", text: "x" }] }],
  MoveInput: [USE, { inputId: "inp_00000000000000000000000000" }],
  RunShell: [PERSON, { command: "true", toModel: false }],
  StopShell: [PERSON, { callId: "call_00000000000000000000000000" }],
  StopAgent: [DECIDE, { callId: "call_00000000000000000000000000" }],
  SteerAgent: [USE, { callId: "call_00000000000000000000000000", content: [{ type: "text", text: "x" }] }],
  StoreProviderKey: [PERSON_UNBOUND, { key: "x" }],
  AskAutoAttach: [PERSON_UNBOUND, { parent: { argv0: "x", binary: "/x", binarySha256: "0" } }],
  AnswerAutoAttach: [PERSON_UNBOUND, { always: true }],
};

const OPEN = "yes yes yes  yes yes yes yes";
/** Required rights of each documented route that is not only a command. A new one must be entered here. */
const ROUTES: Readonly<Record<string, string>> = {
  "GET /v1/handshake": OPEN,
  "GET /v1/openapi.json": OPEN,
  "POST /v1/clients": OPEN,
  "GET /v1/sessions/{id}/events": USE,
  "GET /v1/news": OPEN,
  "POST /v1/sessions/{id}/attachments": USE,
  "DELETE /v1/auth/tokens/{jti}": "yes no no  no no no no",
  // The minimal server, whose one session a person has begun.
  "GET /events": USE,
  "POST /prompt": USE,
  "POST /cancel": "yes yes no  no no yes no",
};
/** Routes that are one command each, as the table above has it. */
const ROUTES_OF_COMMANDS: Readonly<Record<string, CommandKind>> = {
  "POST /v1/sessions": "CreateSession",
  "DELETE /v1/sessions/{id}": "EndSession",
  "POST /v1/sessions/{id}/input": "SendInput",
  "POST /v1/sessions/{id}/cancel": "CancelTurn",
  "POST /v1/sessions/{id}/permission": "AnswerPermission",
  "POST /v1/sessions/{id}/answer": "Answer",
  "POST /v1/sessions/{id}/model": "SetModel",
  "POST /v1/sessions/{id}/plan-mode": "EnterPlanMode",
  "POST /v1/sessions/{id}/rename": "RenameSession",
  "POST /v1/sessions/{id}/archive": "ArchiveSession",
  "POST /v1/sessions/{id}/delete": "DeleteSession",
  "POST /v1/sessions/{id}/read": "MarkRead",
  "POST /v1/sessions/{id}/draft": "SetDraft",
  "POST /v1/sessions/{id}/shell": "RunShell",
  "POST /v1/sessions/{id}/shell/stop": "StopShell",
  "POST /v1/providers/{provider}/key": "StoreProviderKey",
};
/** Routes of queries: `test/queries.test.ts` holds each to its right. */
const ROUTES_OF_QUERIES = QUERY_KINDS.flatMap((kind) => {
  const { method = "GET", path, ofSession } = queryDefinition(kind).rest;
  return [path, ...(ofSession === undefined ? [] : [ofSession])].map((each) => `${method} ${each}`);
});
/** Tested by `src/server/auth`: a token is made by a code, or by a holder that may mint, with no more than it has. */
const MINTING = ["GET /v1/auth/token", "POST /v1/auth/token", "POST /v1/auth/token/{mintId}"];
/** It carries any command, each of which is tested by it. */
const ANY_COMMAND = "POST /v1/sessions/{id}/command";

/** Addresses of the commands that name no session. */
const ADDRESSES: { readonly [Kind in CommandKind]?: string } = {
  CreateSession: "/v1/sessions",
  StoreProviderKey: "/v1/providers/anthropic/key",
};

const OTHER: SessionId = "sess_00000000000000000000000000" as SessionId;

interface Asking extends AsyncDisposable {
  readonly control: ControlRig;
  readonly token: string;
  readonly session: string;
}

async function openAsking({ identityClass, names, whose }: Asker): Promise<Asking> {
  const control = await openControlRig({ script: Array.from({ length: 3 }, () => says("done")) });
  const { id } = control.rig.session;
  const sessions: Scope["sessions"] =
    names === "every session" ? "all" : [names === "this session" ? id : OTHER];
  const claims = sessions === "all" ? {} : { sessions };
  const token = control.mint({ identityClass, canMint: identityClass === "human", ...claims });
  await control.shake(token);
  let session: string = id;
  if (whose === "an agent's") {
    const made = await control.ask("/v1/sessions", { json: {}, token });
    ({ sessionId: session } = (await made.json()) as { readonly sessionId: string });
  }
  return { control, token, session, [Symbol.asyncDispose]: () => control[Symbol.asyncDispose]() };
}

/** "no" where who asks is what is wrong. */
async function outcome(answer: Response): Promise<"yes" | "no"> {
  const text =
    answer.headers.get("content-type")?.includes("event-stream") === true ? "" : await answer.text();
  await answer.body?.cancel().catch(() => undefined);
  if (text.includes("NotOnThisMachine")) return "yes"; // who asks is right, and the way is wrong
  return answer.status === 403 || text.includes("only a client of class human") ? "no" : "yes";
}

const words = (row: string) => row.split(/ +/);

test.each([...COMMAND_KINDS])(
  "[AUTH-07 CTL-06] who may send %s: by class, scope and session",
  async (kind) => {
    const [who, fields] = COMMANDS[kind];
    const found: string[] = [];
    for (const asker of ASKERS) {
      await using asking = await openAsking(asker);
      const { control, token, session } = asking;
      const address = ADDRESSES[kind];
      const answer =
        address !== undefined
          ? await control.ask(address, { json: fields, token })
          : await control.ask(`/v1/sessions/${session}/command`, { json: { kind, ...fields }, token });
      found.push(await outcome(answer));
    }
    expect(found).toEqual(words(who));
  },
);

test("[AUTH-07 CTL-06] who may use each route: by class and scope", async () => {
  const found: Record<string, string[]> = {};
  for (const asker of ASKERS) {
    await using asking = await openAsking(asker);
    const { control, token, session } = asking;
    const other = await control.authority.verify(control.mint({}), "loopback");
    for (const route of Object.keys(ROUTES)) {
      const [method = "", path = ""] = route.split(" ");
      const address = path.replace("{id}", session).replace("{jti}", other.jti).replace("{name}", "test");
      const json = method === "POST" ? { json: path === "/prompt" ? { content: "go" } : {} } : {};
      found[route] = [
        ...(found[route] ?? []),
        await outcome(await control.ask(address, { method, token, ...json })),
      ];
    }
  }
  expect(found).toEqual(
    Object.fromEntries(Object.entries(ROUTES).map(([route, who]) => [route, words(who)])),
  );
});

test("[AUTH-07 CTL-06] no route and no command is without its row", async () => {
  await using control = await openControlRig({ script: [] });
  const { paths } = (await (await control.ask("/v1/openapi.json")).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = [
    ...Object.keys(ROUTES),
    ...Object.keys(ROUTES_OF_COMMANDS),
    ...ROUTES_OF_QUERIES,
    ...MINTING,
    ANY_COMMAND,
  ];
  expect(served.toSorted()).toEqual(listed.toSorted());
  expect(Object.keys(COMMANDS)).toEqual([...COMMAND_KINDS]);
});

test("[AUTH-07 CTL-03] an agent that reaches every session cancels in a person's session its own turn, and no other", async () => {
  await using control = await openControlRig({ script: [hangs("one"), hangs("two")] });
  const { id } = control.rig.session;
  const agent = control.mint({ identityClass: "agent" });
  await control.shake();
  await control.shake(agent);
  const cancel = async (token: string) =>
    (await control.ask(`/v1/sessions/${id}/cancel`, { json: {}, token })).status;
  const go = async (token: string) =>
    await control.ask(`/v1/sessions/${id}/input`, {
      json: { content: [{ type: "text", text: "go" }] },
      token,
    });
  await go(control.token);
  expect(await cancel(agent)).toBe(403);
  expect(await cancel(control.token)).toBe(200);
  await control.rig.until("TurnEnded");
  await go(agent);
  expect(await cancel(agent)).toBe(200);
  await control.rig.until("TurnEnded", 2);
});

test("[AUTH-07 SDK-01] a token of one session learns which engine answers, and nothing about its process", async () => {
  await using control = await openControlRig({ script: [] });
  const bound = control.mint({ identityClass: "agent", sessions: [control.rig.session.id] });
  const own = (await (await control.ask("/v1/runtime", { token: bound })).json()) as object;
  expect(Object.keys(own).sort()).toEqual(["engine", "protocol_version", "version"]);
  const whole = await (await control.ask("/v1/runtime")).json();
  expect(whole).toMatchObject({ ...own, pid: expect.any(Number), sessions: expect.any(Number) });
});

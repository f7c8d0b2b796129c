import { expect, test } from "bun:test";
import { ResourceNotFoundError } from "@modelcontextprotocol/client";
import { HarnessError } from "../src/base/errors.ts";
import type { SessionId } from "../src/base/ids.ts";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import type { Connection, IdentityClass } from "../src/protocol/connection.ts";
import type { QueryKind } from "../src/protocol/kinds.ts";
import { QUERY_KINDS } from "../src/protocol/kinds.ts";
import { queryDefinition } from "../src/protocol/queries/queries.ts";
import { readQuery, readResult } from "../src/protocol/queries/read-query.ts";
import { buildRestRequest } from "../src/protocol/queries/rest-request.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { ControlRig } from "./support/control-rig.ts";
import { openControlRig } from "./support/control-rig.ts";
import { mcpClient } from "./support/mcp-http.ts";
import { says } from "./support/scripted-provider.ts";
import { remoteParts } from "./support/ws-rig.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that each query is asked with. A new query is entered here. */
const ASKED: Readonly<Record<QueryKind, (session: SessionId) => Fields>> = {
  ListSessions: () => ({ past: true }),
  GetSession: (sessionId) => ({ sessionId }),
  ListTasks: (sessionId) => ({ sessionId }),
  GetHealth: () => ({}),
  GetRuntime: () => ({}),
  ListProfiles: () => ({}),
  GetProfile: () => ({ name: "test" }),
  ListProviders: () => ({ models: false }),
  ListModels: () => ({ provider: "scripted" }),
  ListTools: (sessionId) => ({ sessionId }),
  ListSkills: () => ({}),
  GetSkill: () => ({ name: "none" }),
  ListSlashCommands: (sessionId) => ({ sessionId }),
  ListMcpServers: () => ({}),
  FindSession: (sessionId) => ({ text: sessionId }),
  GetSessionProfile: (sessionId) => ({ sessionId }),
  CheckProfile: (sessionId) => ({ sessionId, profile: "test" }),
  ListAgents: (sessionId) => ({ sessionId }),
  ExpandPrompt: (sessionId) => ({ sessionId, name: "review", args: ["now"] }),
  ExpandMcpPrompt: (sessionId) => ({ sessionId, name: "server.greet" }),
  ListPrices: () => ({ models: ["scripted:scripted-1"] }),
  GetEngineHealth: () => ({}),
  GetWebClient: () => ({}),
  ListExpiring: () => ({}),
  ListTurns: (sessionId) => ({ sessionId, limit: 10 }),
  ListItems: (sessionId) => ({ sessionId, after: 0, limit: 10 }),
  GetItem: (sessionId) => ({ sessionId, event: 1 }),
  GetChanges: (sessionId) => ({ sessionId, turn: 1, context: 0 }),
  GetWorkspace: (sessionId) => ({ sessionId }),
  GetDraft: (sessionId) => ({ sessionId, reader: "me" }),
  ListRules: (sessionId) => ({ sessionId }),
  ListHooks: (sessionId) => ({ sessionId }),
  Complete: (sessionId) => ({ sessionId, text: "/sk", cursor: 3 }),
  GetSpend: (sessionId) => ({ sessionId }),
  GetContext: (sessionId) => ({ sessionId }),
  SearchSessions: (sessionId) => ({ sessionId, text: "done" }),
};

interface Asker {
  readonly identityClass: IdentityClass;
  readonly sessions: "all" | readonly SessionId[];
}

/** Asks one query as one client; resolves with the answer, or with the reason of the refusal. */
type Ask = (kind: QueryKind, fields: Fields) => Promise<unknown>;

async function inProcess(control: ControlRig, { identityClass, sessions }: Asker): Promise<Ask> {
  const scope = { sessions, commands: "all" } as const;
  const connection = control.engine.attach({ identityClass, label: "test", scope });
  await connection.handshake(PROTOCOL_VERSION);
  return askedOf(connection);
}

async function overWebSocket(control: ControlRig, asker: Asker, held: AsyncDisposableStack): Promise<Ask> {
  const token = tokenOf(control, asker);
  const { signal } = new AbortController();
  const connection = held.use(
    await connectRemote({ ...remoteParts(control.url), token: () => token }, signal),
  );
  await connection.handshake(PROTOCOL_VERSION);
  return askedOf(connection);
}

function overRest(control: ControlRig, asker: Asker): Ask {
  const token = tokenOf(control, asker);
  return async (kind, fields) => {
    const { method, path, body } = buildRestRequest({ kind, ...fields });
    const json = body === undefined ? {} : { json: body };
    const answer = await control.ask(path, { method, token, ...json });
    const value = (await answer.json()) as { readonly reason?: string };
    return answer.ok ? readResult(kind, value) : value.reason;
  };
}

async function overMcp(control: ControlRig, asker: Asker, held: AsyncDisposableStack): Promise<Ask> {
  const mcp = held.use(await mcpClient(control, { token: tokenOf(control, asker) }));
  return async (kind, fields) => {
    const { uri = "" } = queryDefinition(kind).mcp ?? {};
    const named = uri.replace("{id}", String(fields["sessionId"])).replace("{name}", nameIn(fields));
    try {
      const [content] = (await mcp.client.readResource({ uri: `harness-v1://${named}` })).contents;
      const text = content !== undefined && "text" in content ? content.text : "";
      return content?.mimeType === "application/json" ? JSON.parse(text) : text;
    } catch (thrown) {
      if (thrown instanceof ResourceNotFoundError) return "UnknownResource";
      return (thrown as { readonly data?: { readonly reason?: string } }).data?.reason;
    }
  };
}

function nameIn(fields: Fields): string {
  return String(fields["name"] ?? fields["provider"]);
}

function tokenOf(control: ControlRig, { identityClass, sessions }: Asker): string {
  return control.mint({ identityClass, ...(sessions === "all" ? {} : { sessions }) });
}

function askedOf(connection: Connection): Ask {
  return async (kind, fields) => {
    try {
      return await connection.query(readQuery({ kind, ...fields }));
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown.reason;
      throw thrown;
    }
  };
}

async function askersOf(control: ControlRig, asker: Asker, held: AsyncDisposableStack) {
  return {
    "in-process": await inProcess(control, asker),
    WebSocket: await overWebSocket(control, asker, held),
    REST: overRest(control, asker),
  };
}

test("[CTL-15 CTL-05 CTL-06 CTL-07] each query is answered alike in-process, over WebSocket and over REST", async () => {
  await using control = await openControlRig({ script: [says("done")] });
  await control.rig.send("go");
  await using held = new AsyncDisposableStack();
  const asks = await askersOf(control, { identityClass: "human", sessions: "all" }, held);
  for (const kind of QUERY_KINDS) {
    const fields = ASKED[kind](control.rig.session.id);
    const answer = await asks["in-process"](kind, fields);
    const others = { WebSocket: await asks.WebSocket(kind, fields), REST: await asks.REST(kind, fields) };
    expect({ kind, ...others }).toEqual({ kind, WebSocket: answer, REST: answer });
  }
});

test("[CTL-08 CTL-15] each query with an MCP address is a resource with the same answer", async () => {
  await using control = await openControlRig({ script: [says("done")] });
  await control.rig.send("go");
  await using held = new AsyncDisposableStack();
  const asker: Asker = { identityClass: "agent", sessions: "all" };
  const [direct, mcp] = [await inProcess(control, asker), await overMcp(control, asker, held)];
  for (const kind of QUERY_KINDS) {
    const { mcp: address } = queryDefinition(kind);
    if (address === undefined) continue;
    const { sessionId: _session, ...others }: Fields = ASKED[kind](control.rig.session.id);
    const fields = address.uri.includes("{id}") ? ASKED[kind](control.rig.session.id) : others;
    const answer = await direct(kind, { ...fields, ...address.fixed });
    const value =
      typeof answer === "object" && address.field !== undefined
        ? Reflect.get(answer ?? {}, address.field)
        : answer;
    expect({ kind, answer: await mcp(kind, fields) }).toEqual({ kind, answer: value });
  }
});

/** The verdict that the table of queries gives; undefined where the query may be asked. */
function verdict(kind: QueryKind, fields: Fields, { identityClass, sessions }: Asker): string | undefined {
  const { reads, who } = queryDefinition(kind);
  if (sessions !== "all") {
    if (reads === "user") return "Forbidden";
    const named = fields["sessionId"];
    if (named !== undefined && !sessions.some((each) => each === named)) return "Forbidden";
  }
  return who === "person" && identityClass === "agent" ? "InvalidQuery" : undefined;
}

test("[AUTH-07 CTL-15] each query refuses a token without its right, on every transport", async () => {
  await using control = await openControlRig({ script: [says("done")] });
  const { id } = control.rig.session;
  const other = control.rig.world.ids.next("sess");
  const askers: readonly Asker[] = [
    { identityClass: "human", sessions: [id] },
    { identityClass: "human", sessions: [other] },
    { identityClass: "agent", sessions: "all" },
    { identityClass: "agent", sessions: [other] },
  ];
  const refusals = new Set<QueryKind>();
  for (const asker of askers) {
    await using held = new AsyncDisposableStack();
    const asks = Object.entries(await askersOf(control, asker, held));
    const mcp = await overMcp(control, asker, held);
    for (const kind of QUERY_KINDS) {
      const fields = ASKED[kind](id);
      const expected = verdict(kind, fields, asker);
      if (expected !== undefined) refusals.add(kind);
      for (const [transport, ask] of asks) {
        const answer = await ask(kind, fields);
        const refused = answer === expected || (expected === undefined && answer !== "Forbidden");
        expect({ asker, kind, transport, refused }).toEqual({ asker, kind, transport, refused: true });
      }
      const isResource = queryDefinition(kind).mcp?.uri.includes("{id}") === true;
      if (isResource && asker.identityClass === "agent") {
        expect(await mcp(kind, fields)).toEqual(expected ?? expect.anything());
      }
    }
  }
  const named = QUERY_KINDS.filter(
    (kind) => "sessionId" in ASKED[kind](id) || queryDefinition(kind).who === "person",
  );
  expect([...refusals].toSorted()).toEqual(expect.arrayContaining(named.toSorted()));
});

test("[AUTH-02 CTL-15] no query but the public ones is answered over HTTP without a token", async () => {
  await using control = await openControlRig({ script: [] });
  for (const kind of QUERY_KINDS) {
    const { method, path, body } = buildRestRequest({ kind, ...ASKED[kind](control.rig.session.id) });
    const json = body === undefined ? {} : { json: body };
    const { status } = await control.ask(path, { method, token: null, ...json });
    expect({ kind, status }).toEqual({ kind, status: queryDefinition(kind).reads === "public" ? 200 : 401 });
  }
});

test("[CTL-15 BUS-04] an unknown query is refused with its field, and one before the handshake", async () => {
  await using control = await openControlRig({ script: [] });
  const connection = control.engine.attach({ identityClass: "human", label: "test" });
  await expect(connection.query({ kind: "GetHealth" })).rejects.toMatchObject({
    reason: "HandshakeRequired",
  });
  for (const [value, why] of [
    [{}, "kind"],
    [{ kind: "DropTables" }, "no query of this kind"],
    [{ kind: "GetSession" }, "sessionId"],
    [{ kind: "GetSession", sessionId: "sess_../x" }, "sessionId"],
    [{ kind: "ListSessions", limit: 0 }, "limit"],
  ] as const) {
    expect(() => readQuery(value)).toThrow(why);
  }
});

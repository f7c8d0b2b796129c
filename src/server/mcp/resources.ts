import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import { queryDefinition } from "../../protocol/queries/queries.ts";
import type { McpResourceAddress } from "../../protocol/queries/query.ts";
import { readQuery } from "../../protocol/queries/read-query.ts";
import { LAST_EVENTS } from "../../protocol/queries/session-queries.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import type { AgentClient } from "./agent-client.ts";
import { OWN_KEY } from "./mcp-names.ts";
import type { Address } from "./uris.ts";
import { addressUri, eventsUri, QUERY_RESOURCES, readAddress } from "./uris.ts";

/** Sessions that are listed. */
const SESSIONS_MAX = 100;
/** Characters of events in one answer; a reader continues with `?since=`. */
export const EVENTS_CHARS_MAX = 4_194_304;

const JSON_TYPE = "application/json";
const LINES_TYPE = "application/jsonl";

/** Lists the resources that need no id, and those of this client's sessions. */
export async function listResources(client: AgentClient, signal: AbortSignal): Promise<Resource[]> {
  const { engine } = client;
  const asking = { ...client.asking, signal };
  const [{ sessions }, { profiles }, { providers }, { skills }] = await Promise.all([
    engine.query({ kind: "ListSessions", limit: SESSIONS_MAX }, asking),
    engine.query({ kind: "ListProfiles" }, asking),
    engine.query({ kind: "ListProviders", models: false }, asking),
    engine.query({ kind: "ListSkills" }, asking),
  ]);
  const isWhole = client.granted.sessions === "all";
  const alone = QUERY_RESOURCES.filter(({ kind, address }) => {
    return !address.uri.includes("{") && (isWhole || kind !== "GetRuntime");
  });
  return [
    ...alone.map(({ kind, address }) => json(address.uri, address.title, aboutOf(kind, address))),
    ...sessions.flatMap(({ session, title }) => [
      json(`session/${session}`, `Session ${session}`, title),
      json(
        `session/${session}/events`,
        `Events of ${session}`,
        "Subscribe to follow them; ?since=ID continues.",
      ),
      { ...json(`session/${session}/log`, `Log of ${session}`, "Every event."), mimeType: LINES_TYPE },
    ]),
    ...profiles.map(({ name }) => json(`profile/${encodeURIComponent(name)}`, `Profile ${name}`, "")),
    ...providers.map(({ name }) =>
      json(`provider/${encodeURIComponent(name)}/models`, `Models of ${name}`, ""),
    ),
    ...skills.map(({ name, description }) => ({
      ...json(`skill/${encodeURIComponent(name)}`, `Skill ${name}`, description),
      mimeType: "text/markdown",
    })),
  ];
}

export const TEMPLATES: readonly ResourceTemplateType[] = [
  template("session/{id}/events{?since}", "Events", "Events above an id; subscribe to follow them."),
  template("session/{id}/log{?since}", "Log", "Every event of a session, one a line.", LINES_TYPE),
  ...QUERY_RESOURCES.filter(({ address }) => address.uri.includes("{")).map(({ kind, address }) =>
    template(address.uri, address.title, aboutOf(kind, address), address.mimeType),
  ),
];

function aboutOf(kind: QueryKind, { about }: McpResourceAddress): string {
  return about ?? queryDefinition(kind).about;
}

/** @throws HarnessError UnknownResource, UnknownSession, Forbidden, and failures of the engine. */
export async function readResource(
  uri: string,
  client: AgentClient,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const address = readAddress(uri);
  return address.kind === "query"
    ? await readAnswer(uri, address, client, signal)
    : await readEvents(uri, address, client, signal);
}

async function readAnswer(
  uri: string,
  { query: kind, fields }: Extract<Address, { readonly kind: "query" }>,
  client: AgentClient,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const { mcp: { fixed = {}, field, mimeType = JSON_TYPE } = {}, reads } = queryDefinition(kind);
  const scope = reads === "engine" ? client.granted : client.scope;
  const query = readQuery({ ...fields, ...fixed, kind });
  const answer = await client.engine.query(query, { ...client.asking, scope, signal });
  const value: unknown = field === undefined ? answer : Reflect.get(answer, field);
  const text = mimeType !== JSON_TYPE && typeof value === "string" ? value : JSON.stringify(value);
  return { contents: [{ uri, mimeType, text }] };
}

type EventsAddress = Extract<Address, { readonly id: unknown }>;

/** Renders events as JSON lines for the log, else as one array, with the address of the rest that did not fit. */
async function readEvents(
  uri: string,
  address: Extract<Address, { readonly kind: "events" | "log" }>,
  client: AgentClient,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const { kind, id } = address;
  const { events } = await sessionInfo(client.engine, id, { ...client.asking, signal });
  const since = address.since ?? (kind === "log" ? 0 : Math.max(0, events - LAST_EVENTS));
  const { lines, last, isWhole } = await eventLines(address, since, client);
  const text = kind === "log" ? lines.map((line) => `${line}\n`).join("") : `[${lines.join(",\n")}]`;
  const mimeType = kind === "log" ? LINES_TYPE : JSON_TYPE;
  const next = kind === "log" ? addressUri(`session/${id}/log?since=${last}`) : eventsUri(id, last);
  return { contents: [{ uri, mimeType, text }], _meta: { [OWN_KEY]: { last, next, complete: isWhole } } };
}

async function eventLines(
  { id }: EventsAddress,
  since: EventSeq,
  { engine, scope }: AgentClient,
): Promise<{ readonly lines: readonly string[]; readonly last: EventSeq; readonly isWhole: boolean }> {
  const lines: string[] = [];
  let [last, chars] = [since, 0];
  for await (const event of engine.log(id, since, scope)) {
    const line = JSON.stringify(event satisfies Envelope);
    chars += line.length;
    if (chars > EVENTS_CHARS_MAX && lines.length > 0) return { lines, last, isWhole: false };
    lines.push(line);
    last = event.id;
  }
  return { lines, last, isWhole: true };
}

function json(path: string, name: string, description: string): Resource {
  return { uri: addressUri(path), name, mimeType: JSON_TYPE, ...(description === "" ? {} : { description }) };
}

function template(
  path: string,
  name: string,
  description: string,
  mimeType = JSON_TYPE,
): ResourceTemplateType {
  return { uriTemplate: addressUri(path), name, description, mimeType };
}

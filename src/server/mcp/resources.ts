import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { LAST_EVENTS, withLastEvents } from "../hub/last-events.ts";
import type { AgentClient } from "./agent-client.ts";
import type { Address } from "./uris.ts";
import { eventsUri, readAddress, uriOf } from "./uris.ts";
import { OWN_KEY } from "./words.ts";

/** Sessions that are listed. */
const SESSIONS_MAX = 100;
/** Characters of events in one answer; a reader goes on with `?since=`. */
export const EVENTS_CHARS_MAX = 4_194_304;

const JSON_TYPE = "application/json";
const LINES_TYPE = "application/jsonl";

/** What can be read without knowing anything, and what this client's sessions have. */
export async function listResources(client: AgentClient): Promise<Resource[]> {
  const { engine, scope } = client;
  const [sessions, profiles, providers, skills] = await Promise.all([
    engine.catalogue.sessions({ past: false, limit: SESSIONS_MAX }, scope),
    engine.catalogue.profiles(),
    engine.catalogue.providers(),
    engine.catalogue.skills(scope),
  ]);
  return [
    json("sessions", "Sessions", "The sessions that this client may see."),
    json("profiles", "Profiles", "The profiles that a session can work under."),
    json(
      "providers",
      "Providers",
      "The model providers; with their models and prices where they are set up.",
    ),
    json("tools", "Tools", "The tools of the inner agent, with their schemas."),
    json("skills", "Skills", "The skills of the inner agent."),
    ...(client.granted.sessions === "all"
      ? [json("runtime", "Runtime", "The version of the engine, and what it runs.")]
      : []),
    ...sessions.flatMap(({ session, title }) => [
      json(`session/${session}`, `Session ${session}`, title),
      json(
        `session/${session}/events`,
        `Events of ${session}`,
        "Subscribe to follow them; ?since=ID goes on.",
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
  template("session/{id}", "Session", "A session, and its last events."),
  template("session/{id}/events{?since}", "Events", "Events above an id; subscribe to follow them."),
  template("session/{id}/log{?since}", "Log", "Every event of a session, one a line.", LINES_TYPE),
  template("profile/{name}", "Profile", "A profile."),
  template("provider/{name}/models", "Models", "The models of a provider."),
  template("skill/{name}", "Skill", "The text of a skill.", "text/markdown"),
];

/** @throws HarnessError UnknownResource, UnknownSession, Forbidden, and what the engine fails with. */
export async function readResource(
  uri: string,
  client: AgentClient,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const address = readAddress(uri);
  const { catalogue } = client.engine;
  switch (address.kind) {
    case "sessions":
      return asJson(uri, await catalogue.sessions({ past: true, limit: SESSIONS_MAX }, client.scope));
    case "profiles":
      return asJson(uri, await catalogue.profiles());
    case "providers":
      return asJson(uri, await catalogue.providers()); // their models have other addresses, and need the network
    case "tools":
      return asJson(uri, await catalogue.tools(undefined, client.scope));
    case "skills":
      return asJson(uri, await catalogue.skills(client.scope));
    case "runtime":
      return asJson(uri, catalogue.runtime(client.granted));
    case "profile":
      return asJson(uri, await catalogue.profile(address.name));
    case "models":
      return asJson(uri, await catalogue.models(address.name, signal));
    case "skill": {
      const { text } = await catalogue.skill(address.name, client.scope);
      return { contents: [{ uri, mimeType: "text/markdown", text }] };
    }
    case "session": {
      const info = await catalogue.session(address.id, client.scope);
      const { scope } = client;
      return asJson(uri, await withLastEvents(catalogue, info, { count: LAST_EVENTS, scope }));
    }
    case "events":
    case "log":
      return await readEvents(uri, address, client);
  }
}

type EventsAddress = Extract<Address, { readonly id: unknown }>;

/** As JSON lines for the log, else as one array; what did not fit is told where it goes on. */
async function readEvents(
  uri: string,
  address: Extract<Address, { readonly kind: "events" | "log" }>,
  client: AgentClient,
): Promise<ReadResourceResult> {
  const { kind, id } = address;
  const { events } = await client.engine.catalogue.session(id, client.scope);
  const since = address.since ?? (kind === "log" ? 0 : Math.max(0, events - LAST_EVENTS));
  const { lines, last, isWhole } = await eventLines(address, since, client);
  const text = kind === "log" ? lines.map((line) => `${line}\n`).join("") : `[${lines.join(",\n")}]`;
  const mimeType = kind === "log" ? LINES_TYPE : JSON_TYPE;
  const next = kind === "log" ? uriOf(`session/${id}/log?since=${last}`) : eventsUri(id, last);
  return { contents: [{ uri, mimeType, text }], _meta: { [OWN_KEY]: { last, next, complete: isWhole } } };
}

async function eventLines(
  { id }: EventsAddress,
  since: EventSeq,
  { engine, scope }: AgentClient,
): Promise<{ readonly lines: readonly string[]; readonly last: EventSeq; readonly isWhole: boolean }> {
  const lines: string[] = [];
  let [last, chars] = [since, 0];
  for await (const event of engine.catalogue.log(id, since, scope)) {
    const line = JSON.stringify(event satisfies Envelope);
    chars += line.length;
    if (chars > EVENTS_CHARS_MAX && lines.length > 0) return { lines, last, isWhole: false };
    lines.push(line);
    last = event.id;
  }
  return { lines, last, isWhole: true };
}

function asJson(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}

function json(path: string, name: string, description: string): Resource {
  return { uri: uriOf(path), name, mimeType: JSON_TYPE, ...(description === "" ? {} : { description }) };
}

function template(
  path: string,
  name: string,
  description: string,
  mimeType = JSON_TYPE,
): ResourceTemplateType {
  return { uriTemplate: uriOf(path), name, description, mimeType };
}

import { resolve } from "node:path";
import { COMMAND_RESULTS } from "../src/protocol/commands/results.ts";
import { COMMAND_KINDS, EVENT_KINDS, QUERY_KINDS } from "../src/protocol/kinds.ts";
import { queryDefinition } from "../src/protocol/queries/queries.ts";
import * as resources from "../src/protocol/resources.ts";
import type { Meaning } from "../src/server/rest/described.ts";
import type { FileComments } from "./protocol-comments.ts";
import { commentReader } from "./protocol-comments.ts";

const PROTOCOL = resolve(import.meta.dir, "../src/protocol");

/** Files of the queries, each with the constant that has them by kind. */
const QUERY_FILES = {
  "change-queries": "CHANGE_QUERIES",
  "completion-queries": "COMPLETION_QUERIES",
  "control-queries": "CONTROL_QUERIES",
  "engine-queries": "ENGINE_QUERIES",
  "history-queries": "HISTORY_QUERIES",
  "search-queries": "SEARCH_QUERIES",
  "session-queries": "SESSION_QUERIES",
  "usage-queries": "USAGE_QUERIES",
} as const;

/** Meaning of every schema of the protocol, by its name in the OpenAPI document. */
export function protocolMeaning(): ReadonlyMap<string, Meaning> {
  const commentsOf = commentReader();
  const file = (path: string) => commentsOf(`${PROTOCOL}/${path}.ts`);
  const commands = file("commands/commands");
  const meaning = new Map<string, Meaning>([
    ["Command", of(commands, "Command")],
    ["Accepted", of(commands, "Accepted")],
    ["AttachmentInfo", of(file("content"), "AttachmentInfo")],
    ["Handshake", of(file("handshake"), "Handshake")],
    ["Message", of(file("message"), "Message")],
    ["NewsItem", of(file("events/news"), "NewsItem")],
    ["Envelope", of(file("events/envelope"), "EnvelopeSchema")],
  ]);
  for (const kind of COMMAND_KINDS) meaning.set(`${kind}Command`, of(commands, kind));
  const results = of(file("commands/results"), "COMMAND_RESULTS").fields ?? {};
  for (const kind of Object.keys(COMMAND_RESULTS)) meaning.set(`${kind}Result`, results[kind] ?? {});
  const frame = of(file("events/envelope"), "frame");
  const payloads = of(file("events/events"), "payloads").fields ?? {};
  for (const kind of EVENT_KINDS) meaning.set(`${kind}Event`, eventOf(frame, payloads[kind] ?? {}));
  const news = of(file("events/news"), "NewsItem").options ?? [];
  ["SessionChanged", "SessionGone", "NewsReady"].forEach((kind, index) => {
    meaning.set(`${kind}News`, news[index] ?? {});
  });
  addQueries(meaning, file);
  const resourceFile = file("resources");
  for (const name of Object.keys(resources)) meaning.set(name, of(resourceFile, name));
  return meaning;
}

function of(file: FileComments, name: string): Meaning {
  const found = file.get(name);
  if (found === undefined) throw new Error(`no constant ${name} in the sources of the protocol`);
  return found;
}

function eventOf(frame: Meaning, payload: Meaning): Meaning {
  const { about, ...fields } = payload;
  return { ...(about === undefined ? {} : { about }), fields: { ...frame.fields, payload: fields } };
}

/** The query parameters of REST have their texts beside the addresses: they hold for every transport. */
function addQueries(meaning: Map<string, Meaning>, file: (path: string) => FileComments): void {
  const all = Object.assign(
    {},
    ...Object.entries(QUERY_FILES).map(([name, constant]) => of(file(`queries/${name}`), constant).fields),
  ) as Readonly<Record<string, Meaning>>;
  for (const kind of QUERY_KINDS) {
    const { about, rest } = queryDefinition(kind);
    const { params = {}, result = {} } = all[kind]?.fields ?? {};
    const fields = { ...params.fields };
    for (const [name, text] of Object.entries(rest.fields ?? {})) {
      const { named, about: written } = fields[name] ?? {};
      if (written !== undefined && named !== true)
        throw new Error(`${kind}.${name} has two texts: keep the one in \`rest.fields\``);
      fields[name] = { ...fields[name], about: text };
    }
    meaning.set(`${kind}Query`, { about, fields });
    meaning.set(`${kind}Result`, result);
  }
}

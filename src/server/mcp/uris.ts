import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { plain } from "../../base/text/text.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import { QUERY_KINDS } from "../../protocol/kinds.ts";
import { queryDefinition } from "../../protocol/queries/queries.ts";
import type { McpResourceAddress } from "../../protocol/queries/query.ts";
import { pathFields } from "../../protocol/queries/rest-request.ts";
import { RESOURCE_URI_SCHEME } from "../../protocol/version.ts";
import { eventSeqIn, sessionIdIn } from "../hub/follow-request.ts";

/** Spelling of the documents. A scheme has no slash, so it is no valid URI: it is read, and never published. */
const DOCUMENTED = `${RESOURCE_URI_SCHEME}://`;
/** Published spelling, which every URI library parses. */
const PUBLISHED = "harness-v1://";

const NAME_CHARACTERS_MAX = 200;

/** A resource: the answer to a query, or events of a session. */
export type Address =
  | { readonly kind: "query"; readonly query: QueryKind; readonly fields: Readonly<Record<string, string>> }
  /** `since`: the last event that the reader has. */
  | { readonly kind: "events" | "log"; readonly id: SessionId; readonly since?: EventSeq };

export function addressUri(path: string): string {
  return `${PUBLISHED}${path}`;
}

export function eventsUri(id: SessionId, since: EventSeq): string {
  return addressUri(`session/${id}/events?since=${since}`);
}

/** Returns the part behind the scheme of an address, in either spelling; undefined for any other text. */
export function pathIn(uri: string): string | undefined {
  const start = [PUBLISHED, DOCUMENTED].find((each) => uri.startsWith(each));
  return start === undefined ? undefined : uri.slice(start.length);
}

/** Reads an address in either spelling. @throws HarnessError UnknownResource, InvalidSessionID, InvalidPath. */
export function readAddress(uri: string): Address {
  const rest = pathIn(uri);
  if (rest === undefined) throw unknown(uri);
  const [path = "", query, more] = rest.split("?");
  const parts = path.split("/");
  if (more !== undefined) throw unknown(uri);
  const [first, second = "", third, fourth] = parts;
  if (first === "session" && (third === "events" || third === "log") && fourth === undefined) {
    const id = sessionIdIn(second);
    const since = sinceIn(query);
    return since === undefined ? { kind: third, id } : { kind: third, id, since };
  }
  if (query !== undefined) throw unknown(uri);
  for (const { kind, address } of QUERY_RESOURCES) {
    const template = address.uri.split("/");
    if (!fits(template, parts)) continue;
    const { rest: names } = queryDefinition(kind);
    const fields = pathFields(address.uri, names).map(({ name, field }) => {
      const text = parts[template.indexOf(`{${name}}`)] ?? "";
      return [field, field === "sessionId" ? sessionIdIn(text) : nameIn(text, uri)];
    });
    return { kind: "query", query: kind, fields: Object.fromEntries(fields) };
  }
  throw unknown(uri);
}

/** The queries that are resources. */
export const QUERY_RESOURCES: readonly { readonly kind: QueryKind; readonly address: McpResourceAddress }[] =
  QUERY_KINDS.flatMap((kind) => {
    const { mcp: address } = queryDefinition(kind);
    return address === undefined ? [] : [{ kind, address }];
  });

function fits(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((part, at) => part.startsWith("{") || part === parts[at])
  );
}

function sinceIn(query: string | undefined): EventSeq | undefined {
  if (query === undefined) return undefined;
  const [, text] = /^since=(.*)$/s.exec(query) ?? [];
  const since = text === undefined ? undefined : eventSeqIn(text);
  if (since !== undefined) return since;
  throw new HarnessError("InvalidPath", { why: "since: it takes the id of an event, a whole number" });
}

function nameIn(text: string, uri: string): string {
  try {
    const name = decodeURIComponent(text);
    if (name !== "" && !/[\u0000-\u001f\u007f/\\]/.test(name)) return name;
  } catch {
    // listed below
  }
  throw unknown(uri);
}

function unknown(uri: string): HarnessError<"UnknownResource"> {
  return new HarnessError("UnknownResource", { what: "resource", name: plain(uri, NAME_CHARACTERS_MAX) });
}

import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { plain } from "../../base/text/text.ts";
import { RESOURCE_URI_SCHEME } from "../../protocol/version.ts";
import { eventSeqIn, sessionIdIn } from "../hub/follow-request.ts";

/** The spelling of the documents. A scheme has no slash, so it is no valid URI: it is read, and never published. */
const DOCUMENTED = `${RESOURCE_URI_SCHEME}://`;
/** The spelling that is published, which every URI library parses. */
const PUBLISHED = "harness-v1://";

const NAME_CHARACTERS_MAX = 200;

/** What a resource's address says. */
export type Address =
  | { readonly kind: "sessions" | "profiles" | "providers" | "tools" | "skills" | "runtime" }
  | { readonly kind: "session"; readonly id: SessionId }
  /** `since`: the last event that the reader has. */
  | { readonly kind: "events" | "log"; readonly id: SessionId; readonly since?: EventSeq }
  | { readonly kind: "profile" | "models" | "skill"; readonly name: string };

export function uriOf(path: string): string {
  return `${PUBLISHED}${path}`;
}

export function eventsUri(id: SessionId, since: EventSeq): string {
  return uriOf(`session/${id}/events?since=${since}`);
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
  const [first = "", second, third, fourth] = parts;
  if (more !== undefined || fourth !== undefined) throw unknown(uri);
  const whole = (address: Address): Address => {
    if (query !== undefined) throw unknown(uri);
    return address;
  };
  if (second === undefined) {
    switch (first) {
      case "sessions":
      case "profiles":
      case "providers":
      case "tools":
      case "skills":
      case "runtime":
        return whole({ kind: first });
      default:
        throw unknown(uri);
    }
  }
  if (first === "session") {
    const id = sessionIdIn(second);
    if (third === undefined) return whole({ kind: "session", id });
    if (third !== "events" && third !== "log") throw unknown(uri);
    const since = sinceIn(query);
    return since === undefined ? { kind: third, id } : { kind: third, id, since };
  }
  if (first === "profile" && third === undefined)
    return whole({ kind: "profile", name: nameIn(second, uri) });
  if (first === "skill" && third === undefined) return whole({ kind: "skill", name: nameIn(second, uri) });
  if (first === "provider" && third === "models") return whole({ kind: "models", name: nameIn(second, uri) });
  throw unknown(uri);
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
    // told below
  }
  throw unknown(uri);
}

function unknown(uri: string): HarnessError<"UnknownResource"> {
  return new HarnessError("UnknownResource", { what: "resource", name: plain(uri, NAME_CHARACTERS_MAX) });
}

import { arrayAt, isObject, numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";
import type { Fields, Reason } from "../../base/reasons.ts";
import { isReason } from "../../base/reasons.ts";
import type { SecretPrint } from "../../safety/secrets/known-secret.ts";
import type { MachineKeySource } from "../machine-key.ts";

/**
 * What the keeper tells the helper that it started: the secrets of the environment and where the others are.
 *
 * It goes through a pipe that only these two have, never through arguments or an environment.
 */
export interface HelperStart {
  /** Where to listen: a path in a directory of mode 0700. */
  readonly socket: string;
  /** The secret variables, and no others. */
  readonly variables: Readonly<Record<string, string>>;
  /** The configuration directory, which also says what providers of one's own there are; absent where there is no home. */
  readonly directory?: string;
  /** Where `.harness-secrets/env` may be. */
  readonly workingDir: string;
  /** The variables that say where credentials of Google are, where Vertex AI is used. */
  readonly google?: Readonly<Record<string, string>>;
  readonly insecureDevKey: boolean;
}

/** A key that is there, without it. */
export interface HeldKey {
  readonly provider: string;
  /** "ANTHROPIC_API_KEY", "creds.enc", ".harness-secrets/env". */
  readonly source: string;
  /** Why it cannot be used, as far as a look at it has told; it is used all the same, and says so then. */
  readonly problem?: string;
}

/** What the helper tells once it serves; the keeper passes it on to the engine. */
export interface HelperReady {
  readonly kind: "ready";
  readonly socket: string;
  /** Shown with each request; 256 random bits in hex, new for each helper. */
  readonly token: string;
  readonly held: readonly HeldKey[];
  /** By what the engine recognises keys in texts, without having them. */
  readonly prints: readonly SecretPrint[];
  /** Where the machine key came from, and the key of the log in base64. Absent where there is no home. */
  readonly machineKey?: { readonly source: MachineKeySource; readonly logKey: string };
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

/** The keys cannot be had: a wrong passphrase, a damaged store. */
export interface HelperRefused {
  readonly kind: "refused";
  readonly reason: Reason;
  readonly fields: Readonly<Record<string, string>>;
}

export type HelperReport = HelperReady | HelperRefused;

/** What the keeper tells the engine. */
export type KeeperNote =
  | HelperReport
  /** The helper crashed; another is being started. */
  | { readonly kind: "down" }
  /** It crashed too often: none is started any more. */
  | { readonly kind: "failed"; readonly times: number }
  /** The capability token that the keeper was given, for a command that needs it; empty: none. */
  | { readonly kind: "token"; readonly text: string }
  /** A signal reached the keeper, and perhaps the engine too. */
  | { readonly kind: "signal"; readonly name: string };

/** How an answer begins: what a fetch would have resolved or rejected with. The body follows it. */
export type AnswerHead =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
    }
  /** An error of ours: no key, or one that no key can be. */
  | HelperRefused
  /** An error of the network, with its code. */
  | { readonly kind: "failed"; readonly message: string; readonly code?: string };

export const TOKEN_HEADER = "x-cinch-token";
/** The request without its body, as JSON in ASCII. */
export const REQUEST_HEADER = "x-cinch-request";

/** Reads a note of the keeper's or a report of the helper's; undefined where it is none. */
export function parseNote(text: string): KeeperNote | undefined {
  const value = parseJson(text)?.value;
  switch (stringAt(value, "kind")) {
    case "ready":
      return readyFrom(value);
    case "refused":
      return refusedFrom(value);
    case "down":
      return { kind: "down" };
    case "failed": {
      const times = numberAt(value, "times");
      return times === undefined ? undefined : { kind: "failed", times };
    }
    case "token":
      return { kind: "token", text: stringAt(value, "text") ?? "" };
    case "signal": {
      const name = stringAt(value, "name");
      return name === undefined ? undefined : { kind: "signal", name };
    }
    default:
      return undefined;
  }
}

function readyFrom(value: unknown): HelperReady | undefined {
  const [socket, token] = [stringAt(value, "socket"), stringAt(value, "token")];
  if (socket === undefined || token === undefined) return undefined;
  const machineKey = objectAt(value, "machineKey");
  const [source, logKey] = [stringAt(machineKey, "source"), stringAt(machineKey, "logKey")];
  return {
    kind: "ready",
    socket,
    token,
    held: arrayAt(value, "held").flatMap(heldFrom),
    prints: arrayAt(value, "prints").flatMap(printFrom),
    notices: arrayAt(value, "notices").filter((notice) => typeof notice === "string"),
    ...(source === undefined || logKey === undefined
      ? {}
      : { machineKey: { source: source as MachineKeySource, logKey } }),
  };
}

function heldFrom(value: unknown): readonly HeldKey[] {
  const [provider, source] = [stringAt(value, "provider"), stringAt(value, "source")];
  const problem = stringAt(value, "problem");
  if (provider === undefined || source === undefined) return [];
  return [{ provider, source, ...(problem === undefined ? {} : { problem }) }];
}

function printFrom(value: unknown): readonly SecretPrint[] {
  const [kind, start] = [stringAt(value, "kind"), stringAt(value, "start")];
  const [salt, sha256] = [stringAt(value, "salt"), stringAt(value, "sha256")];
  const characters = numberAt(value, "characters");
  if (kind === undefined || start === undefined || salt === undefined) return [];
  return sha256 === undefined || characters === undefined ? [] : [{ kind, start, characters, salt, sha256 }];
}

function refusedFrom(value: unknown): HelperRefused | undefined {
  const reason = stringAt(value, "reason");
  if (reason === undefined || !isReason(reason)) return undefined;
  return { kind: "refused", reason, fields: textsOf(objectAt(value, "fields")) };
}

/** The fields of a reason that came over a wire: those that a text misses stay as placeholders in it. */
export function fieldsOf<R extends Reason>({ fields }: HelperRefused): Fields<R> {
  return fields as Fields<R>;
}

/** Reads what the keeper sent; undefined where it is something else. */
export function parseStart(text: string): HelperStart | undefined {
  const value = parseJson(text)?.value;
  const [socket, workingDir] = [stringAt(value, "socket"), stringAt(value, "workingDir")];
  if (!isObject(value) || socket === undefined || workingDir === undefined) return undefined;
  const directory = stringAt(value, "directory");
  const google = objectAt(value, "google");
  return {
    socket,
    workingDir,
    variables: textsOf(objectAt(value, "variables")),
    insecureDevKey: value["insecureDevKey"] === true,
    ...(google === undefined ? {} : { google: textsOf(google) }),
    ...(directory === undefined ? {} : { directory }),
  };
}

/** Reads how an answer begins; undefined where it is something else. */
export function parseHead(text: string): AnswerHead | undefined {
  const value = parseJson(text)?.value;
  switch (stringAt(value, "kind")) {
    case "refused":
      return refusedFrom(value);
    case "failed": {
      const [message, code] = [stringAt(value, "message"), stringAt(value, "code")];
      if (message === undefined) return undefined;
      return { kind: "failed", message, ...(code === undefined ? {} : { code }) };
    }
    case "answer": {
      const status = numberAt(value, "status");
      if (status === undefined || status < 200 || status > 599) return undefined;
      const headers = arrayAt(value, "headers").flatMap((pair): readonly (readonly [string, string])[] => {
        const [name, text]: readonly unknown[] = Array.isArray(pair) ? pair : [];
        return typeof name === "string" && typeof text === "string" ? [[name, text]] : [];
      });
      return { kind: "answer", status, headers };
    }
    default:
      return undefined;
  }
}

/** The texts of an object. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** JSON that may stand in a header: other characters than those of ASCII are written as escapes. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

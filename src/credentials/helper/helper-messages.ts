import { defined } from "../../base/defined.ts";
import { arrayAt, isObject, numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";
import type { Fields, Reason } from "../../base/reasons.ts";
import { isReason } from "../../base/reasons.ts";
import type { SecretPrint } from "../../safety/secrets/known-secret.ts";
import type { MachineKeySource } from "../machine-key.ts";

/**
 * Start message of the key broker to its helper: the secrets of the environment and the location of the others.
 *
 * It is sent through a private pipe, never through arguments or an environment.
 */
export interface HelperStart {
  /** Socket to listen on: a path in a directory of mode 0700. */
  readonly socket: string;
  /** The secret variables only. */
  readonly variables: Readonly<Record<string, string>>;
  /** The configuration directory, which also lists the user's providers; absent without a home directory. */
  readonly directory?: string;
  /** Directory that may contain `.harness-secrets/env`. */
  readonly workingDir: string;
  /** Variables that locate Google credentials, if Vertex AI is used. */
  readonly google?: Readonly<Record<string, string>>;
  readonly insecureDevKey: boolean;
}

/** An existing key, without its value. */
export interface HeldKey {
  readonly provider: string;
  /** "ANTHROPIC_API_KEY", "creds.enc", ".harness-secrets/env". */
  readonly source: string;
  /** Known problem of the key. It is used all the same, and then fails with it. */
  readonly problem?: string;
}

/** The helper's report when it is ready; the key broker forwards it to the engine. */
export interface HelperReady {
  readonly kind: "ready";
  readonly socket: string;
  /** Required with each request; 256 random bits in hex, new for each helper. */
  readonly token: string;
  readonly held: readonly HeldKey[];
  /** Fingerprints that find keys in texts, without their values. */
  readonly prints: readonly SecretPrint[];
  /** Source of the machine key, and the log key in base64. Absent without a home directory. */
  readonly machineKey?: { readonly source: MachineKeySource; readonly logKey: string };
  /** Sentences for the user. */
  readonly notices: readonly string[];
}

/** The keys cannot be opened: a wrong passphrase, a damaged store. */
export interface HelperRefused {
  readonly kind: "refused";
  readonly reason: Reason;
  readonly fields: Readonly<Record<string, string>>;
}

export type HelperReport = HelperReady | HelperRefused;

/** The key of one provider, as a person entered it: a request of the engine to store it. */
export interface ProviderKey {
  readonly provider: string;
  readonly key: string;
}

/** The helper's answer to a key to store: the keys that it has now. */
export interface HelperStored extends Pick<HelperReady, "held" | "prints"> {
  readonly kind: "stored";
  /** True if it replaced a stored key. */
  readonly replaced: boolean;
}

/** Messages of the key broker to the engine. */
export type BrokerMessage =
  | HelperReport
  /** The helper crashed; another is being started. */
  | { readonly kind: "down" }
  /** It crashed too often: no other is started. */
  | { readonly kind: "failed"; readonly times: number }
  /** The capability token of the key broker, for a command that needs it; empty: none. */
  | { readonly kind: "token"; readonly text: string }
  /** The key broker is the helper itself: it sends a sign of life at each heartbeat, and silence is a crash. */
  | { readonly kind: "beats" }
  /** Hash of the broker's keys under a new salt, by which others find out if they have the same. */
  | { readonly kind: "keys"; readonly salt: string; readonly print: string }
  /** A signal reached the key broker, and perhaps the engine too. */
  | { readonly kind: "signal"; readonly name: string };

/** Head of an answer: what a fetch would have resolved or rejected with. The body follows it. */
export type AnswerHead =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
    }
  /** An error of cinch: no key, or an invalid one. */
  | HelperRefused
  /** A network error with its code. */
  | { readonly kind: "failed"; readonly message: string; readonly code?: string };

/** Path of the request that stores a key; all others are for providers. Its body is a `ProviderKey` as JSON. */
export const STORE_PATH = "/keys";
export const TOKEN_HEADER = "x-cinch-token";
/** The request without its body, as ASCII JSON. */
export const REQUEST_HEADER = "x-cinch-request";

/** Parses a message of the key broker or a report of the helper; undefined if it is neither. */
export function parseBrokerMessage(text: string): BrokerMessage | undefined {
  const value = parseJson(text)?.value;
  switch (stringAt(value, "kind")) {
    case "ready":
      return readyFrom(value);
    case "refused":
      return refusedFrom(value);
    case "down":
      return { kind: "down" };
    case "beats":
      return { kind: "beats" };
    case "failed": {
      const times = numberAt(value, "times");
      return times === undefined ? undefined : { kind: "failed", times };
    }
    case "token":
      return { kind: "token", text: stringAt(value, "text") ?? "" };
    case "keys":
      return { kind: "keys", salt: stringAt(value, "salt") ?? "", print: stringAt(value, "print") ?? "" };
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
    ...keysFrom(value),
    notices: arrayAt(value, "notices").filter((notice) => typeof notice === "string"),
    ...(source === undefined || logKey === undefined
      ? {}
      : { machineKey: { source: source as MachineKeySource, logKey } }),
  };
}

/** Parses the answer to a key to store; undefined if it is something else. */
export function parseStored(text: string): HelperStored | HelperRefused | undefined {
  const value = parseJson(text)?.value;
  const kind = stringAt(value, "kind");
  if (kind === "refused") return refusedFrom(value);
  if (kind !== "stored" || !isObject(value)) return undefined;
  return { kind, replaced: value["replaced"] === true, ...keysFrom(value) };
}

/** Parses a key to store; undefined if it is something else. */
export function parseProviderKey(text: string): ProviderKey | undefined {
  const value = parseJson(text)?.value;
  const [provider, key] = [stringAt(value, "provider"), stringAt(value, "key")];
  return provider === undefined || key === undefined ? undefined : { provider, key };
}

function keysFrom(value: unknown): Pick<HelperReady, "held" | "prints"> {
  return {
    held: arrayAt(value, "held").flatMap(heldFrom),
    prints: arrayAt(value, "prints").flatMap(printFrom),
  };
}

function heldFrom(value: unknown): readonly HeldKey[] {
  const [provider, source] = [stringAt(value, "provider"), stringAt(value, "source")];
  const problem = stringAt(value, "problem");
  if (provider === undefined || source === undefined) return [];
  return [{ provider, source, ...defined({ problem }) }];
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
  return { kind: "refused", reason, fields: stringValues(objectAt(value, "fields")) };
}

/** Returns the fields of a reason from another process. Missing ones stay as placeholders in the text. */
export function fieldsOf<R extends Reason>({ fields }: HelperRefused): Fields<R> {
  return fields as Fields<R>;
}

/** Parses the start message; undefined if it is something else. */
export function parseStart(text: string): HelperStart | undefined {
  const value = parseJson(text)?.value;
  const [socket, workingDir] = [stringAt(value, "socket"), stringAt(value, "workingDir")];
  if (!isObject(value) || socket === undefined || workingDir === undefined) return undefined;
  const directory = stringAt(value, "directory");
  const google = objectAt(value, "google");
  return {
    socket,
    workingDir,
    variables: stringValues(objectAt(value, "variables")),
    insecureDevKey: value["insecureDevKey"] === true,
    ...(google === undefined ? {} : { google: stringValues(google) }),
    ...defined({ directory }),
  };
}

/** Parses the head of an answer; undefined if it is something else. */
export function parseHead(text: string): AnswerHead | undefined {
  const value = parseJson(text)?.value;
  switch (stringAt(value, "kind")) {
    case "refused":
      return refusedFrom(value);
    case "failed": {
      const [message, code] = [stringAt(value, "message"), stringAt(value, "code")];
      if (message === undefined) return undefined;
      return { kind: "failed", message, ...defined({ code }) };
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

/** Returns the string values of an object. */
export function stringValues(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Renders JSON for a header: non-ASCII characters are escaped. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

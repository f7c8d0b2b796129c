import { unreachable } from "../../base/assert.ts";
import { whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Fetch } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import type { AuthorizedRequest } from "../../providers/authorized-fetch.ts";
import type { KeyNeeds } from "../../providers/vendors.ts";
import type { LivePrints } from "../../safety/secrets/known-prints.ts";
import { KnownPrints } from "../../safety/secrets/known-prints.ts";
import { stripCredentials } from "../authorized-fetch.ts";
import type { Credentials, HelperState, StoredKeyReport } from "../credentials.ts";
import { isCredentialName } from "../mcp/credential-name.ts";
import { KEY_STORE_FILE } from "../store/key-store.ts";
import { readHelperAnswer } from "./helper-answer.ts";
import type {
  BrokerMessage,
  HelperReady,
  HelperReport,
  HelperStored,
  ProviderKey,
} from "./helper-messages.ts";
import {
  asciiJson,
  fieldsOf,
  parseStored,
  REQUEST_HEADER,
  STORE_PATH,
  TOKEN_HEADER,
} from "./helper-messages.ts";

export interface HelperClientDependencies {
  /** The network, for requests that need no key. */
  readonly fetch: Fetch;
  /** Sends HTTP over a Unix socket. */
  readonly fetchThrough: (socket: string) => Fetch;
  /** Returns the variable that would hold a missing key. */
  readonly needsOf: (provider: string) => KeyNeeds | undefined;
}

/** The engine's side of the helper: it uses keys without seeing them. */
export interface HelperClient {
  /** Takes a message of the key broker. */
  receive(note: HelperMessage): void;
  /** Rejects all current and later requests: the key broker has ended, so no other helper starts. */
  fail(why: Error): void;
  /** Returns access to the helper's keys for one engine. */
  credentials(parts: HelperClientDependencies): Credentials;
}

export type HelperMessage = Exclude<BrokerMessage, { readonly kind: "signal" | "token" | "keys" | "beats" }>;

/**
 * Returns a client that sends requests through the credential helper, the only process with keys (CRED-03).
 *
 * After a crash it waits for the next helper and repeats unanswered requests. A request that must be sent once is
 * not repeated if the helper may have sent it. An answer that had begun breaks off, as it does when a provider
 * fails (CRED-04).
 * @throws HarnessError CredentialHelperFailed after two crashes within 60 s; any refusal of the helper.
 */
export function helperClient(): HelperClient {
  const helper = new KnownHelper();
  return {
    receive: (note) => helper.receive(note),
    fail: (why) => helper.fail(why),
    credentials: (parts) => helperCredentials(helper, parts),
  };
}

/** The credential helper as the key broker reports it: which one runs now, or why none will. */
class KnownHelper {
  readonly #first = Promise.withResolvers<HelperReport | Failed>();
  readonly #over = new AbortController();
  /** The last report, also while no helper runs. */
  #latest: HelperReady | undefined;
  readonly #prints = new KnownPrints();
  #state: HelperState = { kind: "starting" };
  #current: HelperReady | undefined;
  #refused: Error | undefined;
  #changed = Promise.withResolvers<void>();

  /** Aborts when no helper will start again: a request to a helper that hangs would never end. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get state(): ReturnType<Credentials["state"]> {
    const source = this.#current?.machineKey?.source;
    return { helper: this.#state, ...defined({ machineKey: source }) };
  }

  receive(note: HelperMessage): void {
    switch (note.kind) {
      case "ready":
        this.#current = note;
        this.#know(note);
        this.#state = { kind: "working" };
        this.#first.resolve(note);
        break;
      case "refused":
        this.#refused = new HarnessError(note.reason, fieldsOf(note));
        this.#first.resolve(note);
        break;
      case "down":
        this.#current = undefined;
        this.#state = { kind: "restarting" };
        break;
      case "failed":
        this.#current = undefined;
        this.#state = note;
        this.#refused = new HarnessError("CredentialHelperFailed", { times: String(note.times) });
        this.#first.resolve(note);
        this.#over.abort(this.#refused);
        break;
      default:
        unreachable(note);
    }
    this.#wake();
  }

  /** Takes the keys that a helper has since it stored one. */
  onStored(by: HelperReady, { held, prints }: HelperStored): void {
    if (this.#latest !== by) return; // the next helper has reported them already
    const report = { ...by, held, prints };
    if (this.#current === by) this.#current = report;
    this.#know(report);
  }

  #know(report: HelperReady): void {
    this.#latest = report;
    this.#prints.replace(report.prints);
  }

  fail(why: Error): void {
    this.#current = undefined;
    this.#refused ??= why;
    this.#first.resolve({ kind: "failed", times: 0 });
    this.#over.abort(this.#refused);
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Returns the fingerprints of the keys, once the first helper has reported. */
  async prints(): Promise<LivePrints> {
    await this.ready();
    return this.#prints;
  }

  /** Waits for a helper other than the one that just failed. */
  async next(before: HelperReady | undefined, signal: AbortSignal): Promise<HelperReady> {
    while (true) {
      signal.throwIfAborted();
      if (this.#refused !== undefined) throw this.#refused;
      if (this.#current !== undefined && this.#current !== before) return this.#current;
      await whileAlive(this.#changed.promise, signal);
    }
  }

  /** Waits for the first helper, and returns the last report. */
  async ready(): Promise<HelperReady> {
    await this.#first.promise;
    if (this.#latest !== undefined) return this.#latest;
    throw this.#refused ?? new HarnessError("CredentialHelperFailed", { times: "2" });
  }
}

function helperCredentials(helper: KnownHelper, parts: HelperClientDependencies): Credentials {
  return {
    send: (request) => sendThroughHelper(helper, request, parts),
    keys: {
      keyFor: () => Promise.resolve(undefined),
      providers: async () => (await helper.ready()).held.map(({ provider }) => provider),
    },
    prints: () => helper.prints(),
    store: (entered) => storeThroughHelper(helper, entered, parts),
    async logKey() {
      const { machineKey } = await helper.ready();
      if (machineKey === undefined)
        throw new HarnessError("MachineKeyUnusable", {
          source: "machine.key",
          problem: "there is no home directory to keep it in",
        });
      return new Uint8Array(Buffer.from(machineKey.logKey, "base64"));
    },
    notices: async () => (await helper.ready()).notices,
    list: async () => (await helper.ready()).held,
    state: () => helper.state,
  };
}

/**
 * Passes a key on to the helper. If that dies before it answers, the next one is asked: a key that was stored already
 * is stored again.
 */
async function storeThroughHelper(
  helper: KnownHelper,
  entered: ProviderKey,
  { fetchThrough }: HelperClientDependencies,
): Promise<StoredKeyReport> {
  await helper.ready();
  let used: HelperReady | undefined;
  while (true) {
    used = await helper.next(used, helper.over);
    const answer = await askToStore(used, entered, { fetchThrough, signal: helper.over });
    if (answer === undefined) continue;
    if (answer.kind === "refused") throw new HarnessError(answer.reason, fieldsOf(answer));
    helper.onStored(used, answer);
    const source = answer.held.find(({ provider }) => provider === entered.provider)?.source;
    return { replaced: answer.replaced, source: source ?? KEY_STORE_FILE };
  }
}

/** Returns undefined if the helper ended before it answered. @throws Error if it failed otherwise. */
async function askToStore(
  { socket, token }: HelperReady,
  { provider, key }: ProviderKey,
  { fetchThrough, signal }: Pick<HelperClientDependencies, "fetchThrough"> & { readonly signal: AbortSignal },
): Promise<ReturnType<typeof parseStored>> {
  const [status, text] = await fetchThrough(socket)(`http://helper${STORE_PATH}`, {
    method: "POST",
    headers: { [TOKEN_HEADER]: token },
    signal,
    body: JSON.stringify({ provider, key }),
  })
    .then(async (response) => [response.status, await response.text()] as const)
    .catch(() => [undefined, ""] as const); // its text may hold what was sent
  if (status === undefined) return undefined;
  const answer = status === 200 ? parseStored(text) : undefined;
  if (answer === undefined) throw new Error(`the credential helper answered ${status} to a key`);
  return answer;
}

async function sendThroughHelper(
  helper: KnownHelper,
  request: AuthorizedRequest,
  { fetch, fetchThrough, needsOf }: HelperClientDependencies,
): Promise<Response> {
  const { credential, provider, signal } = request;
  const clean = stripCredentials(request);
  if (credential.kind === "none") return await fetch(request.url, clean);
  const { held: heldKeys } = await whileAlive(helper.ready(), signal);
  // A login at an MCP server may be newer than this list: the helper checks each time.
  if (!isCredentialName(provider) && !heldKeys.some((key) => key.provider === provider)) {
    if (credential.optional === true) return await fetch(request.url, clean);
    const needs = needsOf(provider) ?? { variable: `the key of ${provider}`, kept: "" };
    throw new HarnessError("ProviderKeyMissing", { provider, ...needs });
  }
  const asked = { ...request, signal: AbortSignal.any([signal, helper.over]) };
  let used: HelperReady | undefined;
  while (true) {
    used = await helper.next(used, signal);
    const answer = await askHelper(used, asked, fetchThrough);
    if (answer instanceof Response) return answer;
    signal.throwIfAborted();
    if (request.once === true && answer === "crashed") throw new Error(GONE);
  }
}

/** Asks one helper to send a request. "unsent": it crashed before it took the request; "crashed": maybe after. */
async function askHelper(
  { socket, token }: HelperReady,
  request: AuthorizedRequest,
  fetchThrough: HelperClientDependencies["fetchThrough"],
): Promise<Response | "crashed" | "unsent"> {
  const { provider, url, credential, signal, isUnwatched } = request;
  const { method, headers = {}, body } = stripCredentials(request);
  const asked = { provider, url, credential, method, headers, isUnwatched };
  let isUnsent = false;
  const answer = await readHelperAnswer(async () => {
    try {
      return await fetchThrough(socket)("http://helper/", {
        method: "POST",
        headers: { [TOKEN_HEADER]: token, [REQUEST_HEADER]: asciiJson(asked) },
        signal,
        ...defined({ body }),
      });
    } catch (thrown) {
      isUnsent = NO_CONNECTION.has(codeOf(thrown) ?? "");
      throw thrown;
    }
  });
  return answer === "crashed" && isUnsent ? "unsent" : answer;
}

/** Error text of a request that is not repeated. */
const GONE = "the credential helper ended before it reported an answer";
/** Codes of a socket without a listener: nothing was sent. */
const NO_CONNECTION = new Set(["ConnectionRefused", "ECONNREFUSED", "ENOENT", "FailedToOpenSocket"]);

type Failed = Extract<BrokerMessage, { readonly kind: "failed" }>;

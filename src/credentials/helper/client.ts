import { unreachable } from "../../base/assert.ts";
import { whileAlive } from "../../base/async/deadline.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Fetch } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import type { AuthorizedRequest } from "../../providers/authorized-fetch.ts";
import type { KeyNeeds } from "../../providers/vendors.ts";
import { stripCredentials } from "../authorized-fetch.ts";
import type { Credentials, HelperState } from "../credentials.ts";
import { isCredentialName } from "../mcp/credential-name.ts";
import { readHelperAnswer } from "./helper-answer.ts";
import type { BrokerMessage, HelperReady, HelperReport } from "./helper-messages.ts";
import { asciiJson, fieldsOf, REQUEST_HEADER, TOKEN_HEADER } from "./helper-messages.ts";

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

export type HelperMessage = Exclude<BrokerMessage, { readonly kind: "signal" | "token" }>;

/**
 * Returns a client that sends requests through the credential helper, the only process with keys (CRED-03).
 *
 * After a crash it waits for the next helper and repeats unanswered requests. A request that must be sent once is
 * not repeated if the helper may have sent it. An answer that had begun breaks off, as it does when a provider
 * fails (CRED-04).
 * @throws HarnessError CredentialHelperFailed after two crashes within 60 s; any refusal of the helper.
 */
export function helperClient(): HelperClient {
  const first = Promise.withResolvers<HelperReport | Failed>();
  let state: HelperState = { kind: "starting" };
  let current: HelperReady | undefined;
  let refused: Error | undefined;
  let changed = Promise.withResolvers<void>();

  function tell(note: HelperMessage): void {
    switch (note.kind) {
      case "ready":
        current = note;
        state = { kind: "working" };
        first.resolve(note);
        break;
      case "refused":
        refused = new HarnessError(note.reason, fieldsOf(note));
        first.resolve(note);
        break;
      case "down":
        current = undefined;
        state = { kind: "restarting" };
        break;
      case "failed":
        current = undefined;
        state = note;
        refused = new HarnessError("CredentialHelperFailed", { times: String(note.times) });
        first.resolve(note);
        break;
      default:
        unreachable(note);
    }
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function onLost(why: Error): void {
    current = undefined;
    refused ??= why;
    first.resolve({ kind: "failed", times: 0 });
    changed.resolve();
    changed = Promise.withResolvers();
  }

  /** Waits for a helper other than the one that just failed. */
  async function next(before: HelperReady | undefined, signal: AbortSignal): Promise<HelperReady> {
    while (true) {
      signal.throwIfAborted();
      if (refused !== undefined) throw refused;
      if (current !== undefined && current !== before) return current;
      await whileAlive(changed.promise, signal);
    }
  }

  async function ready(): Promise<HelperReady> {
    const report = await first.promise;
    if (report.kind === "ready") return report;
    throw refused ?? new HarnessError("CredentialHelperFailed", { times: "2" });
  }

  function credentials({ fetch, fetchThrough, needsOf }: HelperClientDependencies): Credentials {
    async function send(request: AuthorizedRequest): Promise<Response> {
      const { credential, provider, signal } = request;
      const clean = stripCredentials(request);
      if (credential.kind === "none") return await fetch(request.url, clean);
      const { held: heldKeys } = await whileAlive(ready(), signal);
      // A login at an MCP server may be newer than this list: the helper checks each time.
      if (!isCredentialName(provider) && !heldKeys.some((key) => key.provider === provider)) {
        if (credential.optional === true) return await fetch(request.url, clean);
        const needs = needsOf(provider) ?? { variable: `the key of ${provider}`, kept: "" };
        throw new HarnessError("ProviderKeyMissing", { provider, ...needs });
      }
      let helper: HelperReady | undefined;
      while (true) {
        helper = await next(helper, signal);
        const { method, headers = {}, body } = clean;
        const asked = { provider, url: request.url, credential, method, headers };
        let isUnsent = false;
        const answer = await readHelperAnswer(async () => {
          try {
            return await fetchThrough(helper?.socket ?? "")("http://helper/", {
              method: "POST",
              headers: { [TOKEN_HEADER]: helper?.token ?? "", [REQUEST_HEADER]: asciiJson(asked) },
              signal,
              ...(body === undefined ? {} : { body }),
            });
          } catch (thrown) {
            isUnsent = NO_CONNECTION.has(codeOf(thrown) ?? "");
            throw thrown;
          }
        });
        if (answer !== "crashed") return answer;
        signal.throwIfAborted();
        if (request.once === true && !isUnsent) throw new Error(GONE);
      }
    }
    return {
      send,
      keys: {
        keyFor: () => Promise.resolve(undefined),
        providers: async () => (await ready()).held.map(({ provider }) => provider),
      },
      prints: async () => (await ready()).prints,
      async logKey() {
        const { machineKey } = await ready();
        if (machineKey === undefined)
          throw new HarnessError("MachineKeyUnusable", {
            source: "machine.key",
            problem: "there is no home directory to keep it in",
          });
        return new Uint8Array(Buffer.from(machineKey.logKey, "base64"));
      },
      notices: async () => (await ready()).notices,
      list: async () => (await ready()).held,
      state() {
        const source = current?.machineKey?.source;
        return { helper: state, ...(source === undefined ? {} : { machineKey: source }) };
      },
    };
  }

  return { receive: tell, fail: onLost, credentials };
}

/** Error text of a request that is not repeated. */
const GONE = "the credential helper ended before it reported an answer";
/** Codes of a socket without a listener: nothing was sent. */
const NO_CONNECTION = new Set(["ConnectionRefused", "ECONNREFUSED", "ENOENT", "FailedToOpenSocket"]);

type Failed = Extract<BrokerMessage, { readonly kind: "failed" }>;

import { DeadlineReached, HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { Clock, Fetch } from "../../../base/world.ts";
import { credentialName } from "../../../credentials/mcp/credential-name.ts";
import type { AuthorizedFetch } from "../../../providers/authorized-fetch.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import { parseChallenge } from "../login/challenge.ts";
import { boundResponse } from "./bounded-body.ts";

/** The longest time for a server to begin its answer. */
export const HEAD_MS_MAX = 60_000;
/** The longest wait for a busy server that names a time. */
export const BUSY_WAIT_MS_MAX = 10_000;
const HEADER_UNITS_MAX = 8_192;
/** Remembered paths of one server that need no token. Beyond that, each request looks for one. */
const PATHS_MAX = 16;

/** A server reached over HTTP, declared by the user's file or an acknowledged one of the project. */
export interface RemoteServer {
  readonly name: string;
  /** `http` is streamable HTTP, `sse` the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  /** Further headers, without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if every request needs the token of the credential store. */
  readonly bearer?: boolean;
}

export interface RemoteDependencies {
  readonly clock: Clock;
  /** The network, for servers that need no token. */
  readonly fetch: Fetch;
  /** Inserts the token stored under `mcp:NAME`, which is sent to that server only. */
  readonly authorized: AuthorizedFetch;
  readonly log: Log;
}

export type RemoteFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns the fetch for one of the user's servers (MCP-01).
 *
 * Every request goes to the server's own origin. The holder of the token adds it, if there is one, and no redirect
 * carries it elsewhere. The answer is bounded, and so is the silence before it. A busy server (429) is asked once
 * more, after the time that it names.
 * @throws HarnessError McpLoginNeeded, McpScopeMissing if the server wants a login or more rights, naming the command.
 */
export function remoteFetch(
  server: RemoteServer,
  ports: RemoteDependencies,
  callMsMax = HEAD_MS_MAX,
): RemoteFetch {
  const { origin } = new URL(server.url);
  const send = authorizedSender(server, ports);
  return async (url, init = {}) => {
    const target = new URL(url);
    if (target.origin !== origin || !isSafeUrl(target))
      throw new TypeError(`the server ${server.name} leads to another place: ${visibleLine(target.origin)}`);
    const signal = init.signal ?? new AbortController().signal;
    const request = {
      method: init.method ?? "GET",
      headers: headersOf(init, server),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
    };
    // The answer to a call begins when the call is done; all others begin at once.
    const once = () =>
      withinHeadLimit(request.method === "POST" ? callMsMax : HEAD_MS_MAX, signal, ports.clock, (limited) =>
        send(target.href, { ...request, signal: limited }),
      );
    let response = await once();
    const waitMs = response.status === 429 ? retryAfterMs(response) : undefined;
    if (waitMs !== undefined && waitMs <= BUSY_WAIT_MS_MAX) {
      await response.body?.cancel();
      await ports.clock.sleep(waitMs, signal);
      response = await once();
    }
    await throwRefusal(server, response);
    return boundResponse(response, ports.clock);
  };
}

/** Limits the silence before an answer. The answer itself may last until the signal aborts. */
async function withinHeadLimit(
  msMax: number,
  signal: AbortSignal,
  clock: Clock,
  send: (limited: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = new AbortController();
  using _timer = clock.timer(msMax, () => late.abort(new DeadlineReached(msMax)));
  return await send(AbortSignal.any([signal, late.signal]));
}

/** Returns a function that sends with the server's token, or without one if there is none and none is required. */
function authorizedSender({ name, bearer = false }: RemoteServer, ports: RemoteDependencies) {
  const without = new Set<string>();
  return async (url: string, init: SentRequest): Promise<Response> => {
    const { pathname } = new URL(url);
    if (!without.has(pathname)) {
      try {
        const credential = { kind: "header", header: "authorization", prefix: "Bearer " } as const;
        const once = init.method === "POST"; // repeating a call may repeat its effect
        return await ports.authorized({ ...init, url, provider: credentialName(name), credential, once });
      } catch (thrown) {
        if (!(thrown instanceof HarnessError) || thrown.reason !== "ProviderKeyMissing") throw thrown;
        if (bearer) throw new HarnessError("McpLoginNeeded", { name });
        if (without.size < PATHS_MAX) without.add(pathname);
      }
    }
    const response = await ports.fetch(url, init);
    if (response.status === 401) without.clear(); // a new login counts from the next request
    return response;
  };
}

interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

function headersOf(init: RequestInit, { headers }: RemoteServer): Readonly<Record<string, string>> {
  const all = new Headers(headers);
  for (const [name, value] of new Headers(init.headers)) all.set(name, value);
  return Object.fromEntries(all);
}

/** @throws HarnessError if the server wants a login or more rights. */
async function throwRefusal({ name }: RemoteServer, response: Response): Promise<void> {
  if (response.status !== 401 && response.status !== 403) return;
  const challenge = parseChallenge(
    (response.headers.get("www-authenticate") ?? "").slice(0, HEADER_UNITS_MAX),
  );
  const isScope = response.status === 403 && challenge.error === "insufficient_scope";
  if (response.status === 403 && !isScope) return;
  await response.body?.cancel();
  if (!isScope) throw new HarnessError("McpLoginNeeded", { name });
  throw new HarnessError("McpScopeMissing", {
    name,
    scope: visibleLine(challenge.scope ?? "").slice(0, 500),
  });
}

/** Returns the wait that a busy server asks for, in milliseconds; undefined if it names none. */
function retryAfterMs(response: Response): number | undefined {
  const seconds = /^\d{1,6}$/.exec(response.headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

import { DeadlineReached, HarnessError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import type { RemotePorts, RemoteServer } from "../../../credentials/mcp/remote-server.ts";
import { credentialName } from "../../../credentials/mcp/remote-server.ts";
import { visible } from "../../../safety/hidden.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import { challengeFrom } from "../login/challenge.ts";
import { boundedAnswer } from "./bounded-body.ts";

/** How long a server may take to begin its answer. */
export const HEAD_MS_MAX = 60_000;
/** A server that is busy is waited for, where it asks for no more than this. */
export const BUSY_MS_MAX = 10_000;
const HEADER_UNITS_MAX = 8_192;
/** Paths of one server that are remembered as going without a token; more are asked about each time. */
const PATHS_MAX = 16;

export type RemoteFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The network as one server of the user's may be reached through it (MCP-01).
 *
 * Every request goes to the server's own origin. The token of the server is put in by whoever holds it, where there is one;
 * nobody follows a redirect to another place with it. An answer is bounded, a silence before it too; a server that is busy
 * (429) is asked once more, after the time that it names.
 * @throws HarnessError McpLoginNeeded, McpScopeMissing where the server wants a login or more rights, naming the command.
 */
export function remoteFetch(server: RemoteServer, ports: RemotePorts, callMsMax = HEAD_MS_MAX): RemoteFetch {
  const { origin } = new URL(server.url);
  const send = sender(server, ports);
  return async (url, init = {}) => {
    const target = new URL(url);
    if (target.origin !== origin || !isSafeUrl(target))
      throw new TypeError(`the server ${server.name} leads to another place: ${visible(target.origin)}`);
    const signal = init.signal ?? new AbortController().signal;
    const request = {
      method: init.method ?? "GET",
      headers: headersOf(init, server),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
    };
    // The answer to a call comes when the call is done; all else is answered at once.
    const once = () =>
      withHead(request.method === "POST" ? callMsMax : HEAD_MS_MAX, signal, ports.clock, (limited) =>
        send(target.href, { ...request, signal: limited }),
      );
    let response = await once();
    const waitMs = response.status === 429 ? busyMs(response) : undefined;
    if (waitMs !== undefined && waitMs <= BUSY_MS_MAX) {
      await response.body?.cancel();
      await ports.clock.sleep(waitMs, signal);
      response = await once();
    }
    await refuse(server, response);
    return boundedAnswer(response, ports.clock);
  };
}

/** Bounds the silence before an answer; the answer itself goes on for as long as the signal lives. */
async function withHead(
  msMax: number,
  signal: AbortSignal,
  clock: Clock,
  send: (limited: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = new AbortController();
  using _timer = clock.timer(msMax, () => late.abort(new DeadlineReached(msMax)));
  return await send(AbortSignal.any([signal, late.signal]));
}

/** Sends with the server's token while there is one, and without where there is none and none has to be. */
function sender({ name, bearer = false }: RemoteServer, ports: RemotePorts) {
  const without = new Set<string>();
  return async (url: string, init: Sent): Promise<Response> => {
    const { pathname } = new URL(url);
    if (!without.has(pathname)) {
      try {
        const credential = { kind: "header", header: "authorization", prefix: "Bearer " } as const;
        const once = init.method === "POST"; // a call that is made twice may do twice what it does
        return await ports.authorized({ ...init, url, provider: credentialName(name), credential, once });
      } catch (thrown) {
        if (!(thrown instanceof HarnessError) || thrown.reason !== "ProviderKeyMissing") throw thrown;
        if (bearer) throw new HarnessError("McpLoginNeeded", { name });
        if (without.size < PATHS_MAX) without.add(pathname);
      }
    }
    const response = await ports.fetch(url, init);
    if (response.status === 401) without.clear(); // whoever logs in now is to be let in with the next request
    return response;
  };
}

interface Sent {
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

/** @throws HarnessError where the server lets nobody in, or not to this. */
async function refuse({ name }: RemoteServer, response: Response): Promise<void> {
  if (response.status !== 401 && response.status !== 403) return;
  const challenge = challengeFrom(
    (response.headers.get("www-authenticate") ?? "").slice(0, HEADER_UNITS_MAX),
  );
  const isScope = response.status === 403 && challenge.error === "insufficient_scope";
  if (response.status === 403 && !isScope) return;
  await response.body?.cancel();
  if (!isScope) throw new HarnessError("McpLoginNeeded", { name });
  throw new HarnessError("McpScopeMissing", { name, scope: visible(challenge.scope ?? "").slice(0, 500) });
}

/** What a busy server asks to wait, in milliseconds; undefined where it does not say. */
function busyMs(response: Response): number | undefined {
  const seconds = /^\d{1,6}$/.exec(response.headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

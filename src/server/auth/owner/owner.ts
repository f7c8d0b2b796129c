import type { Duplex } from "node:stream";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { World } from "../../../base/world.ts";
import {
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
  sameSecret,
} from "../../../safety/private-file.ts";
import type { Authority, ClaimsRequest } from "../../../session/access/authority.ts";
import { readClaimsRequest } from "../tokens/claims-request.ts";
import { OWNER_LINE_BYTES_MAX, readLine } from "./line.ts";

const SECRET_BYTES = 32;
const UNIQUE_BYTES = 6;
export const OWNER_FILE_BYTES_MAX = 256;
/** Time limit from the connection to the end of the answer. */
const EXCHANGE_MS_MAX = 5_000;
/** Limit on exchanges at once; one more cuts off the oldest. */
export const EXCHANGES_MAX = 256;
/** Lifetime of the owner's token; a client renews it before its end. */
export const OWNER_LIFETIME_MS = 60 * 60_000;

/**
 * Returns true if the process at the other end may be the owner's; the machine's own answer comes
 * from `platform/sockets/descendants.ts`.
 */
export type JudgePeer = (
  stream: Duplex,
) => { readonly kind: "unrelated" } | { readonly kind: "refused"; readonly problem: string };

export interface OwnerSockets {
  /** Listens at a path that only this user reaches. */
  listen(path: string, connected: (stream: Duplex) => void): Promise<AsyncDisposable>;
}

export interface OwnerExchangeDependencies {
  readonly world: Pick<World, "clock" | "random" | "log">;
  readonly sockets: OwnerSockets;
  readonly judge: JudgePeer;
  readonly authority: Pick<Authority, "mint">;
  /** `owner.sock`, in a folder that no command sees. Nothing may exist there. */
  readonly socketPath: string;
  /** `owner.token`, likewise. */
  readonly tokenPath: string;
  /** Key of the hashes by which clients compare their settings with the engine's: the second part of `owner.token`. */
  readonly salt?: string;
  /** Serves a connection that brings a prompt of the owner. It is not limited in time. Default: none is served. */
  readonly servePrompt?: (stream: Duplex, question: unknown) => Promise<void>;
}

/**
 * Lets the person who runs the engine attach without a code (AUTH-11). A process gets a capability token of class
 * human on a Unix socket if it can read `owner.token` and is no descendant of the engine. `owner.token` is new at
 * every start.
 *
 * A connection whose line has a `prompt` is handed over once its owner is proven.
 *
 * One line in, `{"owner": …, "claims"?: …}`; one line out, `{"token": …}` or `{"reason": …, "message": …}` with its
 * fields. Without claims the token is for everything, on the Unix socket only, for an hour; with claims it has those.
 * The owner token itself is accepted nowhere else. Disposing it removes both files.
 * @throws the system's error if the socket or the file cannot be created.
 */
export async function openOwnerExchange(parts: OwnerExchangeDependencies): Promise<AsyncDisposable> {
  const { world, sockets, socketPath, tokenPath, salt, servePrompt } = parts;
  const unique = Buffer.from(world.random.bytes(SECRET_BYTES)).toString("base64url");
  const secret = Buffer.from(salt === undefined ? unique : `${unique}.${salt}`);
  const open = new Set<Duplex>();
  const listening = await sockets.listen(socketPath, (stream) => {
    makeRoom(open);
    open.add(stream);
    void exchange(parts, secret, stream)
      .finally(() => open.delete(stream))
      .then((prompt) => (prompt === undefined ? undefined : servePrompt?.(stream, prompt.question)));
  });
  try {
    await replacePrivateFile(tokenPath, secret, world.random.bytes(UNIQUE_BYTES));
  } catch (thrown) {
    await listening[Symbol.asyncDispose]();
    throw thrown;
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const stream of open) stream.destroy();
      await listening[Symbol.asyncDispose]();
      await removeOwn(tokenPath, secret);
      secret.fill(0);
    },
  };
}

/**
 * Cuts the oldest connection off if there are as many as allowed. An honest client sends its line milliseconds after it
 * has connected, and is answered at once: the oldest is one that says nothing, or does not close.
 */
function makeRoom(open: Set<Duplex>): void {
  const [oldest] = open;
  if (open.size < EXCHANGES_MAX || oldest === undefined) return;
  open.delete(oldest);
  oldest.destroy();
}

/** Leaves the files that another engine may have put there meanwhile. */
async function removeOwn(path: string, secret: Uint8Array): Promise<void> {
  const found = await readPrivateFile(path, OWNER_FILE_BYTES_MAX);
  if (found.kind !== "read") return;
  if (sameSecret(found.bytes, secret)) await removePrivateFile(path);
  found.bytes.fill(0);
}

/** Prompt of the owner that came instead of a request for a token. */
interface OwnersPrompt {
  readonly question: unknown;
}

async function exchange(
  parts: OwnerExchangeDependencies,
  secret: Uint8Array,
  stream: Duplex,
): Promise<OwnersPrompt | undefined> {
  const { clock, log } = parts.world;
  stream.on("error", () => stream.destroy()); // a client that left gets no answer
  using _timer = clock.timer(EXCHANGE_MS_MAX, () => stream.destroy());
  try {
    const answered = await answer(parts, secret, stream);
    if (answered.kind === "prompt") return answered;
    stream.end(`${JSON.stringify(answered.line)}\n`);
    await finished(stream);
  } catch (thrown) {
    log.for("auth").write("warn", "an exchange of the owner token broke off", { problem: messageOf(thrown) });
    stream.destroy();
  }
  return undefined;
}

type Answered =
  | { readonly kind: "line"; readonly line: Readonly<Record<string, string>> }
  | ({ readonly kind: "prompt" } & OwnersPrompt);

async function answer(
  { judge, authority, servePrompt }: OwnerExchangeDependencies,
  secret: Uint8Array,
  stream: Duplex,
): Promise<Answered> {
  try {
    const verdict = judge(stream); // before any of it is read
    if (verdict.kind === "refused") throw refused(verdict.problem, REMEDY_OTHER);
    const line = await readLine(stream, OWNER_LINE_BYTES_MAX);
    const value = line === undefined ? undefined : parseJson(line)?.value;
    const owner = isObject(value) ? value["owner"] : undefined;
    if (!isObject(value) || typeof owner !== "string")
      throw refused("it did not send one line of JSON with the owner token", REMEDY_OTHER);
    if (!sameSecret(owner, secret))
      throw new HarnessError("OwnerTokenStale", {
        problem: "the engine has another one",
        remedy: REMEDY_TOKEN,
      });
    const again = judge(stream);
    if (again.kind === "refused") throw refused(again.problem, REMEDY_OTHER);
    if (value["prompt"] !== undefined && servePrompt !== undefined)
      return { kind: "prompt", question: value["prompt"] };
    const claims = value["claims"] === undefined ? OWNER_CLAIMS : readClaimsRequest(value["claims"]);
    return { kind: "line", line: { token: authority.mint(claims, "engine") } };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { kind: "line", line: { reason: thrown.reason, message: thrown.message, ...thrown.fields } };
  }
}

const OWNER_CLAIMS: ClaimsRequest = {
  identityClass: "human",
  lifetimeMs: OWNER_LIFETIME_MS,
  canMint: true,
  wire: "unix",
};

const REMEDY_OTHER =
  "From a terminal of your own it works; elsewhere use a token with a code, or a token file.";
const REMEDY_TOKEN = "Read the owner token again, and retry.";

async function finished(stream: Duplex): Promise<void> {
  if (stream.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once("close", resolve);
  stream.resume();
  await promise;
}

function refused(problem: string, remedy: string): HarnessError<"OwnerRefused"> {
  return new HarnessError("OwnerRefused", { problem, remedy });
}

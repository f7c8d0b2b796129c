import { resolve } from "node:path";
import { defined } from "../../base/defined.ts";
import { hasReason } from "../../base/errors.ts";
import { makeUndumpable } from "../../platform/processes/undumpable.ts";
import type { EngineAddress } from "../../platform/sockets/engine-transport.ts";
import { engineTransport } from "../../platform/sockets/engine-transport.ts";
import { readFlagFile } from "../args/flag-file.ts";
import { misuse } from "../args/misuse.ts";
import type { ConnectWords } from "../commands/line/flags.ts";
import { askSecret } from "../io/terminal/secret-prompt.ts";
import type { ProcessContext } from "../process-context.ts";
import { givenToken } from "./engine-tokens.ts";
import type { ReachedEngine, ReachOptions } from "./reach-engine.ts";
import { openRemotePort } from "./remote-port.ts";
import { unreachableEngine } from "./unreachable-engine.ts";

export interface ConnectOptions extends Pick<ReachOptions, "at" | "onState" | "onResumed" | "signal"> {
  readonly connect: ConnectWords;
}

/**
 * Connects to a named engine, most often on another machine (CTL-17). Its certificate is verified; without TLS only
 * this machine is allowed.
 *
 * The token comes from a file, from CINCH_TOKEN, which no child of this process sees, or from a prompt that shows
 * nothing of it.
 * @throws HarnessError UsageInvalid, TokenFileUnsafe, EngineUnreachable, EngineCertificate, and the refusal of
 * the token.
 */
export async function connectEngine(options: ConnectOptions): Promise<ReachedEngine> {
  const { connect, at, onState, onResumed, signal } = options;
  makeUndumpable(); // its memory has the token
  const { place, url } = await placeOf(connect);
  const token = await tokenOf(connect, at);
  const { clock, random } = at.world;
  const parts = {
    url,
    wire: engineTransport(place),
    tokens: givenToken(token),
    clock,
    random,
    ...defined({ onState, onResumed }),
  };
  const port = await openRemotePort(parts, signal).catch((thrown: unknown) => {
    throw hasReason(thrown, "EngineUnreachable") ? unreachableEngine(connect.url, thrown.cause) : thrown;
  });
  return { port, owned: false, [Symbol.asyncDispose]: () => port[Symbol.asyncDispose]() };
}

const LOOPBACK: readonly string[] = ["127.0.0.1", "localhost"];

async function placeOf({
  url,
  ca,
}: ConnectWords): Promise<{ readonly place: EngineAddress; readonly url: string }> {
  const parsed = URL.parse(url);
  const forms = "https://HOST:PORT, http://127.0.0.1:PORT or unix:///PATH";
  if (parsed === null) throw misuse(`--connect takes ${forms}, not '${url}'`);
  const { protocol, hostname, origin, pathname, search, username, password } = parsed;
  if (username !== "" || password !== "" || search !== "")
    throw misuse("--connect takes an address alone: a token in it would be seen by every process");
  switch (protocol) {
    case "unix:":
      if (hostname !== "" || pathname.length < 2)
        throw misuse("--connect unix:///PATH takes an absolute path");
      return { place: { kind: "unix", path: decodeURIComponent(pathname) }, url: "http://localhost" };
    case "http:":
      if (LOOPBACK.includes(hostname)) return { place: { kind: "url" }, url: origin };
      throw misuse(`--connect ${url}: to another machine only with TLS, as https://`);
    case "https:":
      return {
        place: { kind: "url", ...(ca === undefined ? {} : { ca: await readFlagFile("--tls-ca", ca) }) },
        url: origin,
      };
    default:
      throw misuse(`--connect takes ${forms}, not '${url}'`);
  }
}

async function tokenOf({ url, tokenFile }: ConnectWords, at: ProcessContext): Promise<string> {
  const variable = process.env["CINCH_TOKEN"];
  delete process.env["CINCH_TOKEN"];
  if (tokenFile !== undefined) {
    const { readTokenFile } = await import("../../server/auth/tokens/token-file.ts");
    return (await readTokenFile(resolve(tokenFile))).token;
  }
  if (variable !== undefined && variable !== "") return variable;
  if (process.stdin.isTTY === true) return (await askSecret(`Token for ${url}: `, at.stop.signal)).trim();
  throw misuse("--connect needs a token: --auth-token-file PATH, or the variable CINCH_TOKEN");
}

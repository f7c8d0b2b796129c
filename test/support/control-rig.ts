import { connect } from "node:net";
import { join } from "node:path";
import { serveControl } from "../../src/app/serving/control-plane.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import type { HttpServer, HttpTarget } from "../../src/server/http/server.ts";
import type { Authority, ClaimsRequest } from "../../src/session/access/authority.ts";
import type { EnginePort } from "../../src/session/engine-port.ts";
import type { Rig, RigOptions } from "./rig.ts";
import { openRig } from "./rig.ts";
import { rigPort } from "./rig-port.ts";
import { temporaryDirectory } from "./world.ts";

export interface ControlRigOptions extends RigOptions {
  readonly origins?: readonly string[];
}

/** The real engine, tokens and listeners (a Unix socket, a port of this machine) around a scripted model. */
export interface ControlRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly authority: Authority;
  readonly server: HttpServer;
  readonly engine: EnginePort;
  readonly socket: string;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** A person's token that allows everything. */
  readonly token: string;
  mint(claims: Partial<ClaimsRequest>): string;
  /** A request over the port, with the token. */
  ask(path: string, init?: Asked): Promise<Response>;
  /** A request over the Unix socket, with the token. */
  askUnix(path: string, init?: Asked): Promise<Response>;
  /** Makes the handshake of the token's own client. */
  shake(token?: string): Promise<void>;
  /** Writes bytes to the port and gives what comes back, until the other side closes or `enough`. */
  raw(bytes: string | readonly string[], enough?: (got: string) => boolean): Promise<string>;
}

export interface Asked {
  readonly method?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

function foreign(name: string) {
  return { name, description: "", source: "user" } as const;
}

export async function openControlRig(options: ControlRigOptions): Promise<ControlRig> {
  const directory = temporaryDirectory();
  const rig = await openRig(options);
  const { world } = rig;
  const engine = rigPort(rig, {
    features: ["rest", "sse"],
    sources: {
      profiles: async () => [{ name: "test", source: "embedded" }],
      profile: async (name) => (name === "test" ? { name, source: "embedded" } : undefined),
      providers: async () => [{ name: "scripted", configured: true }],
      models: async () => [{ id: "scripted-1" }],
      // What a scope reaches has one of each, named after its session.
      tools: (of = []) =>
        (typeof of === "string" ? [] : of).map((name) => ({
          ...foreign(name),
          input_schema: {},
          level: "ReadOnly",
          mutating: false,
          lazy: false,
        })),
      skills: (of = []) => [of].flat().map((name) => ({ ...foreign(name), text: "" })),
      mcpServers: (of = []) => [of].flat().map((name) => ({ name, state: "running", tools: 1 })),
      slashCommands: (of = []) =>
        [of].flat().map((name) => ({ name, usage: `/${name}`, help: "", command: "CustomCommand" })),
    },
  });
  const authority = await openAuthority({
    world,
    stateDirectory: join(directory.path, "state"),
    channels: () => [],
  });
  const socket = join(directory.path, "control.sock");
  const targets: readonly HttpTarget[] = [
    { kind: "unix", path: socket },
    { kind: "loopback", hostname: "127.0.0.1", port: 0 },
  ];
  const { origins } = options;
  const server = await serveControl({
    world,
    engine,
    authority,
    targets,
    minimal: () => rig.session.id,
    ...(origins === undefined ? {} : { origins }),
  });
  const url = server.addresses[1] ?? "";
  const port = Number(new URL(url).port);
  const mint = (claims: Partial<ClaimsRequest>) =>
    authority.mint({ identityClass: "human", ...claims }, "engine");
  const token = mint({ canMint: true });

  async function ask(base: string, path: string, asked: Asked, unix?: string): Promise<Response> {
    const { method, json, headers = {}, body, signal } = asked;
    const sent = json === undefined ? body : JSON.stringify(json);
    const given = asked.token === undefined ? token : asked.token;
    const sentHeaders: Record<string, string> = { ...headers };
    if (json !== undefined) sentHeaders["content-type"] ??= "application/json";
    if (given !== null) sentHeaders["x-harness-token"] ??= given;
    const request: BunFetchRequestInit = {
      method: method ?? (sent === undefined ? "GET" : "POST"),
      ...(sent === undefined ? {} : { body: sent }),
      headers: sentHeaders,
      ...(signal === undefined ? {} : { signal }),
      ...(unix === undefined ? {} : { unix }),
    };
    return await fetch(`${base}${path}`, request);
  }

  return {
    rig,
    authority,
    server,
    engine,
    socket,
    url,
    port,
    token,
    mint,
    ask: (path, init = {}) => ask(url, path, init),
    askUnix: (path, init = {}) => ask("http://localhost", path, init, socket),
    async shake(by = token) {
      const answer = await ask(url, "/v1/handshake", { token: by });
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.text();
    },
    raw: (bytes, enough) => rawExchange(port, bytes, enough),
    async [Symbol.asyncDispose]() {
      try {
        server.quiesce();
        await rig[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      } finally {
        await authority[Symbol.asyncDispose]();
        await directory[Symbol.asyncDispose]();
      }
    },
  };
}

/** Bytes as they are, to a port of this machine; several texts are sent one after the other. */
export async function rawExchange(
  port: number,
  bytes: string | readonly string[],
  enough: (got: string) => boolean = () => false,
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk.toString("latin1");
    if (enough(got)) resolve();
  });
  socket.on("close", () => resolve());
  socket.on("error", (error) => (got === "" ? reject(error) : resolve()));
  for (const each of typeof bytes === "string" ? [bytes] : bytes) socket.write(each, "latin1");
  await promise;
  socket.destroy();
  return got;
}

/** Returns status and reason of a refusal. */
export async function refusalOf(answer: Response): Promise<readonly [number, string]> {
  const body = (await answer.json()) as { readonly reason?: string };
  return [answer.status, body.reason ?? ""];
}

/** Reads an event stream piece by piece. */
export class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  text = "";
  isOver = false;

  constructor(answer: Response) {
    if (answer.body === null) throw new Error("there is no body");
    this.#reader = answer.body.getReader();
  }

  /** Reads on until something is there, or the end. */
  async until(holds: (text: string) => boolean): Promise<string> {
    while (!holds(this.text) && !this.isOver) {
      const { done, value } = await this.#reader.read();
      if (done) this.isOver = true;
      else this.text += this.#decoder.decode(value, { stream: true });
    }
    return this.text;
  }

  /** Every event so far, as the envelopes that the frames bear. */
  events(): readonly Envelope[] {
    return framesOf(this.text).flatMap(({ data }) =>
      data === undefined ? [] : [JSON.parse(data) as Envelope],
    );
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** The whole frames of a text, as the format has them; comments are left out. */
export function framesOf(text: string): readonly Frame[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((frame) => {
      const lines = frame.split("\n").filter((line) => !line.startsWith(":"));
      return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2))) as Frame;
    })
    .filter((frame) => Object.keys(frame).length > 0);
}

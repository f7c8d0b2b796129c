import type { Duplex } from "node:stream";
import type { DesktopContext } from "../../session/options.ts";
import type { DbusReply, MethodCall } from "./dbus-wire.ts";
import { DBUS_MESSAGE_BYTES_MAX, decodeReply, encodeCall, messageLength } from "./dbus-wire.ts";

type ConnectPath = DesktopContext["connect"];

export interface SessionBusOptions {
  readonly connect: ConnectPath;
  /** Value of `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address: string;
  readonly uid: number;
}

/** A connection to the session bus. Closing it withdraws no notice. */
export interface SessionBus extends Disposable {
  /** @throws Error if the bus refuses, closes, or sends an invalid message; the signal's reason. */
  call(call: Omit<MethodCall, "serial">, signal: AbortSignal): Promise<DbusReply>;
}

const LINE_BYTES_MAX = 1_024;
const BUS = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
} as const;

/**
 * Connects to the bus of the user's session, as the user that runs cinch.
 * @throws Error if there is none, or it refuses the connection; the signal's reason.
 */
export async function openSessionBus(
  { connect, address, uid }: SessionBusOptions,
  signal: AbortSignal,
): Promise<SessionBus> {
  const stream = await connectFirst(busPaths(address), connect, signal);
  const bus = new OpenBus(stream);
  try {
    await bus.authenticate(uid, signal);
    await bus.call({ ...BUS, member: "Hello" }, signal);
    return bus;
  } catch (thrown) {
    bus[Symbol.dispose]();
    throw thrown;
  }
}

/** Returns the Unix sockets in a D-Bus address, in its order; skips other transports. */
export function busPaths(address: string): readonly string[] {
  return address.split(";").flatMap((one) => {
    const [, list = ""] = /^unix:(.*)$/.exec(one.trim()) ?? [];
    const values = new Map(
      list.split(",").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at), unescaped(pair.slice(at + 1))] as const;
      }),
    );
    const [path, abstract] = [values.get("path"), values.get("abstract")];
    if (path?.startsWith("/") === true) return [path];
    return abstract === undefined || abstract === "" ? [] : [`\0${abstract}`];
  });
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a percent sign that escapes nothing
  }
}

async function connectFirst(paths: readonly string[], connect: ConnectPath, signal: AbortSignal) {
  let failure: unknown = new Error("the address of the session's bus names no Unix socket");
  for (const path of paths) {
    try {
      return await connect(path, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      failure = thrown;
    }
  }
  throw failure;
}

class OpenBus implements SessionBus {
  readonly #stream: Duplex;
  #serial = 0;
  #got: Uint8Array = new Uint8Array();
  #ended: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on("data", (chunk: Uint8Array) => {
      this.#got = Buffer.concat([this.#got, chunk]);
      // Reads on only while a caller waits for more: unrequested data is limited.
      if (this.#got.length > DBUS_MESSAGE_BYTES_MAX) stream.pause();
      this.#wake();
    });
    const ended = (error?: Error) => {
      this.#ended ??= error ?? new Error("the session's bus has closed the connection");
      this.#wake();
    };
    stream.on("error", ended).once("close", () => ended());
  }

  async authenticate(uid: number, signal: AbortSignal): Promise<void> {
    const name = Buffer.from(String(uid)).toString("hex");
    this.#stream.write(`\0AUTH EXTERNAL ${name}\r\n`);
    const answer = await this.#take(lineLength, signal);
    if (!Buffer.from(answer).toString("latin1").startsWith("OK "))
      throw new Error("the session's bus refuses us");
    this.#stream.write("BEGIN\r\n");
  }

  async call(call: Omit<MethodCall, "serial">, signal: AbortSignal): Promise<DbusReply> {
    this.#serial += 1;
    const serial = this.#serial;
    this.#stream.write(encodeCall({ ...call, serial }));
    while (true) {
      const reply = decodeReply(await this.#take(messageLength, signal));
      if (reply.answers !== serial) continue; // a signal, such as the new name of this connection
      if (reply.kind === "error") throw new Error(`${call.member}: ${reply.error ?? "refused"}`);
      return reply;
    }
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }

  /** Returns the next piece, whose length `lengthOf` returns once enough of it has arrived. */
  async #take(lengthOf: (bytes: Uint8Array) => number | undefined, signal: AbortSignal): Promise<Uint8Array> {
    const stop = () => this.#wake();
    signal.addEventListener("abort", stop);
    try {
      while (true) {
        signal.throwIfAborted();
        const length = lengthOf(this.#got);
        if (length !== undefined && this.#got.length >= length) {
          const piece = this.#got.subarray(0, length);
          this.#got = this.#got.subarray(length);
          return piece;
        }
        if (this.#ended !== undefined) throw this.#ended;
        this.#stream.resume();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

function lineLength(bytes: Uint8Array): number | undefined {
  const end = bytes.indexOf(0x0a);
  if (end >= 0) return end + 1;
  if (bytes.length > LINE_BYTES_MAX) throw new Error("a line without end");
  return undefined;
}

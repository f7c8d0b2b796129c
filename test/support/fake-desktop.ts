import type { Socket } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "./world.ts";

/** A notice as the desktop has got it. */
export interface ShownNotice {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly forMs: number;
}

export interface FakeDesktop extends AsyncDisposable {
  /** Value for `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address: string;
  readonly shown: readonly ShownNotice[];
  /** The ids of those that were taken back. */
  readonly closed: readonly number[];
  /** Calls that were not answered. */
  readonly asked: number;
  /** Identities of the connections. */
  readonly names: readonly string[];
  /** Resolves once so many notices were shown. */
  until(shown: number): Promise<void>;
  untilClosed(count: number): Promise<void>;
}

export interface FakeDesktopOptions {
  /** Handles a connection instead of showing notices. */
  readonly fault?:
    | "refuses"
    | "silent"
    | "deaf"
    | "floods"
    | "endless-line"
    | "garbage"
    | "huge"
    | "error"
    | "hangs-up"
    | "no-id"
    | "big-endian";
}

/** A session bus with a notification service in one, on a socket of its own: nothing of a real desktop is needed. */
export async function openFakeDesktop({ fault }: FakeDesktopOptions = {}): Promise<FakeDesktop> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "bus,1"); // a comma must be escaped in the address
  const shown: ShownNotice[] = [];
  const closed: number[] = [];
  const names: string[] = [];
  const waiting = new Set<() => void>();
  const isBig = fault === "big-endian";
  const sockets = new Set<Socket>();
  let asked = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let got = Buffer.alloc(0);
    let isIn = false;
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      while (!isIn) {
        const end = got.indexOf("\r\n");
        if (end < 0) return;
        const line = got.subarray(0, end).toString();
        got = got.subarray(end + 2);
        if (line === "BEGIN") isIn = true;
        else {
          names.push(line.replace("\0AUTH EXTERNAL ", ""));
          if (fault === "hangs-up") {
            socket.destroy();
            return;
          }
          if (fault === "endless-line") socket.write("x".repeat(LONG_CHARACTERS));
          else if (fault !== "silent")
            socket.write(fault === "refuses" ? "REJECTED EXTERNAL\r\n" : "OK 1234\r\n");
        }
      }
      while (got.length >= 16) {
        const fields = got.readUInt32LE(12);
        const begin = 16 + Math.ceil(fields / 8) * 8;
        const length = begin + got.readUInt32LE(4);
        if (got.length < length) return;
        const message = got.subarray(0, length);
        got = got.subarray(length);
        const serial = message.readUInt32LE(8);
        const header = message.subarray(16, begin).toString("latin1");
        const body = message.subarray(begin);
        if (fault === "floods") flood(socket, header.includes("Hello") ? serial : undefined);
        else if (fault === "deaf") asked += 1;
        else if (header.includes("Hello")) socket.write(reply(serial, { string: ":1.7", isBig }));
        else if (header.includes("CloseNotification")) {
          closed.push(body.readUInt32LE(0));
          socket.write(reply(serial, { isBig }));
        } else if (fault === "garbage") socket.write("this is no message at all, and long enough");
        else if (fault === "huge") socket.write(Buffer.from("6c0201010000007f0100000000000000", "hex"));
        else if (fault === "error")
          socket.write(reply(serial, { error: "org.freedesktop.DBus.Error.ServiceUnknown" }));
        else if (fault === "no-id") socket.write(reply(serial, { uint32: 0 }));
        else {
          const notice = readNotify(body, shown.length + 1);
          shown.push(notice);
          socket.write(reply(serial, { uint32: notice.id, isBig }));
        }
        for (const wake of waiting) wake();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const reached = async (what: () => boolean) => {
    while (!what()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
  return {
    get asked() {
      return asked;
    },
    address: `unix:path=/nowhere/at/all;tcp:host=x,port=1;unix:guid=1,path=${path.replace(",", "%2c")}`,
    shown,
    closed,
    names,
    until: (count) => reached(() => shown.length >= count),
    untilClosed: (count) => reached(() => closed.length >= count),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await directory[Symbol.asyncDispose]();
    },
  };
}

const LONG_CHARACTERS = 100_000;

/** Answers one call, if at all, and then sends what nobody has asked for, as fast as it is taken. */
function flood(socket: Socket, serial: number | undefined): void {
  if (serial !== undefined) {
    socket.write(reply(serial, { string: ":1.7" }));
    return;
  }
  const unasked = reply(77_777, { string: "x".repeat(1_000) });
  const more = () => {
    while (!socket.destroyed && socket.write(unasked));
  };
  socket.on("drain", more);
  more();
}

/** The arguments of Notify, read one after another as the specification lays them out. */
function readNotify(body: Buffer, id: number): ShownNotice {
  let at = 0;
  const align = (to: number) => {
    at = Math.ceil(at / to) * to;
  };
  const uint32 = () => {
    align(4);
    at += 4;
    return body.readUInt32LE(at - 4);
  };
  const string = () => {
    const length = uint32();
    at += length + 1;
    return body.subarray(at - length - 1, at - 1).toString();
  };
  const app = string();
  if (app !== "cinch") throw new Error(`the name of the program is ${app}`);
  uint32(); // it replaces none
  string(); // its icon
  const [title, text] = [string(), string()];
  if (uint32() !== 0) throw new Error("it has actions");
  const hints = uint32();
  align(8);
  at += hints;
  const forMs = uint32();
  if (at !== body.length) throw new Error(`${body.length - at} bytes too many`);
  return { id, title, text, forMs };
}

interface Answer {
  readonly uint32?: number;
  readonly string?: string;
  readonly error?: string;
  readonly isBig?: boolean;
}

function reply(serial: number, { uint32, string, error, isBig = false }: Answer): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (isBig) bytes.writeUInt32BE(value);
    else bytes.writeUInt32LE(value);
    return bytes;
  };
  const text = (value: string) => Buffer.concat([number(value.length), Buffer.from(`${value}\0`)]);
  const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
  const answers = Buffer.concat([Buffer.from([5, 1]), Buffer.from("u\0"), number(serial)]);
  const named =
    error === undefined
      ? []
      : [padded(answers).subarray(answers.length), Buffer.from([4, 1]), Buffer.from("s\0"), text(error)];
  // A signature among the fields, as a real bus sends one.
  const fields = Buffer.concat([
    answers,
    ...named,
    ...(named.length > 0 ? [] : [Buffer.from([8, 1]), Buffer.from("g\0\x01u\0")]),
  ]);
  const body = uint32 !== undefined ? number(uint32) : string !== undefined ? text(string) : Buffer.alloc(0);
  const head = Buffer.from([isBig ? 0x42 : 0x6c, error === undefined ? 2 : 3, 0, 1]);
  return Buffer.concat([head, number(body.length), number(99), number(fields.length), padded(fields), body]);
}

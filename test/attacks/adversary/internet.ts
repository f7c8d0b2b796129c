import { dlopen, ptr } from "bun:ffi";

/**
 * An internet of its own: every name resolves, every address of 93.0.0.0/8 answers, and whoever asks or calls is
 * written down. For a process in a network namespace of its own, with this machine's resolver pointed at 127.0.0.1.
 */
export interface Internet extends Disposable {
  /** Everything that anybody sent, by any way, as text: names that were asked for, requests, datagrams. */
  readonly heard: () => string;
  readonly names: readonly string[];
  readonly connections: () => number;
}

export const EVIL_ADDRESS = "93.10.0.1";
const PORTS = [22, 25, 80, 443, 3128, 8080, 9418];
const INTERFACE_UP = 0x8914;
const SET_ADDRESS = 0x8916;
const SET_NETMASK = 0x891c;

/** @param pages what a web server answers, by path; everything else is "hello". */
export async function openInternet(pages: ReadonlyMap<string, string>): Promise<Internet> {
  bringUp();
  const heard: string[] = [];
  const names: string[] = [];
  let connections = 0;
  const take = (bytes: Uint8Array) => {
    const text = Buffer.from(bytes).toString("latin1");
    heard.push(text);
    return text;
  };
  const listeners = PORTS.map((port) =>
    Bun.listen({
      hostname: "0.0.0.0",
      port,
      socket: {
        open() {
          connections += 1;
        },
        data(socket, bytes) {
          const text = take(bytes);
          if (text.length < "GET / HTTP/1.0".length) return; // the rest is still to come
          const [, path = "/"] = /^[A-Z]+ (\S+) HTTP/.exec(text) ?? [];
          const body = pages.get(path.replace(/^https?:\/\/[^/]+/, "")) ?? "hello\n";
          const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
          socket.end(head + body);
        },
      },
    }),
  );
  const resolver = await Bun.udpSocket({
    hostname: "0.0.0.0",
    port: 53,
    socket: {
      data(socket, bytes, port, address) {
        take(bytes);
        const answer = answerTo(bytes);
        if (answer === undefined) return;
        names.push(answer.name);
        socket.send(answer.bytes, port, address);
      },
    },
  });
  return {
    heard: () => [...heard, ...names].join("\n"),
    names,
    connections: () => connections,
    [Symbol.dispose]() {
      for (const listener of listeners) listener.stop(true);
      resolver.close();
    },
  };
}

/**
 * The loopback of a new namespace is down and knows 127.0.0.0/8; it gets another network, whose addresses are all
 * its own.
 */
function bringUp(): void {
  const libc = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
  }).symbols;
  const socket = libc.socket(2, 2, 0);
  const request = (name: string, fill: (bytes: Buffer) => void) => {
    const bytes = Buffer.alloc(40);
    bytes.write(name);
    fill(bytes);
    return bytes;
  };
  const address = (numbers: readonly number[]) => (bytes: Buffer) => {
    bytes.writeUInt16LE(2, 16);
    bytes.set(numbers, 20);
  };
  const steps = [
    [INTERFACE_UP, request("lo", (bytes) => void bytes.writeInt16LE(0x49, 16))],
    [SET_ADDRESS, request("lo:1", address([93, 0, 0, 1]))],
    [SET_NETMASK, request("lo:1", address([255, 0, 0, 0]))],
  ] as const;
  for (const [what, bytes] of steps) {
    if (libc.ioctl(socket, what, ptr(bytes)) !== 0) throw new Error("needs a network namespace of its own");
  }
}

/** One address for every name; no other kind of record. */
function answerTo(query: Buffer): { readonly name: string; readonly bytes: Buffer } | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"));
    at += length + 1;
    if (at + 5 > query.length) return undefined;
  }
  if (labels.length === 0) return undefined;
  const isAddress = query.readUInt16BE(at + 1) === 1;
  const bytes = Buffer.from(query.subarray(0, at + 5));
  bytes.writeUInt16BE(0x8180, 2);
  bytes.writeUInt16BE(isAddress ? 1 : 0, 6);
  bytes.fill(0, 8, 12);
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...EVIL_ADDRESS.split(".").map(Number)];
  return { name: labels.join("."), bytes: isAddress ? Buffer.concat([bytes, Buffer.from(record)]) : bytes };
}

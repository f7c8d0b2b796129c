import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { Readable } from "node:stream";
import type { Fetch } from "./http.ts";

/**
 * A `fetch` for `connect` that goes to a Unix socket, such as `control.sock` in cinch's data directory. For Node, Bun
 * and Deno; the address of the request counts for its path alone.
 */
export function unixSocket(socketPath: string): Fetch {
  const send = async (address: string, { method = "GET", headers, body: sent, signal }: RequestInit) => {
    const url = new URL(address);
    const data = sent instanceof Blob ? new Uint8Array(await sent.arrayBuffer()) : sent;
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(
        {
          socketPath,
          path: `${url.pathname}${url.search}`,
          method,
          headers: { host: "localhost", ...Object.fromEntries(new Headers(headers)) },
          ...(signal === undefined || signal === null ? {} : { signal }),
        },
        resolve,
      );
      asked.on("error", reject);
      asked.end(typeof data === "string" || data instanceof Uint8Array ? data : undefined);
    });
    message.on("error", () => undefined); // whoever reads the body is told
    const named = Object.entries(message.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    );
    const status = message.statusCode ?? 500;
    const hasBody = status !== 204 && status !== 304;
    if (!hasBody) message.resume();
    // Node's own type of a stream and the web's are the same thing under two names.
    const body = hasBody
      ? (Readable.toWeb(message) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>)
      : null;
    return new Response(body, { status, headers: named });
  };
  return Object.assign(send, { socketPath });
}

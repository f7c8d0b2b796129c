import { dirname } from "node:path";
import { decode } from "../base/text.ts";
import type { Fetch, FetchInit, Files } from "../base/world.ts";

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** What opens doors is left out even here: a dump is read by people, and shown to others. */
const CREDENTIAL_HEADERS = /^(?:authorization|proxy-authorization|x-api-key|api-key|cookie|set-cookie)$/i;

/**
 * A network that writes down everything that goes over it: one JSON object a line for a request, for its answer's
 * head, for each piece of its body, and for its end (LOG-01, `cinch debug --raw`).
 *
 * The file is of mode 0600 and holds the traffic unredacted but for the headers with credentials. A line is in the
 * file before the engine sees what it tells of.
 */
export function dumpingFetch(fetch: Fetch, files: Files, path: string): Fetch {
  let requests = 0;
  const ready = files.makeDirectory(dirname(path), DIRECTORY_MODE);

  async function dump(line: Readonly<Record<string, unknown>>): Promise<void> {
    await ready;
    await files.append(path, `${JSON.stringify(line)}\n`, FILE_MODE);
  }

  return async function dumped(url, init) {
    requests += 1;
    const request = requests;
    await dump({
      request,
      url,
      method: init.method ?? "GET",
      headers: safeHeaders(init.headers),
      body: bodyOf(init),
    });
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (thrown) {
      await dump({ request, failed: String(thrown) });
      throw thrown;
    }
    const { status, headers } = response;
    await dump({ request, status, headers: safeHeaders(Object.fromEntries(headers)) });
    if (response.body === null) return response;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          await dump({ request, chunk: decode(chunk) });
          controller.enqueue(chunk);
        },
        flush: () => dump({ request, end: true }),
      }),
    );
    return new Response(body, { status, headers, statusText: response.statusText });
  };
}

function safeHeaders(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      CREDENTIAL_HEADERS.test(name) ? "«left out»" : value,
    ]),
  );
}

function bodyOf({ body }: FetchInit): string | undefined {
  return body === undefined || typeof body === "string" ? body : decode(body);
}

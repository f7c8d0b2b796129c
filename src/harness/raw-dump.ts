import { dirname } from "node:path";
import { messageOf } from "../base/errors.ts";
import { decode } from "../base/text.ts";
import type { World } from "../base/world.ts";
import type { AuthorizedFetch } from "../provider/authorized-fetch.ts";

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/**
 * Writes down everything that goes to and comes from the providers: one JSON object a line for a request, for its
 * answer's head, for each piece of its body, and for its end (LOG-01, `cinch debug --raw`).
 *
 * The file is the user's alone (0600) and holds the conversation unredacted. It stands above the place where keys are
 * put in, so no provider's key is in it. A line is in the file before the engine sees what it tells of.
 */
export function rawDump(
  send: AuthorizedFetch,
  { world, path }: { readonly world: Pick<World, "clock" | "files">; readonly path: string },
): AuthorizedFetch {
  const ready = world.files.makeDirectory(dirname(path), DIRECTORY_MODE);
  let exchanges = 0;

  async function dump(entry: Readonly<Record<string, unknown>>): Promise<void> {
    await ready;
    const line = { ts: new Date(world.clock.now()).toISOString(), ...entry };
    await world.files.append(path, `${JSON.stringify(line)}\n`, FILE_MODE);
  }

  return async function dumped(request) {
    exchanges += 1;
    const exchange = exchanges;
    const { provider, url, method = "GET", headers = {}, body = "" } = request;
    const text = typeof body === "string" ? body : decode(body);
    await dump({ exchange, request: { provider, method, url, headers, body: text } });
    let response: Response;
    try {
      response = await send(request);
    } catch (thrown) {
      await dump({ exchange, failed: messageOf(thrown) });
      throw thrown;
    }
    const { status, headers: answered } = response;
    await dump({ exchange, status, headers: Object.fromEntries(answered) });
    if (response.body === null) return response;
    const decoder = new TextDecoder();
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          await dump({ exchange, chunk: decoder.decode(chunk, { stream: true }) });
          controller.enqueue(chunk);
        },
        flush: () => dump({ exchange, end: true }),
      }),
    );
    return new Response(watched, { status, headers: answered });
  };
}

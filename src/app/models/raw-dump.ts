import { dirname, join } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { decode } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { AuthorizedFetch } from "../../providers/authorized-fetch.ts";
import { subKey } from "../../session/store/seal.ts";
import { SealedFile } from "../../session/store/sealed-file.ts";
import { sealedFiles } from "../../session/store/sealed-files.ts";

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Days after which a dump is removed by the next cinch that starts. */
export const DUMP_DAYS_MAX = 7;
const DAY_MS = 86_400_000;
const DUMP_NAME = /^raw-.*\.sealed$/;
/** Bytes that are read of a dump at a time. */
const SHOWN_BYTES = 1_048_576;

export interface RawDump {
  readonly world: Pick<World, "clock" | "files" | "random">;
  readonly path: string;
  readonly logKey: () => Promise<Uint8Array>;
}

function dumpKey(logKey: Uint8Array): Uint8Array {
  return subKey(logKey, "cinch raw dump v1");
}

/**
 * Yields the content of a dump, piece by piece.
 * @throws UsageInvalid for a file that is none; SealBroken for one that was changed, or sealed under another key.
 */
export async function* readDump(
  { files }: Pick<World, "files">,
  path: string,
  logKey: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const sealed = await SealedFile.open(dumpKey(logKey), (at, length) => files.readRange(path, at, length));
  if (sealed === undefined)
    throw new HarnessError("UsageInvalid", { problem: `${path} is not a raw dump of cinch` });
  for (let at = 0; at < sealed.size; at += SHOWN_BYTES) yield await sealed.read(at, SHOWN_BYTES);
}

/** Removes dumps older than `DUMP_DAYS_MAX` days. One that cannot be removed is left for the next time. */
export async function removeOldDumps(
  { files, clock, log }: Pick<World, "files" | "clock" | "log">,
  directory: string,
): Promise<void> {
  try {
    if ((await files.lstat(directory))?.kind !== "directory") return;
    for (const { name } of await files.list(directory)) {
      const path = join(directory, name);
      const changedMs = DUMP_NAME.test(name) ? (await files.lstat(path))?.modifiedMs : undefined;
      if (changedMs !== undefined && clock.now() - changedMs > DUMP_DAYS_MAX * DAY_MS)
        await files.remove(path);
    }
  } catch (thrown) {
    log.for("debug").write("warn", "old raw dumps could not be removed", { what: messageOf(thrown) });
  }
}

/**
 * Records all traffic with the providers: one JSON object a line for a request, for its answer's head, for each piece
 * of its body, and for its end (LOG-01, `cinch debug --raw`).
 *
 * The file is the user's alone (0600) and holds the conversation unredacted, so it is sealed like the log, and removed
 * after `DUMP_DAYS_MAX`; `readDump` opens it. It stands above the place where keys are inserted, so no provider's key
 * is in it. A line is in the file before the engine sees the traffic that it records.
 */
export function rawDump(send: AuthorizedFetch, { world, path, logKey }: RawDump): AuthorizedFetch {
  const directory = dirname(path);
  const ready = (async () => {
    await world.files.makeDirectory(directory, DIRECTORY_MODE);
    const key = dumpKey(await logKey());
    return sealedFiles(world.files, { directories: [directory], key, random: world.random });
  })();
  ready.catch(() => undefined); // thrown where the first line is written
  let exchanges = 0;

  async function dump(entry: Readonly<Record<string, unknown>>): Promise<void> {
    const files = await ready;
    const line = { ts: new Date(world.clock.now()).toISOString(), ...entry };
    await files.append(path, `${JSON.stringify(line)}\n`, FILE_MODE);
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

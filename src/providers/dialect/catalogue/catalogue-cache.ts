import type { Cache } from "../../../base/cache-budget.ts";
import { messageOf } from "../../../base/errors.ts";
import { isObject, numberAt, parseJson, stringAt } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { FileTooLarge } from "../../../base/world.ts";
import type { Model } from "../../provider.ts";
import { parseCatalogue } from "./catalogue.ts";

export const CATALOGUE_BYTES_MAX = 16 * 1_048_576;
export const CATALOGUE_TTL_MS = 24 * 3_600_000;

export interface CatalogueSource {
  readonly world: Pick<World, "clock" | "files" | "log">;
  readonly provider: string;
  readonly url: string;
  readonly cache: Cache<CatalogueSnapshot>;
  /** Directory that keeps it across processes; absent: in memory only. */
  readonly directory?: string;
  fetch(signal: AbortSignal): Promise<string>;
}

/** A provider's catalogue, fetched on demand if older than a day (PROV-03). */
export interface Catalogue {
  /** Returns the last catalogue from memory or file, however old. Sends no request. */
  known(): Promise<readonly Model[]>;
  /** Returns the fresh catalogue, or an old one if the fetch fails. Throws the failure if there is none. */
  models(signal: AbortSignal): Promise<readonly Model[]>;
}

/** A catalogue and the time it was fetched. */
export interface CatalogueSnapshot {
  readonly atMs: number;
  readonly models: readonly Model[];
}

export function openCatalogue(source: CatalogueSource): Catalogue {
  const { cache, url } = source;
  const { clock, log } = source.world;

  async function newest(): Promise<CatalogueSnapshot | undefined> {
    const known = cache.get(url);
    if (known !== undefined) return known;
    const read = await readSnapshot(source);
    if (read !== undefined) cache.set(url, read);
    return read;
  }

  function isFresh({ atMs }: CatalogueSnapshot): boolean {
    const age = clock.now() - atMs;
    return age >= 0 && age < CATALOGUE_TTL_MS;
  }

  return {
    known: async () => (await newest())?.models ?? [],
    async models(signal) {
      const old = await newest();
      if (old !== undefined && isFresh(old)) return old.models;
      try {
        const text = await source.fetch(signal);
        const models = parseCatalogue(text);
        if (models === undefined) throw new Error("what it sent is not a list of models");
        const atMs = clock.now();
        cache.set(url, { atMs, models });
        await writeSnapshot(source, atMs, text);
        return models;
      } catch (thrown) {
        signal.throwIfAborted();
        if (old === undefined) throw thrown;
        log.write("warn", "the catalogue of models could not be fetched; an old one is used", {
          provider: source.provider,
          problem: messageOf(thrown),
        });
        return old.models;
      }
    },
  };
}

/** The file holds the original document, so that a newer reader finds fields that an older one ignored. */
async function readSnapshot(source: CatalogueSource): Promise<CatalogueSnapshot | undefined> {
  const path = fileOf(source);
  if (path === undefined) return undefined;
  const cached = parseJson(await readOrEmpty(source, path))?.value;
  const atMs = numberAt(cached, "atMs");
  const document = isObject(cached) ? cached["document"] : undefined;
  if (atMs === undefined || stringAt(cached, "url") !== source.url || document === undefined)
    return undefined;
  const models = parseCatalogue(JSON.stringify(document));
  return models === undefined ? undefined : { atMs, models };
}

async function readOrEmpty({ world }: CatalogueSource, path: string): Promise<string> {
  if ((await world.files.stat(path)) === undefined) return "";
  try {
    return decode(await world.files.read(path, CATALOGUE_BYTES_MAX + 1_024));
  } catch (thrown) {
    if (!(thrown instanceof FileTooLarge)) throw thrown;
    return "";
  }
}

async function writeSnapshot(source: CatalogueSource, atMs: number, text: string): Promise<void> {
  const path = fileOf(source);
  if (path === undefined || source.directory === undefined) return;
  const { files, log } = source.world;
  try {
    await files.makeDirectory(source.directory, 0o700);
    const record = `{"atMs":${atMs},"url":${JSON.stringify(source.url)},"document":${text}}\n`;
    await files.writeAtomic(path, record, 0o600);
  } catch (thrown) {
    // A cache that cannot be written costs a request next time, not this answer.
    log.write("warn", "the catalogue of models could not be kept", { path, problem: messageOf(thrown) });
  }
}

function fileOf({ directory, provider }: CatalogueSource): string | undefined {
  if (directory === undefined) return undefined;
  return `${directory}/models-${provider.replaceAll(/[^\w.-]/g, "_")}.json`;
}

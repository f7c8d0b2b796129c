import { deadline } from "../../base/async/deadline.ts";
import { parseJson, stringAt } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import { parseCatalogue } from "../dialect/catalogue/catalogue.ts";
import type { ProviderPort } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import { readUpTo } from "../http/http-error.ts";
import { OWN_SERVER_LIMITS } from "../http/stream-limits.ts";
import type { Provider } from "../provider.ts";
import type { LocalServer } from "../vendors.ts";
import { LOCAL_SERVERS } from "../vendors.ts";

/** All are asked at once, so this is what looking costs in all. */
const PROBE_MS_MAX = 300;
const PROBE_BYTES_MAX = 1_048_576;

export interface FoundServer extends LocalServer {
  /** Never empty. */
  readonly models: readonly string[];
}

/**
 * Model servers on this machine that answer at their usual addresses, in the order of the list (PROV-05).
 *
 * Asked only where nothing else is configured. What answers with anything but a list of models is some other
 * program that happens to listen there.
 */
export async function discoverLocal(
  world: Pick<World, "fetch" | "clock">,
  signal: AbortSignal,
  servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<readonly FoundServer[]> {
  using limit = deadline(world.clock, PROBE_MS_MAX, signal);
  const found = await Promise.all(servers.map((server) => probe(server, world, limit.signal)));
  signal.throwIfAborted();
  return found.filter((server) => server !== undefined);
}

async function probe(
  server: LocalServer,
  world: Pick<World, "fetch">,
  signal: AbortSignal,
): Promise<FoundServer | undefined> {
  try {
    const response = await world.fetch(`${server.baseUrl}/models`, { signal });
    const { text, whole } = await readUpTo(response, PROBE_BYTES_MAX);
    const isList = stringAt(parseJson(text)?.value, "object") === "list";
    if (response.status !== 200 || !whole || !isList) return undefined;
    const models = (parseCatalogue(text) ?? []).map(({ id }) => id).filter((id) => !/embed/i.test(id));
    return models.length === 0 ? undefined : { ...server, models };
  } catch {
    return undefined; // nobody there, or nobody who speaks HTTP in time: that is the answer
  }
}

/** A server on this machine by the name of its program, at its usual address. It wants no key. */
export function local(server: LocalServer, port: ProviderPort): Provider {
  const { name, baseUrl } = server;
  return dialectProvider(
    {
      name,
      family: name,
      dialect: openaiChat,
      baseUrl,
      credential: { kind: "none" },
      limits: OWN_SERVER_LIMITS,
    },
    port,
  );
}

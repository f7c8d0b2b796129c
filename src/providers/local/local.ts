import { deadline } from "../../base/async/deadline.ts";
import { parseJson, stringAt } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import { parseCatalogue } from "../dialect/catalogue/catalogue.ts";
import type { ProviderDependencies } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import { readUpTo } from "../http/http-error.ts";
import { OWN_SERVER_LIMITS } from "../http/stream-limits.ts";
import type { Provider } from "../provider.ts";
import type { LocalServer } from "../vendors.ts";
import { LOCAL_SERVERS } from "../vendors.ts";

/** All servers are probed at once, so this is the total cost. */
const PROBE_MS_MAX = 300;
const PROBE_BYTES_MAX = 1_048_576;

/** A model server that answered, with its models. */
export interface FoundServer extends LocalServer {
  /** Never empty. */
  readonly models: readonly string[];
}

/**
 * Finds model servers on this machine at their usual addresses, in the order of the list (PROV-05).
 *
 * Called only if nothing else is configured. A server that answers with anything but a list of models is
 * another program.
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
    return undefined; // No server, or none that speaks HTTP in time.
  }
}

/** Returns the provider of a server on this machine, at its usual address. It needs no key. */
export function localProvider(server: LocalServer, dependencies: ProviderDependencies): Provider {
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
    dependencies,
  );
}

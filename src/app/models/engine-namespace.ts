import { HarnessError } from "../../base/errors.ts";
import { arrayAt } from "../../base/json.ts";
import type { PriceOf } from "../../features/limits/meter.ts";
import { listedCommand, SLASH_COMMANDS } from "../../protocol/commands/slash-commands.ts";
import type { Price } from "../../providers/provider.ts";
import type { NamespaceOwner } from "../../session/keeping.ts";
import type { OfferedBySessions } from "../../session/session-offers.ts";
import type { HealthSources } from "../doctor/health.ts";
import { healthText } from "../doctor/health.ts";

const VERBS = ["commands", "health", "mcp", "prices", "web"] as const;
/** Models whose prices are told in one answer. */
const PRICES_MAX = 100;
const NO_WEB =
  "This engine serves no web client: this version has none. cinch serve --listen lets other programs attach.";

export interface EngineNamespaceSources extends HealthSources {
  readonly offered: OfferedBySessions;
  readonly priceOf: PriceOf;
  /** Where the web client of this engine is; undefined where none is served. */
  readonly webAddress?: string;
}

/**
 * The custom commands `engine:…`, so that every client can ask for what is elsewhere an address of REST: `commands` (the
 * slash commands of a session, `{slash_commands}`, with `alias_problems` where an alias file is wrong), `mcp` (its servers, `{mcp_servers}`), `prices` (of the models that
 * `args` names as provider:name, `{prices}`), `health` and `web` (`{text}` for people).
 */
export function engineNamespace(sources: EngineNamespaceSources): NamespaceOwner {
  return async ({ sessionId, verb, payload }) => {
    switch (VERBS.find((known) => known === verb)) {
      case "commands": {
        const own = await sources.offered.slashCommands(sessionId);
        const problems = await sources.offered.aliasProblems(sessionId);
        return {
          result: {
            slash_commands: [...SLASH_COMMANDS, ...own].map(listedCommand),
            ...(problems.length === 0 ? {} : { alias_problems: problems }),
          },
        };
      }
      case "health":
        return { result: { text: await healthText(sources) } };
      case "mcp":
        return { result: { mcp_servers: sources.offered.mcpServers(sessionId) } };
      case "prices": {
        const named = arrayAt(payload, "args").filter((name) => typeof name === "string");
        return { result: { prices: Object.fromEntries(named.slice(0, PRICES_MAX).map(priceRow)) } };
      }
      case "web":
        return { result: { text: sources.webAddress ?? NO_WEB } };
      default: {
        const why = `there are: ${VERBS.join(", ")}`;
        throw new HarnessError("InvalidCommand", { kind: `/engine:${verb.slice(0, 80)}`, why });
      }
    }
  };

  /** US dollars for a million tokens; null where nobody knows them. */
  function priceRow(name: string): readonly [string, unknown] {
    const colon = name.indexOf(":");
    const price = sources.priceOf(name.slice(0, colon), name.slice(colon + 1));
    if (price === undefined) return [name, null];
    const { longInput: long } = price;
    const above = long === undefined ? {} : { long: { above_tokens: long.aboveTokens, ...ratesOf(long) } };
    return [name, { ...ratesOf(price), ...above }];
  }
}

function ratesOf({ input, output, cacheRead, cacheWrite }: Omit<Price, "longInput">) {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }),
  };
}

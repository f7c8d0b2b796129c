import { version } from "../../package.json";
import type { CallId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { Config } from "../profile/config.ts";
import { ENVIRONMENT } from "../profile/telemetry.ts";
import type { Exporter } from "../telemetry/exporter.ts";
import type { HarnessOptions } from "./options.ts";
import type { SessionPart } from "./session-part.ts";

const DEFAULT_ENDPOINT = "http://127.0.0.1:4318";

/** Where an engine tells OpenTelemetry of what happens in it. Nothing of it is loaded where that is off. */
export interface EngineTelemetry extends AsyncDisposable {
  readonly open: () => Promise<Exporter | undefined>;
}

export function engineTelemetry(
  { world, environment }: Pick<HarnessOptions, "world" | "environment">,
  { telemetry }: Pick<Config, "telemetry">,
): EngineTelemetry {
  let opening: Promise<Exporter> | undefined;
  async function load(otlp: string): Promise<Exporter> {
    const { Exporter } = await import("../telemetry/exporter.ts");
    const named = environment["OTEL_EXPORTER_OTLP_ENDPOINT"];
    const endpoint = otlp === ENVIRONMENT ? (named ?? DEFAULT_ENDPOINT) : otlp;
    const resource = {
      "service.name": "cinch",
      "service.version": version,
      "process.pid": world.machine.pid,
    };
    return new Exporter({ world, endpoint: endpoint.replace(/\/+$/, ""), resource, version });
  }
  return {
    async open() {
      if (telemetry === undefined) return undefined;
      opening ??= load(telemetry.otlp);
      return await opening;
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

export interface TelemetrySources {
  readonly session: string;
  readonly logId: string;
  readonly profile: { readonly name: string };
  readonly defaults: {
    readonly world: World;
    readonly config: Pick<Config, "telemetry">;
    readonly telemetry: Pick<EngineTelemetry, "open">;
    readonly delegatedBy?: { readonly callId: CallId };
  };
}

/** What tells OpenTelemetry of one session; undefined where that is off. */
export async function telling(
  { session, logId, profile, defaults }: TelemetrySources,
  clean: (text: string) => string,
): Promise<SessionPart | undefined> {
  const exporter = await defaults.telemetry.open();
  if (exporter === undefined) return undefined;
  const { SessionTelemetry } = await import("../telemetry/session-telemetry.ts");
  const below = defaults.delegatedBy?.callId;
  const told = new SessionTelemetry({
    world: defaults.world,
    exporter,
    session: { id: session, log: logId, profile: profile.name },
    ...(below === undefined ? {} : { below }),
    content: defaults.config.telemetry?.content === true ? clean : undefined,
  });
  return {
    telemetry: [told.tool],
    attempt: [told.attempt],
    onTurnEnd: async (reason, { turn }) => told.turnEnded(turn, reason),
    close: async () => told.end(),
  };
}

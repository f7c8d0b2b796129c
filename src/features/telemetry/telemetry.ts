import { version } from "../../../package.json";
import type { Providers } from "../../app/models/providers.ts";
import type { CallId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Config } from "../../config/config.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { HarnessOptions } from "../../session/plan/options.ts";
import type { SessionPart } from "../../session/session-part.ts";
import type { TelemetryKeys } from "./config.ts";
import { collectorProblem, ENVIRONMENT, telemetrySection } from "./config.ts";
import type { Exporter } from "./exporter.ts";
import type { OtelSettings } from "./otel-environment.ts";
import { otelSettings } from "./otel-environment.ts";
import type { SpanPlace } from "./otlp.ts";

const VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** Where an engine tells OpenTelemetry of what happens in it. Nothing of it is loaded where that is off. */
export interface EngineTelemetry extends AsyncDisposable {
  readonly open: () => Promise<Exporter | undefined>;
  /** The span of the program that started this one. */
  readonly above?: SpanPlace;
  /** Sentences for the person: why nothing is sent though config.toml asks for it, and variables that are not understood. */
  readonly problems: () => Promise<readonly string[]>;
}

export function engineTelemetry(
  { world, environment }: Pick<HarnessOptions, "world" | "environment">,
  { sections }: Pick<Config, "sections">,
): EngineTelemetry {
  const telemetry = saidOf(sections, telemetrySection);
  let opening: Promise<Exporter> | undefined;
  const collector = telemetry === undefined ? {} : collectorOf(telemetry, environment);
  async function load(settings: OtelSettings): Promise<Exporter> {
    const { Exporter } = await import("./exporter.ts");
    const { traces, metrics } = settings;
    const to = { ...(traces === undefined ? {} : { traces }), ...(metrics === undefined ? {} : { metrics }) };
    const resource = {
      "service.name": "cinch",
      "service.version": version,
      "process.pid": world.machine.pid,
      ...settings.resource,
    };
    return new Exporter({ world, to, resource, version });
  }
  return {
    async problems() {
      if (telemetry === undefined) return [];
      const { otelProblems } = await import("./otel-problems.ts");
      const found = otelProblems(environment, { usesEndpoints: telemetry.otlp === ENVIRONMENT });
      return collector.problem === undefined ? found : [collector.problem, ...found];
    },
    async open() {
      const { settings } = collector;
      if (settings?.traces === undefined && settings?.metrics === undefined) return undefined;
      opening ??= load(settings);
      return await opening;
    },
    ...(collector.settings?.parent === undefined ? {} : { above: collector.settings.parent }),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

interface Collector {
  readonly settings?: OtelSettings;
  readonly problem?: string;
}

/** The variables are the machine's to set: one that is missing or empty ends no start, and is reported. */
function collectorOf({ otlp }: TelemetryKeys, environment: HarnessOptions["environment"]): Collector {
  if (otlp !== ENVIRONMENT) return { settings: otelSettings(environment, otlp) };
  const settings = otelSettings(environment, undefined);
  const named = environment[VARIABLE] ?? "";
  const isOff = environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true";
  if (isOff || (named === "" && (settings.traces ?? settings.metrics) !== undefined)) return { settings };
  const why = named === "" ? "is not set" : collectorProblem(named);
  if (why === undefined) return { settings };
  return { problem: `Telemetry is off: config.toml says otlp = "${ENVIRONMENT}", and ${VARIABLE} ${why}.` };
}

export interface TelemetrySources {
  readonly session: string;
  readonly logId: string;
  readonly profile: { readonly name: string };
  readonly defaults: {
    readonly world: World;
    readonly config: Pick<Config, "sections">;
    readonly telemetry: Pick<EngineTelemetry, "open" | "problems" | "above">;
    readonly providers: Pick<Providers, "priceOf">;
    readonly delegatedBy?: { readonly callId: CallId };
  };
}

/** What tells OpenTelemetry of one session; undefined where that is off. */
export async function telling(
  { session, logId, profile, defaults }: TelemetrySources,
  clean: (text: string) => string,
): Promise<SessionPart | undefined> {
  const exporter = await defaults.telemetry.open();
  const below = defaults.delegatedBy?.callId;
  const notices = below === undefined ? await defaults.telemetry.problems() : [];
  if (exporter === undefined) return notices.length === 0 ? undefined : { notices };
  const { SessionTelemetry } = await import("./session-telemetry.ts");
  const { costOf } = await import("../../providers/choosing/cost.ts");
  const told = new SessionTelemetry({
    world: defaults.world,
    exporter,
    session: { id: session, log: logId, profile: profile.name },
    ...(below === undefined ? {} : { below }),
    above: defaults.telemetry.above,
    costOf: (usage, provider, model) => costOf(usage, defaults.providers.priceOf(provider, model)),
    content: settingsOf(telemetrySection, { config: defaults.config }).content ? clean : undefined,
  });
  return {
    notices,
    telemetry: [told.tool],
    attempt: [told.attempt],
    onTurnEnd: async (reason, { turn }) => told.turnEnded(turn, reason),
    close: async () => told.end(),
  };
}

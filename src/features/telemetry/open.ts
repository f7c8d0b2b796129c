import { version } from "../../../package.json";
import { defined } from "../../base/defined.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { EngineFeature, OpenFeature } from "../../session/feature.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { TelemetryKeys } from "./config.ts";
import { collectorProblem, OTLP_FROM_ENVIRONMENT, telemetrySection } from "./config.ts";
import type { Exporter } from "./exporter.ts";
import type { OtelSettings } from "./otel-environment.ts";
import { otelSettings } from "./otel-environment.ts";
import type { SpanContext } from "./otlp.ts";

const VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** Telemetry of an engine. Nothing of it is loaded while it is off. */
export interface EngineTelemetry extends EngineFeature {
  readonly open: () => Promise<Exporter | undefined>;
  /** Span of the program that started this one. */
  readonly parentSpan?: SpanContext;
  /**
   * Returns sentences for the user: why nothing is sent though config.toml enables it, and variables that are
   * not understood.
   */
  readonly problems: () => Promise<readonly string[]>;
}

export function openEngineTelemetry({ world, environment, config }: EngineHost): EngineTelemetry {
  const telemetry = saidOf(config.sections, telemetrySection);
  let opening: Promise<Exporter> | undefined;
  const collector = telemetry === undefined ? {} : collectorOf(telemetry, environment);
  async function load(settings: OtelSettings): Promise<Exporter> {
    const { Exporter } = await import("./exporter.ts");
    const { traces, metrics } = settings;
    const to = defined({ traces, metrics });
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
      const found = otelProblems(environment, { usesEndpoints: telemetry.otlp === OTLP_FROM_ENVIRONMENT });
      return collector.problem === undefined ? found : [collector.problem, ...found];
    },
    async open() {
      const { settings } = collector;
      if (settings?.traces === undefined && settings?.metrics === undefined) return undefined;
      opening ??= load(settings);
      return await opening;
    },
    ...(collector.settings?.parent === undefined ? {} : { parentSpan: collector.settings.parent }),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

interface Collector {
  readonly settings?: OtelSettings;
  readonly problem?: string;
}

/** The machine sets the variables: a missing or empty one does not prevent a start, and is reported. */
function collectorOf({ otlp }: TelemetryKeys, environment: EngineHost["environment"]): Collector {
  if (otlp !== OTLP_FROM_ENVIRONMENT) return { settings: otelSettings(environment, otlp) };
  const settings = otelSettings(environment, undefined);
  const named = environment[VARIABLE] ?? "";
  const isOff = environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true";
  if (isOff || (named === "" && (settings.traces ?? settings.metrics) !== undefined)) return { settings };
  const why = named === "" ? "is not set" : collectorProblem(named);
  if (why === undefined) return { settings };
  return {
    problem: `Telemetry is off: config.toml says otlp = "${OTLP_FROM_ENVIRONMENT}", and ${VARIABLE} ${why}.`,
  };
}

/** Opens the telemetry of one session; undefined if it is off. */
export async function openTelemetry(
  host: SessionHost,
  engine: EngineTelemetry,
): Promise<OpenFeature | undefined> {
  const { profile, wishes } = host.plan();
  const exporter = await engine.open();
  const parentCall = wishes.delegatedBy?.callId;
  const problems = parentCall === undefined ? await engine.problems() : [];
  const notices = () => problems;
  if (exporter === undefined) return problems.length === 0 ? undefined : { notices };
  const { SessionTelemetry } = await import("./session-telemetry.ts");
  const { costOf } = await import("../../providers/choosing/cost.ts");
  const session = new SessionTelemetry({
    world: host.world,
    exporter,
    session: { id: host.session, log: host.logId, profile: profile.name },
    ...defined({ parentCall }),
    parentSpan: engine.parentSpan,
    costOf: (usage, provider, model) => costOf(usage, host.models.priceOf(provider, model)),
    content: settingsOf(telemetrySection, host.plan()).content
      ? (text) => host.redactor.text(text)
      : undefined,
  });
  return {
    notices,
    around: [
      { tool: "watch", run: session.tool },
      { request: "attempt", run: session.attempt },
    ],
    onTurnEnd: async (reason, { turn }) => session.turnEnded(turn, reason),
    [Symbol.asyncDispose]: async () => session.end(),
  };
}

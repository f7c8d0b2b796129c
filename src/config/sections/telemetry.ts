import type { Table } from "../table.ts";

/** `[telemetry]` of config.toml: where spans and counts of every session are sent (OBS-01). */
export interface TelemetryKeys {
  /** The address of a collector, or "environment": where OTEL_EXPORTER_OTLP_ENDPOINT says. */
  readonly otlp: string;
  /** Whether what is said in a session goes along. */
  readonly content: boolean;
}

/** Whether what is said goes along, where no file says anything. */
export const TELEMETRY_CONTENT = false;

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function telemetryFrom(parent: Table): { readonly telemetry?: TelemetryKeys } {
  const table = parent.table("telemetry");
  if (table === undefined) return {};
  const otlp = table.string("otlp");
  const content = table.boolean("content") ?? TELEMETRY_CONTENT;
  table.refuseUnknown();
  if (otlp === undefined)
    throw table.problem("otlp", 'is missing: the address of a collector, or "environment"');
  const problem = otlp === ENVIRONMENT ? undefined : collectorProblem(otlp);
  if (problem !== undefined)
    throw table.problem("otlp", `"${otlp}" ${problem}; it may be "${ENVIRONMENT}", too`);
  return { telemetry: { otlp: otlp.replace(/\/+$/, ""), content } };
}

/** Why a text is not the address of a collector, as what follows it in a sentence; undefined where it is one. */
export function collectorProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!/^https?:$/.test(url?.protocol ?? "")) return "is no http or https URL";
  const [, signal] = /\/v1\/(traces|metrics|logs)\/*$/.exec(url?.pathname ?? "") ?? [];
  if (signal !== undefined) return `is where ${signal} go: leave /v1/${signal} out, which is added to it`;
  if (url?.search !== "" || url.hash !== "") return "has more behind its path, where /v1/traces is to stand";
  return undefined;
}

export const ENVIRONMENT = "environment";

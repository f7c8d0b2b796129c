import type { Table } from "./table.ts";

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
  if (otlp !== ENVIRONMENT && !/^https?:$/.test(URL.parse(otlp)?.protocol ?? ""))
    throw table.problem("otlp", `"${otlp}" is neither an http or https URL nor "environment"`);
  return { telemetry: { otlp: otlp.replace(/\/+$/, ""), content } };
}

export const ENVIRONMENT = "environment";

import type { ConfigOf, TableSection } from "../../session/config-section.ts";

/** Value of `otlp` that leaves the address to the OpenTelemetry variables. */
export const OTLP_FROM_ENVIRONMENT = "environment";

/** `[telemetry]`: the collector for spans and counts of every session (OBS-01). */
export const telemetrySection = {
  shape: "table",
  name: "telemetry",
  in: "config",
  about:
    "Spans and counts for OpenTelemetry: [telemetry.md](../telemetry.md). An engine reads the address once, when it starts.",
  keys: {
    otlp: {
      kind: "text",
      key: "otlp",
      fixedAtStart: true,
      meaning: `The address of a collector, or "${OTLP_FROM_ENVIRONMENT}" for the one in \`OTEL_EXPORTER_OTLP_ENDPOINT\`.`,
      required: `is missing: the address of a collector, or "${OTLP_FROM_ENVIRONMENT}"`,
      otherwise: "nothing is sent",
      example: "http://127.0.0.1:4318",
      check(otlp: string) {
        const problem = otlp === OTLP_FROM_ENVIRONMENT ? undefined : collectorProblem(otlp);
        return problem === undefined
          ? undefined
          : `"${otlp}" ${problem}; it may be "${OTLP_FROM_ENVIRONMENT}", too`;
      },
      as: (otlp: string) => otlp.replace(/\/+$/, ""),
    },
    content: {
      kind: "boolean",
      key: "content",
      meaning: "Also sends what is said in a session, with secrets redacted.",
      default: false,
      example: true,
    },
  },
} as const satisfies TableSection;

export type TelemetryKeys = ConfigOf<typeof telemetrySection>;

/** Returns why a text is not the address of a collector, as the end of a sentence; undefined for an address. */
export function collectorProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!/^https?:$/.test(url?.protocol ?? "")) return "is not an http or https URL";
  const [, signal] = /\/v1\/(traces|metrics|logs)\/*$/.exec(url?.pathname ?? "") ?? [];
  if (signal !== undefined) return `is where ${signal} go: leave /v1/${signal} out, which is added to it`;
  if (url?.search !== "" || url.hash !== "") return "has more behind its path, where /v1/traces is to stand";
  return undefined;
}

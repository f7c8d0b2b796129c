import { runScenarios } from "../../../src/conformance/run-scenarios.ts";
import type { Scenario } from "../../../src/conformance/scenario.ts";
import { SCENARIOS } from "../../../src/conformance/scenarios/all.ts";
import { CLIENT_SCENARIOS } from "../../../src/conformance/scenarios/clients.ts";
import { COMMAND_SCENARIOS } from "../../../src/conformance/scenarios/commands.ts";
import { FRAME_SCENARIOS } from "../../../src/conformance/scenarios/frames.ts";
import { HANDSHAKE_SCENARIOS } from "../../../src/conformance/scenarios/handshake.ts";
import { HTTP_SCENARIOS } from "../../../src/conformance/scenarios/http.ts";
import { MCP_SCENARIOS } from "../../../src/conformance/scenarios/mcp.ts";
import { PERMISSION_SCENARIOS } from "../../../src/conformance/scenarios/permission.ts";
import { ALIKE_SCENARIOS } from "../../../src/conformance/scenarios/queries/alike.ts";
import { COMPLETION_SCENARIOS } from "../../../src/conformance/scenarios/queries/completion.ts";
import { REST_SCENARIOS } from "../../../src/conformance/scenarios/rest.ts";
import { ASKED_SCENARIOS } from "../../../src/conformance/scenarios/sessions/asked.ts";
import { ATTACHED_SCENARIOS } from "../../../src/conformance/scenarios/sessions/attached.ts";
import { CHANGED_SCENARIOS } from "../../../src/conformance/scenarios/sessions/changed.ts";
import { KEPT_SCENARIOS } from "../../../src/conformance/scenarios/sessions/kept.ts";
import { LISTED_SCENARIOS } from "../../../src/conformance/scenarios/sessions/listed.ts";
import { STREAM_SCENARIOS } from "../../../src/conformance/scenarios/streams.ts";
import { TOKEN_SCENARIOS } from "../../../src/conformance/scenarios/tokens.ts";
import { TURN_SCENARIOS } from "../../../src/conformance/scenarios/turns.ts";
import type { TransportName } from "../../../src/conformance/transports/transport.ts";
import { openMemoryServer } from "../server.ts";
import { BROKEN_ENGINES } from "./engines.ts";
import type { Broken } from "./faults.ts";
import { BROKEN_SESSIONS } from "./sessions.ts";
import { BROKEN_AUTHORITIES, BROKEN_HTTP, BROKEN_MCP, BROKEN_SOCKETS } from "./wires.ts";

/** Every broken server. */
export const BROKEN: readonly Broken[] = [
  ...BROKEN_ENGINES,
  ...BROKEN_SESSIONS,
  ...BROKEN_AUTHORITIES,
  ...BROKEN_HTTP,
  ...BROKEN_SOCKETS,
  ...BROKEN_MCP,
];

const { signal } = new AbortController();
/**
 * Silence that counts as a failure of the scenario which has to fail; the others wait as long as a busy machine needs.
 */
const MEANT_SILENCE_MS_MAX = 3_000;
/** Returns true for a scenario that rests on what others are about: lists, streams, or whole connections. */
function isApart(id: string): boolean {
  return id.startsWith("news-");
}

/** Returns true for a scenario that rests on those that are apart. */
function isFarApart(id: string): boolean {
  return id === "news-reader";
}

const GROUPS = [
  HANDSHAKE_SCENARIOS,
  TURN_SCENARIOS,
  PERMISSION_SCENARIOS,
  CLIENT_SCENARIOS,
  COMMAND_SCENARIOS,
  TOKEN_SCENARIOS,
  [...HTTP_SCENARIOS, ...REST_SCENARIOS, ...STREAM_SCENARIOS].filter(({ id }) => !isApart(id)),
  STREAM_SCENARIOS.filter(({ id }) => isApart(id) && !isFarApart(id)),
  STREAM_SCENARIOS.filter(({ id }) => isFarApart(id)),
  ATTACHED_SCENARIOS,
  [...LISTED_SCENARIOS, ...KEPT_SCENARIOS],
  CHANGED_SCENARIOS,
  ASKED_SCENARIOS,
  FRAME_SCENARIOS,
  [...ALIKE_SCENARIOS, ...COMPLETION_SCENARIOS],
  MCP_SCENARIOS,
];

/** The scenarios that are about the same thing as the one that is meant for a broken server. */
export function neighbours({ scenario }: Broken): readonly Scenario[] {
  return GROUPS.find((group) => group.some(({ id }) => id === scenario)) ?? [];
}

/**
 * The wires that the scenario which is meant for a broken server is walked over; what is wrong with one wire, on that.
 */
export function wiresOf(broken: Broken): readonly TransportName[] {
  const { wires = [] } = SCENARIOS.find(({ id }) => id === broken.scenario) ?? {};
  return broken.wires ?? (BROKEN_HTTP.includes(broken) ? ["rest"] : wires);
}

/** Walks scenarios on a wire of a broken server and returns those that failed, in their order. */
export async function caught(
  { fault, scenario: meant }: Broken,
  wire: TransportName,
  scenarios: readonly Scenario[],
): Promise<readonly string[]> {
  await using server = await openMemoryServer(fault());
  const parts = server.parts(wire);
  const failed: string[] = [];
  for (const scenario of scenarios) {
    const silence = scenario.id === meant ? { silenceMsMax: MEANT_SILENCE_MS_MAX } : {};
    for await (const walked of runScenarios({ ...parts, ...silence, scenarios: [scenario] }, signal))
      if (walked.outcome === "failed") failed.push(walked.scenario);
  }
  return failed;
}

import { HarnessError } from "../../../base/errors.ts";
import { parseJson, stringAt } from "../../../base/json.ts";
import { CONFORMANCE_PROFILE } from "../../../config/profile-files.ts";
import type { HttpAccess, SuiteClock } from "../../../conformance/http-access.ts";
import type { RunScenariosOptions, ScenarioResult, ServerFacts } from "../../../conformance/run-scenarios.ts";
import type { Scenario } from "../../../conformance/scenario.ts";
import { hostClock } from "../../../platform/clock.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { readFlagFile } from "../../args/flag-file.ts";
import { standardError, standardOutput } from "../../io/output.ts";
import { unreachableEngine } from "../../shared-engine/unreachable-engine.ts";
import type { Against } from "./against.ts";
import { readAgainst } from "./against.ts";
import type { ConformanceContext } from "./flags.ts";

/**
 * Runs `cinch conformance --against URL`: the protocol's scenarios against any server, over every transport that it
 * offers, with a line for each (CTL-13). Exit code 1 if one failed or none could run to its end.
 */
export async function run({ flags, settings, signal }: ConformanceContext): Promise<ExitCode> {
  const { against: address = "", json, patience, "fail-fast": isFailFast } = flags;
  const against = readAgainst(address);
  const scenarios = await chooseScenarios(flags);
  const token = await tokenOf(flags["auth-token-file"]);
  const { profile = CONFORMANCE_PROFILE } = settings;
  const limits = patience === undefined ? {} : { silenceMsMax: patience * 1_000 };
  const parts = { ...(await partsFor(against, token, signal)), scenarios, profile, isFailFast, ...limits };
  const { renderReportHead, createReport, renderResult, renderSum } = await import(
    "../../../conformance/render.ts"
  );
  const { runScenarios } = await import("../../../conformance/run-scenarios.ts");
  const [output, notes] = [standardOutput(), standardError()];
  if (!json) await output.write(renderReportHead(address, parts.server));
  const results: ScenarioResult[] = [];
  for await (const walked of runScenarios(parts, signal)) {
    results.push(walked);
    if (!json) await output.write(renderResult(walked));
  }
  const report = createReport(address, parts.server, results);
  await output.write(json ? `${JSON.stringify(report)}\n` : renderSum(results));
  if (signal.aborted) return EXIT.cancelled;
  if (report.counts.ok === 0) await notes.write("cinch: no scenario could run to its end\n");
  return report.ok ? EXIT.done : EXIT.failed;
}

/** Returns the chosen scenarios. @throws HarnessError UsageInvalid for an unknown name. */
async function chooseScenarios({
  scenario,
  quick,
}: ConformanceContext["flags"]): Promise<readonly Scenario[]> {
  const { SCENARIOS } = await import("../../../conformance/scenarios/all.ts");
  const names = scenario?.split(",").map((name) => name.trim());
  const unknown = names?.find((name) => !SCENARIOS.some(({ id }) => id === name));
  if (unknown !== undefined) {
    const { nearestWords } = await import("../../../base/text/near.ts");
    const known = SCENARIOS.map(({ id }) => id);
    const [meant] = nearestWords(unknown, known);
    const hint = meant === undefined ? `known: ${known.join(", ")}` : `did you mean ${meant}?`;
    throw new HarnessError("UsageInvalid", { problem: `--scenario ${unknown}: there is none; ${hint}` });
  }
  return SCENARIOS.filter(({ id, isSlow }) => (names?.includes(id) ?? true) && !(quick && isSlow === true));
}

/** Reads the token from a file or the environment: every user of this machine could read an argument. */
async function tokenOf(tokenFile: string | undefined): Promise<string | undefined> {
  if (tokenFile === undefined) return process.env["CINCH_TOKEN"];
  const text = (await readFlagFile("--auth-token-file", tokenFile)).trim();
  return stringAt(parseJson(text)?.value, "token") ?? text;
}

type Reached = Omit<RunScenariosOptions, "scenarios" | "profile">;

async function partsFor(against: Against, token: string | undefined, signal: AbortSignal): Promise<Reached> {
  if (token === undefined) {
    const problem =
      "a token is needed, in CINCH_TOKEN or with --auth-token-file: cinch token --identity-class human --can-mint makes one";
    throw new HarnessError("UsageInvalid", { problem });
  }
  if (against.kind === "stdio") return await reached(() => overStdio(against.argv, token, signal), against);
  const { openHttpAccess } = await import("./http-access.ts");
  const { discover } = await import("../../../conformance/discover.ts");
  const { mintOwnToken } = await import("../../../conformance/tokens.ts");
  const door = openHttpAccess(against);
  return await reached(async () => {
    const ownToken = await mintOwnToken(door, token, signal);
    return await overHttp(door, ownToken, await discover(door, ownToken, signal));
  }, against);
}

async function overHttp(http: HttpAccess, token: string, server: ServerFacts): Promise<Reached> {
  const { restTransport } = await import("../../../conformance/transports/rest-transport.ts");
  const { wsTransport } = await import("../../../conformance/transports/ws-transport.ts");
  const { mintedTokens } = await import("../../../conformance/tokens.ts");
  const { mcpTransport } = await import("../../../conformance/transports/mcp-transport.ts");
  const { mcpOverHttp } = await import("../../../conformance/transports/mcp-http.ts");
  const has = (...names: readonly string[]) => server.features.some((feature) => names.includes(feature));
  const mcp = mcpOverHttp(http);
  const wires = [
    restTransport(http),
    ...(has("websocket", "ws") ? [wsTransport(http)] : []),
    ...(has("mcpserver_http") ? [mcpTransport(mcp, "legacy"), mcpTransport(mcp, "modern")] : []),
  ];
  return { http, wires, tokens: mintedTokens(http, token), clock: suiteClock, server };
}

/** Connects to an MCP program over standard input and output. Its facts are in `initialize`; it mints no tokens. */
async function overStdio(
  argv: readonly [string, ...string[]],
  token: string,
  signal: AbortSignal,
): Promise<Reached> {
  const { readServerFacts } = await import("../../../conformance/discover.ts");
  const { isOlder } = await import("../../../conformance/run-scenarios.ts");
  const { mcpTransport } = await import("../../../conformance/transports/mcp-transport.ts");
  const { Skipped } = await import("../../../conformance/mismatch.ts");
  const { initializeMsMax, mcpOverStdio } = await import("./conformance-stdio.ts");
  const open = mcpOverStdio(argv, process.env);
  const wire = mcpTransport(open, "legacy", { isAlone: true });
  const patience = { ms: initializeMsMax(), timer: suiteClock.timer };
  await using client = await wire.attach(token, { shake: true, version: PROTOCOL_VERSION, signal, patience });
  const handshake = await client.handshake(PROTOCOL_VERSION);
  const body = handshake.kind === "accepted" ? handshake.body : {};
  const serverVersion = stringAt(body, "protocol_version") ?? PROTOCOL_VERSION;
  const server = readServerFacts(
    body,
    isOlder(serverVersion, PROTOCOL_VERSION) ? serverVersion : PROTOCOL_VERSION,
  );
  const mint = () => Promise.reject(new Skipped("over standard input and output no token is minted"));
  const wires = [wire, mcpTransport(open, "modern", { isAlone: true })];
  return { wires, tokens: { main: token, mint }, clock: suiteClock, server };
}

/** @throws HarnessError EngineUnreachable, EngineRefused, TargetUnusable, UsageInvalid. */
async function reached<T>(reach: () => Promise<T>, against: Against): Promise<T> {
  const { Refused } = await import("../../../conformance/transports/transport.ts");
  try {
    return await reach();
  } catch (thrown) {
    if (against.kind === "stdio") {
      const { unusableTarget } = await import("./conformance-stdio.ts");
      throw unusableTarget(against.argv, thrown);
    }
    if (thrown instanceof Refused) {
      const { reason, message, status } = thrown.refusal;
      const why = reason === "" ? (status === undefined ? "it names no reason" : `HTTP ${status}`) : reason;
      throw new HarnessError("EngineRefused", { reason: why, message }, { cause: thrown });
    }
    throw unreachableEngine(against.kind === "url" ? against.url : against.path, thrown);
  }
}

const suiteClock: SuiteClock = {
  monotonic: () => hostClock.monotonic(),
  timer: (ms, callback) => hostClock.timer(ms, callback),
  pass: (ms, signal) => hostClock.sleep(ms, signal),
};

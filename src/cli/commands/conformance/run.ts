import { HarnessError } from "../../../base/errors.ts";
import { parseJson, stringAt } from "../../../base/json.ts";
import type { HttpDoor, SuiteClock } from "../../../conformance/door.ts";
import type { Scenario } from "../../../conformance/scenario.ts";
import type { ServerFacts, Walked, WalkParts } from "../../../conformance/walk.ts";
import { hostClock } from "../../../platform/clock.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { readFlagFile } from "../../args/flag-file.ts";
import { unreachableEngine } from "../../engine/unreachable-engine.ts";
import { standardError, standardOutput } from "../../io/output.ts";
import type { Against } from "./against.ts";
import { readAgainst } from "./against.ts";
import type { ConformanceContext } from "./flags.ts";

/**
 * `cinch conformance --against URL`: walks the scenarios of the protocol against a server, ours or a stranger's, over every
 * wire that it offers, and reports each of them (CTL-13). Exit code 1 where one failed, or none could be walked.
 */
export async function run({ flags, settings, signal }: ConformanceContext): Promise<ExitCode> {
  const { against: address = "", json, patience, "fail-fast": isFailFast } = flags;
  const against = readAgainst(address);
  const scenarios = await chosen(flags);
  const token = await tokenOf(flags["auth-token-file"]);
  const { profile = "conformance" } = settings;
  const limits = patience === undefined ? {} : { silenceMsMax: patience * 1_000 };
  const parts = { ...(await partsFor(against, token, signal)), scenarios, profile, isFailFast, ...limits };
  const { headLine, report, resultLines, sumLine } = await import("../../../conformance/render.ts");
  const { walk } = await import("../../../conformance/walk.ts");
  const [output, notes] = [standardOutput(), standardError()];
  if (!json) await output.write(headLine(address, parts.server));
  const results: Walked[] = [];
  for await (const walked of walk(parts, signal)) {
    results.push(walked);
    if (!json) await output.write(resultLines(walked));
  }
  const told = report(address, parts.server, results);
  await output.write(json ? `${JSON.stringify(told)}\n` : sumLine(results));
  if (signal.aborted) return EXIT.cancelled;
  if (told.counts.ok === 0) await notes.write("cinch: no scenario could be walked to its end\n");
  return told.ok ? EXIT.done : EXIT.failed;
}

/** @throws HarnessError UsageInvalid for a name that no scenario has. */
async function chosen({ scenario, quick }: ConformanceContext["flags"]): Promise<readonly Scenario[]> {
  const { SCENARIOS } = await import("../../../conformance/scenarios/all.ts");
  const names = scenario?.split(",").map((name) => name.trim());
  const unknown = names?.find((name) => !SCENARIOS.some(({ id }) => id === name));
  if (unknown !== undefined) {
    const { near } = await import("../../../base/text/near.ts");
    const known = SCENARIOS.map(({ id }) => id);
    const [meant] = near(unknown, known);
    const hint = meant === undefined ? `known: ${known.join(", ")}` : `did you mean ${meant}?`;
    throw new HarnessError("UsageInvalid", { problem: `--scenario ${unknown}: there is none; ${hint}` });
  }
  return SCENARIOS.filter(({ id, isSlow }) => (names?.includes(id) ?? true) && !(quick && isSlow === true));
}

/** From a file, or from the environment: an argument would be read by everybody on this machine. */
async function tokenOf(tokenFile: string | undefined): Promise<string | undefined> {
  if (tokenFile === undefined) return process.env["CINCH_TOKEN"];
  const text = (await readFlagFile("--auth-token-file", tokenFile)).trim();
  return stringAt(parseJson(text)?.value, "token") ?? text;
}

type Reached = Omit<WalkParts, "scenarios" | "profile">;

async function partsFor(against: Against, token: string | undefined, signal: AbortSignal): Promise<Reached> {
  if (token === undefined) {
    const problem =
      "a token is needed, in CINCH_TOKEN or with --auth-token-file: cinch token --identity-class human --can-mint makes one";
    throw new HarnessError("UsageInvalid", { problem });
  }
  if (against.kind === "stdio") return await reached(() => overStdio(against.argv, token, signal), against);
  const { openDoor } = await import("./conformance-door.ts");
  const { discover } = await import("../../../conformance/discover.ts");
  const { ownToken } = await import("../../../conformance/tokens.ts");
  const door = openDoor(against);
  return await reached(async () => {
    const own = await ownToken(door, token, signal);
    return await overHttp(door, own, await discover(door, own, signal));
  }, against);
}

async function overHttp(http: HttpDoor, token: string, server: ServerFacts): Promise<Reached> {
  const { restWire } = await import("../../../conformance/wires/rest-wire.ts");
  const { wsWire } = await import("../../../conformance/wires/ws-wire.ts");
  const { mintedTokens } = await import("../../../conformance/tokens.ts");
  const { mcpWire } = await import("../../../conformance/wires/mcp-wire.ts");
  const { mcpOverHttp } = await import("../../../conformance/wires/mcp-http.ts");
  const has = (...names: readonly string[]) => server.features.some((feature) => names.includes(feature));
  const mcp = mcpOverHttp(http);
  const wires = [
    restWire(http),
    ...(has("websocket", "ws") ? [wsWire(http)] : []),
    ...(has("mcpserver_http") ? [mcpWire(mcp, "legacy"), mcpWire(mcp, "modern")] : []),
  ];
  return { http, wires, tokens: mintedTokens(http, token), clock: suiteClock, server };
}

/** A program that speaks MCP over standard input and output: it states itself in `initialize`, and mints nothing. */
async function overStdio(
  argv: readonly [string, ...string[]],
  token: string,
  signal: AbortSignal,
): Promise<Reached> {
  const { factsOf } = await import("../../../conformance/discover.ts");
  const { isOlder } = await import("../../../conformance/walk.ts");
  const { mcpWire } = await import("../../../conformance/wires/mcp-wire.ts");
  const { Skipped } = await import("../../../conformance/mismatch.ts");
  const { initializeMsMax, mcpOverStdio } = await import("./conformance-stdio.ts");
  const open = mcpOverStdio(argv, process.env);
  const wire = mcpWire(open, "legacy", { isAlone: true });
  const patience = { ms: initializeMsMax(), timer: suiteClock.timer };
  await using client = await wire.attach(token, { shake: true, version: PROTOCOL_VERSION, signal, patience });
  const told = await client.handshake(PROTOCOL_VERSION);
  const body = told.kind === "accepted" ? told.body : {};
  const theirs = stringAt(body, "protocol_version") ?? PROTOCOL_VERSION;
  const server = factsOf(body, isOlder(theirs, PROTOCOL_VERSION) ? theirs : PROTOCOL_VERSION);
  const mint = () => Promise.reject(new Skipped("over standard input and output no token is minted"));
  const wires = [wire, mcpWire(open, "modern", { isAlone: true })];
  return { wires, tokens: { main: token, mint }, clock: suiteClock, server };
}

/** @throws HarnessError EngineUnreachable, EngineRefused, TargetUnusable, UsageInvalid. */
async function reached<T>(reach: () => Promise<T>, against: Against): Promise<T> {
  const { Refused } = await import("../../../conformance/wires/wire.ts");
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

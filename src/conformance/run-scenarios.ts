import { defined } from "../base/defined.ts";
import { messageOf } from "../base/errors.ts";
import type { HttpAccess, SuiteClock } from "./http-access.ts";
import { Mismatch, Skipped } from "./mismatch.ts";
import type { Scenario } from "./scenario.ts";
import { ScenarioStage } from "./stage.ts";
import type { SuiteTokens } from "./tokens.ts";
import { withoutSchemaIssues } from "./transports/schema-words.ts";
import type { SuiteTransport, TransportName } from "./transports/transport.ts";
import { Refused } from "./transports/transport.ts";

/** Time limit of one scenario, in addition to the server's time limits that it waits for. */
export const SCENARIO_MS_MAX = 60_000;
/** Longest silence of a server, in milliseconds, during a wait of a scenario. */
export const SILENCE_MS_MAX = 5_000;
/** Consecutive silences that one scenario may wait for. */
const SILENCES_MAX = 12;

/** Shorter texts are not redacted. */
const TOKEN_CHARACTERS_MIN = 8;

export interface RunScenariosOptions {
  readonly scenarios: readonly Scenario[];
  readonly wires: readonly SuiteTransport[];
  readonly http?: HttpAccess;
  readonly tokens: SuiteTokens;
  readonly clock: SuiteClock;
  readonly server: ServerFacts;
  readonly profile: string;
  /** Time limit of a scenario. Default: the greater of `SCENARIO_MS_MAX` and twelve silences. */
  readonly scenarioMsMax?: number;
  /** True to stop after the first failed scenario. */
  readonly isFailFast?: boolean;
  /** Longest silence of the server. Default: `SILENCE_MS_MAX`. */
  readonly silenceMsMax?: number;
}

/** Facts of a server from its handshake. */
export interface ServerFacts {
  readonly protocolVersion: string;
  readonly commandKinds: readonly string[];
  readonly eventKinds: readonly string[];
  readonly features: readonly string[];
}

/** Result of one scenario on one transport. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly promise: string;
  /** Section of the documents that promises it. */
  readonly section: string;
  readonly wire: TransportName;
  readonly outcome: "ok" | "failed" | "skipped";
  readonly ms: number;
  /** Reason of a failure or skip. */
  readonly why?: string;
  readonly expected?: string;
  readonly got?: string;
}

/**
 * Runs every scenario over each of its transports and yields the results in order.
 *
 * Scenarios that wait for a time limit of the server start first. Each cleans up after itself and depends on no other.
 * Leaving the loop ends all of them.
 */
export async function* runScenarios(
  parts: RunScenariosOptions,
  signal: AbortSignal,
): AsyncGenerator<ScenarioResult> {
  const all = parts.wires.flatMap((wire) =>
    parts.scenarios
      .filter(({ wires }) => wires.includes(wire.name))
      .map((scenario) => ({ wire, scenario, lacking: lackOf(scenario, parts.server) })),
  );
  const isApart = parts.clock.isShared !== true;
  const leave = new AbortController();
  const until = AbortSignal.any([signal, leave.signal]);
  const slow = new Map(
    all
      .filter(({ scenario, lacking }) => scenario.isSlow === true && lacking === undefined && isApart)
      .map((each) => [each, play(each.scenario, each.wire, parts, until)] as const),
  );
  try {
    for (const each of all) {
      if (signal.aborted) break;
      const { scenario, wire, lacking } = each;
      if (lacking !== undefined) {
        yield { ...named(scenario, wire), outcome: "skipped", ms: 0, why: lacking };
        continue;
      }
      const walked = await (slow.get(each) ?? play(scenario, wire, parts, signal));
      yield walked;
      if (parts.isFailFast === true && walked.outcome === "failed") break;
    }
  } finally {
    leave.abort(new Error("nobody reads on"));
    await Promise.all(slow.values());
  }
}

/** Returns why a server need not keep a scenario's promise; undefined if it must. */
function lackOf(
  { since = "0.1.0", features = [], kinds = [] }: Scenario,
  server: ServerFacts,
): string | undefined {
  if (isOlder(server.protocolVersion, since)) {
    return `it is promised since ${since}, and the server speaks ${server.protocolVersion}`;
  }
  const feature = features.find((each) => !server.features.includes(each));
  if (feature !== undefined) return `the server does not have the feature ${feature}`;
  const known = [...server.commandKinds, ...server.eventKinds];
  const kind = kinds.find((each) => !known.includes(each));
  return kind === undefined ? undefined : `the server does not serve ${kind}`;
}

/** Returns true if a version is lower than another; false if one is not a version. */
export function isOlder(version: string, than: string): boolean {
  const [actual, required] = [version, than].map((text) => text.split(".").map(Number));
  for (const [at, part] of (actual ?? []).entries()) {
    const other = required?.[at] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}

function named({ id, promise, section }: Scenario, wire: SuiteTransport) {
  return { scenario: id, promise, section, wire: wire.name };
}

async function play(
  scenario: Scenario,
  wire: SuiteTransport,
  parts: RunScenariosOptions,
  signal: AbortSignal,
): Promise<ScenarioResult> {
  const { clock, http, tokens, server, profile, silenceMsMax = SILENCE_MS_MAX } = parts;
  const { scenarioMsMax = Math.max(SCENARIO_MS_MAX, SILENCES_MAX * silenceMsMax) } = parts;
  const startedMs = clock.monotonic();
  using limit = new ScenarioLimit(clock, scenarioMsMax);
  const until = AbortSignal.any([signal, limit.signal]);
  const version = server.protocolVersion;
  const shared = { wire, tokens, clock: limit.clock, profile, version, signal: until, silenceMsMax };
  const stage = new ScenarioStage(http === undefined ? shared : { ...shared, http });
  const shown = withoutToken(await outcomeOf(scenario, stage, until), tokens.main);
  return { ...named(scenario, wire), ...shown, ms: Math.round(clock.monotonic() - startedMs) };
}

/** The time limit of a scenario. Time that the scenario lets pass does not count: the limit starts again afterwards. */
class ScenarioLimit implements Disposable {
  readonly #clock: SuiteClock;
  readonly #ms: number;
  readonly #reached = new AbortController();
  #timer: Disposable;
  #isOver = false;

  constructor(clock: SuiteClock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#reached.signal;
  }

  /** The clock for the scenario. */
  get clock(): SuiteClock {
    const clock = this.#clock;
    return {
      monotonic: () => clock.monotonic(),
      timer: (ms, callback) => clock.timer(ms, callback),
      ...defined({ isShared: clock.isShared }),
      pass: async (ms, signal) => {
        this.#timer[Symbol.dispose]();
        try {
          await clock.pass(ms, signal);
        } finally {
          if (!this.#isOver) this.#timer = this.#start();
        }
      },
    };
  }

  #start(): Disposable {
    return this.#clock.timer(this.#ms, () =>
      this.#reached.abort(new Error(`no end within ${this.#ms / 1_000} s`)),
    );
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer[Symbol.dispose]();
  }
}

type ResultText = Pick<ScenarioResult, "outcome" | "why" | "expected" | "got">;

/** Replaces the token in text of the server. A short text is no token: replacing it would only garble the report. */
function withoutToken({ outcome, ...texts }: ResultText, token: string): ResultText {
  if (token.length < TOKEN_CHARACTERS_MIN) return { outcome, ...texts };
  const shown = Object.entries(texts).map(([name, text]) => [name, text.replaceAll(token, "(the token)")]);
  return { outcome, ...Object.fromEntries(shown) };
}

async function outcomeOf(scenario: Scenario, stage: ScenarioStage, until: AbortSignal): Promise<ResultText> {
  try {
    await using played = stage;
    await scenario.play(played);
    return { outcome: "ok" };
  } catch (thrown) {
    if (thrown instanceof Skipped) return { outcome: "skipped", why: thrown.message };
    if (thrown instanceof Mismatch) {
      const { message, expected, got } = thrown;
      const late = until.aborted ? ` (${messageOf(until.reason)})` : "";
      return { outcome: "failed", why: `${message}${late}`, expected, got };
    }
    if (thrown instanceof Refused) return { outcome: "failed", why: thrown.message };
    if (until.aborted) return { outcome: "failed", why: messageOf(until.reason) };
    return {
      outcome: "failed",
      why: `the server could not be talked to: ${withoutSchemaIssues(messageOf(thrown))}`,
    };
  }
}

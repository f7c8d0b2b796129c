import { HarnessError, hasReason, messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { sessionSection } from "../../../config/sections/session-settings.ts";
import { saidOf } from "../../../config/settings/read-section.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import type { RequestMiddleware } from "../../../providers/middleware.ts";
import type { Config } from "../../../session/settings/settings.ts";
import type { RetentionPlan } from "../../../session/store/retention.ts";
import { clockEvidenceBefore, dayBefore, planRetention } from "../../../session/store/retention.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";
import type { FeatureSet } from "../../plan/feature-set.ts";
import { namedProfile } from "../../plan/settings.ts";
import { removeBeside } from "./beside.ts";
import { expireLogFiles } from "./log-files.ts";

/** Milliseconds after a turn's first request at which the sweep starts: by then the request is on its way. */
export const SWEEP_AFTER_MS = 100;
/**
 * Milliseconds after which an engine without requests sweeps first: what a killed process has begun to delete must not
 * wait for a turn.
 */
export const IDLE_SWEEP_AFTER_MS = 10_000;
/** Time between two sweeps: content expires by days, and at most an hour after its day. */
export const SWEEP_EVERY_MS = 3_600_000;
/** Time limit of one sweep; the rest waits for the next one. */
const SWEEP_MS_MAX = 2_000;
/** Logs that one sweep reads. */
const LOGS_MAX = 1_000;

interface SweptStore {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly config: Pick<Config, "sections">;
  readonly store: SessionStore;
  readonly features: FeatureSet;
}

/** An open session, which keeps its conversation in memory. */
interface RunningSession {
  readonly logId: LogId;
  contentExpired(): void;
}

interface SweepDependencies extends SweptStore {
  /** Returns the sessions that this engine runs now. */
  readonly running?: () => readonly RunningSession[];
}

/**
 * Expires content older than its profile's time to live (SES-06): first while the first answer of a provider is
 * awaited, never before, then every hour, in steps of milliseconds. An engine without requests starts after ten
 * seconds.
 *
 * Conversations in memory follow: a session whose log has lost content, through any process, reads it again before its
 * next turn.
 */
export class RetentionSweep implements AsyncDisposable {
  readonly #dependencies: SweepDependencies;
  readonly #stop = new AbortController();
  /** Events of running sessions that had expired at the last sweep. */
  #expired: ReadonlyMap<LogId, number> = new Map();
  #timer: Disposable;
  #isBegun = false;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(dependencies: SweepDependencies) {
    this.#dependencies = dependencies;
    this.#timer = this.#after(IDLE_SWEEP_AFTER_MS);
  }

  /** Innermost around the provider; the first request of the engine starts the first sweep. */
  readonly expireContent: RequestMiddleware = (request, context, next) => {
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#timer[Symbol.dispose]();
      this.#timer = this.#after(SWEEP_AFTER_MS);
    }
    return next(request, context);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    this.#stop.abort();
    await this.#sweeping;
  }

  #after(ms: number): Disposable {
    return this.#dependencies.world.clock.timer(ms, () => {
      this.#isBegun = true;
      this.#sweeping = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { world } = this.#dependencies;
    const { clock, log } = world;
    const limit = new AbortController();
    using _limit = clock.timer(SWEEP_MS_MAX, () => limit.abort());
    const orWarn = async (problem: string, work: Promise<void>) => {
      try {
        await work;
      } catch (thrown) {
        // The running sessions are not affected, and the next sweep tries again.
        log.for("session.retention").write("warn", problem, { error: messageOf(thrown) });
      }
    };
    const signal = AbortSignal.any([limit.signal, this.#stop.signal]);
    await orWarn("old content did not expire, or its space was not freed", sweep(this.#dependencies, signal));
    await orWarn("open sessions may send expired content", this.#tellRunning());
    if (!this.#stop.signal.aborted) this.#timer = this.#after(SWEEP_EVERY_MS);
  }

  async #tellRunning(): Promise<void> {
    const { store, running } = this.#dependencies;
    const expired = new Map<LogId, number>();
    for (const session of running?.() ?? []) {
      const ranges = await store.expired(session.logId);
      const events = ranges.reduce((count, { from, to }) => count + to - from + 1, 0);
      expired.set(session.logId, events);
      if (events > (this.#expired.get(session.logId) ?? 0)) session.contentExpired();
    }
    this.#expired = expired;
  }
}

/** Runs one sweep: expires due content, completes deletions that broke off, and frees the space. */
export async function sweep(parts: SweptStore, signal: AbortSignal): Promise<void> {
  const { world, store } = parts;
  const log = world.log.for("session.retention");
  const now = world.clock.now();
  const logs = await store.list({ contentBefore: dayBefore(now, 1), limit: LOGS_MAX });
  const plan = await plannedRetention(parts, logs);
  for (const { log: info, why } of plan.left)
    log.write("debug", "old content is kept", { log: info.logId, why });
  for (const { log: info, beforeDay } of plan.expire) {
    if (signal.aborted) break;
    try {
      const events = await store.expire(info.logId, beforeDay);
      await expireLogFiles(info.logId, beforeDay, parts);
      log.write("info", "content has expired", { log: info.logId, events, beforeDay });
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      log.write("warn", "a log that cannot be read is left alone", {
        log: info.logId,
        error: thrown.message,
      });
    }
  }
  if (signal.aborted) return;
  await store.maintain(signal, (deleted) => removeBeside(deleted, parts));
}

/** Plans which content of these logs expires now and soon, each by its profile. */
export async function plannedRetention(parts: SweptStore, logs: readonly LogInfo[]): Promise<RetentionPlan> {
  const now = parts.world.clock.now();
  const days = new Map<string, number | undefined>();
  for (const { profile } of logs) {
    if (!days.has(profile)) days.set(profile, await ttlDaysOf(parts, profile));
  }
  const lastDay = await parts.store.lastDay(clockEvidenceBefore(now));
  return planRetention(logs, (profile) => days.get(profile), { now, lastDay });
}

/**
 * Returns the days that a profile keeps content. A missing profile has none, so the general setting holds; undefined if
 * it exists and cannot be read: it may keep everything.
 */
export async function ttlDaysOf(
  { world, paths, config, features }: Omit<SweptStore, "store">,
  profile: string,
): Promise<number | undefined> {
  const forAll = settingsOf(sessionSection, { config }).ttlDays;
  try {
    const { sections } = await namedProfile({ world, paths, features }, profile);
    return saidOf(sections, sessionSection)?.ttlDays ?? forAll;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return hasReason(thrown, "ProfileMissing") ? forAll : undefined;
  }
}

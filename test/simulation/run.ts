import { chance } from "../support/chance.ts";
import type { Actors } from "./acting.ts";
import { act } from "./acting.ts";
import { SimDisk } from "./disk.ts";
import { Engines } from "./engines.ts";
import { checkLog, LogWatch, tellLog } from "./invariants.ts";
import { Keeping } from "./keeping.ts";
import { Scheduler, settled } from "./scheduler.ts";
import type { Stage } from "./stage.ts";
import { Talking } from "./talking.ts";
import { Outside } from "./tools.ts";

/** Steps of the wild part of a run; the calm part after it ends when nothing is left to do. */
export const STEPS = 400;
const CALM_STEPS_MAX = 20_000;
const TRACE_LINES_MAX = 4_000;
const JUMP_MS_MAX = 7_200_000;
const FULL_STEPS_MAX = 30;

export interface RunReport {
  readonly seed: number;
  readonly steps: number;
  readonly events: number;
  /** Empty where everything held. */
  readonly violations: readonly string[];
  /** Trace of the run, equal for every run of one seed. */
  readonly trace: readonly string[];
  /** The log as it stood at the end, an event a line. */
  readonly log: readonly string[];
}

export interface RunOptions {
  /** Steps of the wild part. */
  readonly steps?: number;
  /** A disk that syncs nothing and says that it did: what the simulation must find. */
  readonly diskLies?: boolean;
}

/**
 * Plays one seed: the real engine, multiplexer, bus and history with several clients over a world that fails, then
 * calms down. What is promised (REL-02, REL-05, ENG-12, ENG-18) is checked after every step and at the end.
 */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunReport> {
  warmedUp ??= warmUp();
  await warmedUp;
  const run = new Run(seed, options);
  await run.wild(options.steps ?? STEPS);
  await run.calm();
  return await run.report();
}

let warmedUp: Promise<void> | undefined;

/** Loads lazy modules before the run, because their load time does not depend on the seed. */
async function warmUp(): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const run = new Run(seed);
    await run.wild(STEPS);
    await run.calm();
  }
}

class Run {
  readonly #seed: number;
  readonly #stage: Stage;
  readonly #talking: Talking;
  readonly #keeping: Keeping;
  readonly #engines: Engines;
  readonly #actors: Actors;
  readonly #scheduler: Scheduler;
  readonly #outside = new Outside();
  readonly #watch: LogWatch;
  readonly #living = new Set<number>();
  readonly #violations: string[] = [];
  readonly #trace: string[] = [];
  /** The step at which somebody makes room on the disk. */
  #fullUntil = 0;
  #steps = 0;

  constructor(seed: number, options: RunOptions = {}) {
    this.#seed = seed;
    const from = chance(seed);
    const disk = new SimDisk(from, (pid) => this.#living.has(pid));
    disk.faults.lying = options.diskLies === true;
    this.#scheduler = new Scheduler(from);
    this.#stage = {
      chance: from,
      disk,
      clients: [],
      process: undefined,
      engine: undefined,
      log: undefined,
      session: undefined,
      over: false,
      tell: (line) => this.#tell(line),
      violated: (what) => this.#violated(what),
    };
    this.#talking = new Talking(this.#stage);
    this.#keeping = new Keeping(this.#stage, this.#talking);
    this.#watch = new LogWatch((what) => this.#violated(what));
    this.#engines = new Engines({
      stage: this.#stage,
      scheduler: this.#scheduler,
      outside: this.#outside,
      living: this.#living,
      onNewLog: () => this.#watch.forget(),
    });
    this.#actors = {
      stage: this.#stage,
      talking: this.#talking,
      keeping: this.#keeping,
      engines: this.#engines,
    };
  }

  async report(): Promise<RunReport> {
    const log = this.#stage.log === undefined ? [] : await tellLog(this.#stage.disk.content, this.#stage.log);
    return {
      seed: this.#seed,
      steps: this.#steps,
      events: this.#watch.events,
      violations: this.#violations,
      trace: this.#trace,
      log,
    };
  }

  async wild(steps: number): Promise<void> {
    for (let step = 0; step < steps && this.#violations.length === 0; step++) {
      if (this.#stage.chance.happens(0.02)) await this.#fail();
      else if (this.#stage.chance.happens(0.15)) act(this.#actors);
      else this.#tell(await this.#scheduler.next());
      await this.#check();
    }
  }

  /** The world gets well again: everything that was begun must now come to its end. */
  async calm(): Promise<void> {
    this.#tell("calm");
    this.#engines.providerFaults = 0;
    this.#stage.disk.faults.full = false;
    this.#stage.disk.faults.failing = 0;
    let quiet = 0;
    for (let step = 0; step < CALM_STEPS_MAX && this.#violations.length === 0; step++) {
      if (!this.#scheduler.idle) {
        this.#tell(await this.#scheduler.next());
        if (this.#stage.chance.happens(0.2)) this.#talking.answer();
      } else if (await this.#settleDown(quiet)) {
        quiet += 1;
      } else {
        break;
      }
      await this.#check();
    }
    if (!this.#scheduler.idle) {
      this.#violated(`it never came to rest: ${this.#scheduler.standing.slice(0, 5).join("; ")}`);
    }
    await this.#end();
  }

  /** Brings an idle world on: an engine, a session, one last input. False when there is nothing left to do. */
  async #settleDown(quiet: number): Promise<boolean> {
    if (quiet > 20) return false;
    if (this.#stage.engine === undefined) this.#engines.boot();
    const client = this.#stage.clients.find(({ isAttached }) => isAttached);
    if (client === undefined) return this.#engines.reopen();
    if (this.#lastFate === "fine") return false;
    this.#talking.input(client, (fate) => {
      this.#lastFate = fate.kind === "accepted" ? "fine" : "refused";
      if (fate.kind === "refused") this.#engines.reopen();
    });
    await settled();
    return true;
  }

  #lastFate: "none" | "fine" | "refused" = "none";

  async #end(): Promise<void> {
    if (this.#violations.length > 0 || this.#stage.engine === undefined || this.#stage.log === undefined)
      return;
    let closed = false;
    const closing = this.#stage.engine.close("user").then(() => {
      closed = true;
    });
    closing.catch((thrown: unknown) => this.#violated(`closing threw ${String(thrown)}`));
    for (let step = 0; step < CALM_STEPS_MAX && !(closed && this.#scheduler.idle); step++) {
      this.#tell(await this.#scheduler.next());
    }
    if (!closed) this.#violated("the engine did not close");
    if ((this.#stage.process?.timers ?? 0) > 0) this.#violated("a timer is left when everything has ended");
    if ((this.#stage.process?.waiting ?? 0) > 0)
      this.#violated("something still waits when everything has ended");
    const log = this.#stage.log;
    const { effects } = this.#outside;
    const found = await checkLog(this.#stage.disk.content, log, {
      accepted: this.#talking.accepted,
      effects,
    });
    for (const what of found) this.#violated(what);
    for (const what of await this.#keeping.problems()) this.#violated(what);
  }

  #kill(): void {
    this.#engines.kill();
    this.#keeping.died();
  }

  async #fail(): Promise<void> {
    const what = this.#stage.chance.of([
      "kill",
      "kill",
      "power",
      "full",
      "failing",
      "jump",
      "provider",
    ] as const);
    this.#tell(`fault: ${what}`);
    switch (what) {
      case "kill":
        this.#kill();
        return;
      case "power":
        this.#kill();
        await this.#stage.disk.losePower();
        for (const client of this.#stage.clients) client.forget();
        this.#watch.forget();
        return;
      case "full":
        this.#stage.disk.faults.full = true;
        this.#fullUntil = this.#steps + this.#stage.chance.below(FULL_STEPS_MAX);
        return;
      case "failing":
        this.#stage.disk.faults.failing = this.#stage.disk.faults.failing === 0 ? 0.1 : 0;
        return;
      case "jump":
        return this.#scheduler.jump(Math.round((this.#stage.chance.number() - 0.5) * 2 * JUMP_MS_MAX));
      case "provider":
        this.#engines.providerFaults = this.#engines.providerFaults === 0 ? 0.3 : 0;
    }
  }

  async #check(): Promise<void> {
    this.#steps += 1;
    if (this.#steps > this.#fullUntil) this.#stage.disk.faults.full = false;
    for (const [callId, times] of this.#outside.effects) {
      if (times > 1) this.#violated(`the call ${callId} changed the world ${times} times`);
    }
    if (this.#stage.log !== undefined) await this.#watch.look(this.#stage.disk.content, this.#stage.log);
  }

  #violated(what: string): void {
    this.#violations.push(what);
    this.#tell(`VIOLATED: ${what}`);
  }

  #tell(line: string): void {
    if (this.#trace.length < TRACE_LINES_MAX) this.#trace.push(line);
  }
}

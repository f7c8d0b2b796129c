import type { Clock } from "../../src/base/world.ts";
import type { Chance } from "../support/chance.ts";

/** Simulated time begins here (2026-03-01), so that two runs of one seed write the same times. */
const START_MS = Date.UTC(2026, 2, 1);

/** One simulated process: what it waits for is gone when it is killed, as it is for a real one. */
export interface SimProcess {
  readonly pid: number;
  alive: boolean;
  readonly clock: Clock;
  /** Timers and sleeps that are waiting. */
  readonly timers: number;
  /** Steps of this process that wait for their turn. */
  readonly waiting: number;
  /**
   * A place where the simulation may do something else first, and where a killed process stays for ever.
   * @throws the signal's reason when it aborts meanwhile.
   */
  pause(where: string, signal?: AbortSignal): Promise<void>;
}

interface Step {
  readonly process: Process;
  readonly where: string;
  readonly go: () => void;
}

interface Timer {
  readonly process: Process;
  readonly due: number;
  readonly fire: () => void;
}

/**
 * Decides, from a seed, which of the steps that could happen next does: the one source of order in a simulated run.
 *
 * Promises settle between two steps, so a run is the same each time: nothing in it waits for the machine.
 */
export class Scheduler {
  readonly #chance: Chance;
  #steps: Step[] = [];
  readonly #timers = new Set<Timer>();
  #elapsedMs = 0;
  /** Offset of the wall clock, which can be set, unlike the monotonic one. */
  #wallOffsetMs = 0;
  #lastPid = 100;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Milliseconds since the run began. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  startProcess(): SimProcess {
    this.#lastPid += 1;
    return new Process(this.#lastPid, {
      now: () => START_MS + this.#elapsedMs + this.#wallOffsetMs,
      monotonic: () => this.#elapsedMs,
      addStep: (step) => {
        this.#steps.push(step);
        return () => this.#drop(step);
      },
      addTimer: (process, ms, fire) => {
        const timer = { process, due: this.#elapsedMs + ms, fire };
        this.#timers.add(timer);
        return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
      },
      count: (process) => ({
        steps: this.#steps.filter((step) => step.process === process).length,
        timers: [...this.#timers].filter((timer) => timer.process === process).length,
      }),
    });
  }

  /** Ends a process where it stands: nothing of it goes on, and nothing of it is cleaned up. */
  kill(process: SimProcess): void {
    process.alive = false;
    this.#steps = this.#steps.filter((step) => step.process !== process);
    for (const timer of this.#timers) if (timer.process === process) this.#timers.delete(timer);
  }

  /** Sets the wall clock forward or back. */
  jump(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** True if nothing can happen next. */
  get idle(): boolean {
    return this.#steps.length === 0 && this.#timers.size === 0;
  }

  /** Stacks of everything that waits, to find what a run hangs on. */
  get standing(): readonly string[] {
    const timers = [...this.#timers].map(({ process, due }) => `${process.pid}: a timer, due ${due}`);
    return [...this.#steps.map(({ process, where }) => `${process.pid}: ${where}`), ...timers];
  }

  /** Lets one thing happen: a step that waits, or, rarely or where none does, the next timer. */
  async next(): Promise<string> {
    const wantsTimer = this.#steps.length === 0 || this.#chance.happens(0.02);
    const timer = wantsTimer ? this.#nextTimer() : undefined;
    let told = "nothing";
    if (timer !== undefined) {
      this.#timers.delete(timer);
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.due);
      told = `${timer.process.pid}: time goes on to ${this.#elapsedMs}`;
      timer.fire();
    } else if (this.#steps.length > 0) {
      const step = this.#chance.of(this.#steps);
      this.#drop(step);
      this.#elapsedMs += this.#chance.number() * 3;
      told = `${step.process.pid}: ${step.where}`;
      step.go();
    }
    await settled();
    return told;
  }

  #drop(step: Step): void {
    this.#steps = this.#steps.filter((other) => other !== step);
  }

  #nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }
}

/** Lets every promise that can settle do so: all of them do before the next turn of the event loop. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Surroundings {
  now(): number;
  monotonic(): number;
  addStep(step: Step): () => void;
  addTimer(process: Process, ms: number, fire: () => void): Disposable;
  count(process: Process): { readonly steps: number; readonly timers: number };
}

class Process implements SimProcess {
  readonly pid: number;
  alive = true;
  readonly clock: Clock;
  readonly #around: Surroundings;

  constructor(pid: number, around: Surroundings) {
    this.pid = pid;
    this.#around = around;
    this.clock = {
      now: around.now,
      monotonic: around.monotonic,
      timer: (ms, fire) => around.addTimer(this, ms, fire),
      sleep: (ms, signal) => this.#wait((go) => around.addTimer(this, ms, go)[Symbol.dispose], signal),
    };
  }

  get timers(): number {
    return this.#around.count(this).timers;
  }

  get waiting(): number {
    return this.#around.count(this).steps;
  }

  pause(where: string, signal?: AbortSignal): Promise<void> {
    return this.#wait((go) => this.#around.addStep({ process: this, where, go }), signal);
  }

  #wait(begin: (go: () => void) => () => void, signal?: AbortSignal): Promise<void> {
    if (!this.alive) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        takeBack();
        reject(signal?.reason);
      };
      const takeBack = begin(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}

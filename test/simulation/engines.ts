import type { LogId } from "../../src/base/ids.ts";
import type { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import { SimClient } from "./client.ts";
import { startEngine } from "./engine.ts";
import type { Scheduler, SimProcess } from "./scheduler.ts";
import type { Stage } from "./stage.ts";
import type { Outside } from "./tools.ts";

const CLIENTS = 3;

export interface EnginesParts {
  readonly stage: Stage;
  readonly scheduler: Scheduler;
  readonly outside: Outside;
  /** Processes that live. */
  readonly living: Set<number>;
  /** Called when a new log replaces one that the disk has lost. */
  readonly onNewLog: () => void;
}

/** The engines of one run, one after the other, and the session that each opens anew. */
export class Engines {
  readonly #stage: Stage;
  readonly #scheduler: Scheduler;
  readonly #outside: Outside;
  readonly #living: Set<number>;
  readonly #onNewLog: () => void;
  /** The clients are none of the engine's: they live on. */
  readonly #clientProcess: SimProcess;
  #opening = false;
  /** Probability that an attempt of the provider fails. */
  providerFaults = 0;

  constructor({ stage, scheduler, outside, living, onNewLog }: EnginesParts) {
    this.#stage = stage;
    this.#scheduler = scheduler;
    this.#outside = outside;
    this.#living = living;
    this.#onNewLog = onNewLog;
    this.#clientProcess = scheduler.startProcess();
  }

  boot(): void {
    const process = this.#scheduler.startProcess();
    this.#living.add(process.pid);
    this.#stage.process = process;
    this.#stage.engine = startEngine({
      process,
      chance: this.#stage.chance,
      disk: this.#stage.disk,
      outside: this.#outside,
      isAlive: (pid) => this.#living.has(pid),
      providerFaults: () => this.providerFaults,
      violated: this.#stage.violated,
    });
    this.#stage.tell(`${process.pid}: starts`);
  }

  /** Opens the session, or a new run of it where there was one. */
  reopen(): boolean {
    const engine = this.#stage.engine;
    if (engine === undefined || this.#opening) return false;
    this.#opening = true;
    void this.#open(engine).finally(() => {
      this.#opening = false;
    });
    return true;
  }

  async #open(engine: Multiplexer): Promise<void> {
    try {
      const old = this.#stage.session;
      const [ender] = this.#stage.clients;
      if (old !== undefined && ender !== undefined) {
        await ender.attach(engine, old);
        await ender.send({ kind: "EndSession", sessionId: old });
      }
      const resume =
        this.#stage.log !== undefined && (await this.#stage.disk.content.find(this.#stage.log)) !== undefined;
      const { session } = await engine.open({
        kind: "CreateSession",
        profile: "sim",
        ...(resume && this.#stage.log !== undefined ? { resume: this.#stage.log } : {}),
      });
      if (engine !== this.#stage.engine) return;
      if (!resume) this.#onNewLog();
      this.#stage.log = session.logId;
      this.#stage.session = session.id;
      this.#stage.over = false;
      while (this.#stage.clients.length < CLIENTS) this.#stage.clients.push(this.#newClient(session.logId));
      for (const client of this.#stage.clients) await client.attach(engine, session.id);
      const [first] = this.#stage.clients;
      void first?.send({ kind: "AttachSession", sessionId: session.id });
    } catch (thrown) {
      this.#stage.tell(`not opened: ${String(thrown)}`);
    }
  }

  #newClient(log: LogId): SimClient {
    return new SimClient(log, { process: this.#clientProcess, violated: this.#stage.violated });
  }

  kill(): void {
    const process = this.#stage.process;
    if (process === undefined) return;
    this.#scheduler.kill(process);
    this.#living.delete(process.pid);
    for (const client of this.#stage.clients) client.detach();
    this.#stage.process = undefined;
    this.#stage.engine = undefined;
    this.#opening = false;
    this.#stage.session = undefined;
  }
}

import type { LogId, SessionId } from "../../src/base/ids.ts";
import type { Multiplexer } from "../../src/control/multiplex/multiplexer.ts";
import type { Command } from "../../src/protocol/commands.ts";
import type { Chance } from "../support/chance.ts";
import { chance } from "../support/chance.ts";
import type { Fate } from "./client.ts";
import { SimClient } from "./client.ts";
import { SimDisk } from "./disk.ts";
import { startEngine } from "./engine.ts";
import { checkLog, LogWatch, tellLog } from "./invariants.ts";
import type { SimProcess } from "./scheduler.ts";
import { Scheduler, settled } from "./scheduler.ts";
import { Outside } from "./tools.ts";

/** Steps of the wild part of a run; the calm part after it ends when nothing is left to do. */
export const STEPS = 400;
const CALM_STEPS_MAX = 20_000;
const CLIENTS = 3;
const TRACE_LINES_MAX = 4_000;
const JUMP_MS_MAX = 7_200_000;
const FULL_STEPS_MAX = 30;

export interface RunReport {
  readonly seed: number;
  readonly steps: number;
  readonly events: number;
  /** Empty where everything held. */
  readonly violations: readonly string[];
  /** What happened, line by line: equal for every run of one seed. */
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
 * Plays one seed: the real engine, multiplexer, bus and history with several clients over a world that fails, then calms
 * down. What is promised (REL-02, REL-05, ENG-12, ENG-18) is checked after every step and at the end.
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

/** What is loaded when it is first used takes the machine's time, and no seed decides about that. */
async function warmUp(): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const run = new Run(seed);
    await run.wild(STEPS);
    await run.calm();
  }
}

class Run {
  readonly #seed: number;
  readonly #chance: Chance;
  readonly #scheduler: Scheduler;
  readonly #outside = new Outside();
  readonly #disk: SimDisk;
  readonly #watch: LogWatch;
  readonly #clients: SimClient[] = [];
  readonly #clientProcess: SimProcess;
  readonly #living = new Set<number>();
  readonly #violations: string[] = [];
  readonly #trace: string[] = [];
  #process: SimProcess | undefined;
  #engine: Multiplexer | undefined;
  /** The log of the run, once it was made, and its newest run as far as anybody knows. */
  #log: LogId | undefined;
  #session: SessionId | undefined;
  #opening = false;
  /** The question that was answered last; now and then one is answered twice. */
  #answered = 0;
  /** The step at which somebody makes room on the disk. */
  #fullUntil = 0;
  /** The session was seen to go on no more. */
  #over = false;
  #providerFaults = 0;
  #inputs = 0;
  #steps = 0;
  /** Inputs whose acceptance was told, by their text. */
  readonly #accepted = new Set<string>();

  constructor(seed: number, options: RunOptions = {}) {
    this.#seed = seed;
    this.#chance = chance(seed);
    this.#scheduler = new Scheduler(this.#chance);
    this.#disk = new SimDisk(this.#chance, (pid) => this.#living.has(pid));
    this.#disk.faults.lying = options.diskLies === true;
    this.#watch = new LogWatch((what) => this.#violated(what));
    this.#clientProcess = this.#scheduler.startProcess();
  }

  async report(): Promise<RunReport> {
    const log = this.#log === undefined ? [] : await tellLog(this.#disk.content, this.#log);
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
      if (this.#chance.happens(0.02)) await this.#fail();
      else if (this.#chance.happens(0.15)) this.#act();
      else this.#tell(await this.#scheduler.next());
      await this.#check();
    }
  }

  /** The world gets well again: everything that was begun must now come to its end. */
  async calm(): Promise<void> {
    this.#tell("calm");
    this.#providerFaults = 0;
    this.#disk.faults.full = false;
    this.#disk.faults.failing = 0;
    let quiet = 0;
    for (let step = 0; step < CALM_STEPS_MAX && this.#violations.length === 0; step++) {
      if (!this.#scheduler.idle) {
        this.#tell(await this.#scheduler.next());
        if (this.#chance.happens(0.2)) this.#answer();
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
    if (this.#engine === undefined) this.#boot();
    const client = this.#clients.find(({ isAttached }) => isAttached);
    if (client === undefined) return this.#reopen();
    if (this.#lastFate === "fine") return false;
    this.#input(client, (fate) => {
      this.#lastFate = fate.kind === "accepted" ? "fine" : "refused";
      if (fate.kind === "refused") this.#reopen();
    });
    await settled();
    return true;
  }

  #lastFate: "none" | "fine" | "refused" = "none";

  async #end(): Promise<void> {
    if (this.#violations.length > 0 || this.#engine === undefined || this.#log === undefined) return;
    let closed = false;
    const closing = this.#engine.close("user").then(() => {
      closed = true;
    });
    closing.catch((thrown: unknown) => this.#violated(`closing threw ${String(thrown)}`));
    for (let step = 0; step < CALM_STEPS_MAX && !(closed && this.#scheduler.idle); step++) {
      this.#tell(await this.#scheduler.next());
    }
    if (!closed) this.#violated("the engine did not close");
    if ((this.#process?.timers ?? 0) > 0) this.#violated("a timer is left when everything has ended");
    if ((this.#process?.waiting ?? 0) > 0) this.#violated("something still waits when everything has ended");
    const log = this.#log;
    const { effects } = this.#outside;
    const found = await checkLog(this.#disk.content, log, { accepted: this.#accepted, effects });
    for (const what of found) this.#violated(what);
  }

  #boot(): void {
    const process = this.#scheduler.startProcess();
    this.#living.add(process.pid);
    this.#process = process;
    this.#engine = startEngine({
      process,
      chance: this.#chance,
      disk: this.#disk,
      outside: this.#outside,
      isAlive: (pid) => this.#living.has(pid),
      providerFaults: () => this.#providerFaults,
      violated: (what) => this.#violated(what),
    });
    this.#tell(`${process.pid}: starts`);
  }

  /** Opens the session, or a new run of it where there was one. */
  #reopen(): boolean {
    const engine = this.#engine;
    if (engine === undefined || this.#opening) return false;
    this.#opening = true;
    void this.#open(engine).finally(() => {
      this.#opening = false;
    });
    return true;
  }

  async #open(engine: Multiplexer): Promise<void> {
    try {
      const old = this.#session;
      const [ender] = this.#clients;
      if (old !== undefined && ender !== undefined) {
        await ender.attach(engine, old);
        await ender.send({ kind: "EndSession", sessionId: old });
      }
      const resume = this.#log !== undefined && (await this.#disk.content.find(this.#log)) !== undefined;
      const { session } = await engine.open({
        kind: "CreateSession",
        profile: "sim",
        ...(resume && this.#log !== undefined ? { resume: this.#log } : {}),
      });
      if (engine !== this.#engine) return;
      if (!resume) this.#watch.forget();
      this.#log = session.logId;
      this.#session = session.id;
      this.#over = false;
      while (this.#clients.length < CLIENTS) this.#clients.push(this.#newClient(session.logId));
      for (const client of this.#clients) await client.attach(engine, session.id);
      const [first] = this.#clients;
      void first?.send({ kind: "AttachSession", sessionId: session.id });
    } catch (thrown) {
      this.#tell(`not opened: ${String(thrown)}`);
    }
  }

  #newClient(log: LogId): SimClient {
    return new SimClient(log, { process: this.#clientProcess, violated: (what) => this.#violated(what) });
  }

  #kill(): void {
    const process = this.#process;
    if (process === undefined) return;
    this.#scheduler.kill(process);
    this.#living.delete(process.pid);
    for (const client of this.#clients) client.detach();
    this.#process = undefined;
    this.#engine = undefined;
    this.#opening = false;
    this.#session = undefined;
  }

  async #fail(): Promise<void> {
    const what = this.#chance.of(["kill", "kill", "power", "full", "failing", "jump", "provider"] as const);
    this.#tell(`fault: ${what}`);
    switch (what) {
      case "kill":
        return this.#kill();
      case "power":
        this.#kill();
        await this.#disk.losePower();
        for (const client of this.#clients) client.forget();
        this.#watch.forget();
        return;
      case "full":
        this.#disk.faults.full = true;
        this.#fullUntil = this.#steps + this.#chance.below(FULL_STEPS_MAX);
        return;
      case "failing":
        this.#disk.faults.failing = this.#disk.faults.failing === 0 ? 0.1 : 0;
        return;
      case "jump":
        return this.#scheduler.jump(Math.round((this.#chance.number() - 0.5) * 2 * JUMP_MS_MAX));
      case "provider":
        this.#providerFaults = this.#providerFaults === 0 ? 0.3 : 0;
    }
  }

  /** A person, or whoever starts engines, does something. */
  #act(): void {
    if (this.#engine === undefined) {
      this.#boot();
      return;
    }
    const attached = this.#clients.filter(({ isAttached }) => isAttached);
    if (this.#session === undefined || this.#over || attached.length === 0) {
      const [back] = this.#clients;
      if (this.#session === undefined || back === undefined || this.#chance.happens(0.5)) this.#reopen();
      else this.#comeBack(back, this.#engine, this.#session);
      return;
    }
    const client = this.#chance.of(attached);
    const sessionId = this.#session;
    const what = this.#chance.of(ACTIONS);
    this.#tell(`client: ${what}`);
    switch (what) {
      case "input":
        this.#input(client);
        return;
      case "answer":
        this.#answer();
        return;
      case "cancel":
        this.#send(client, { kind: "CancelTurn", sessionId });
        return;
      case "compact":
        this.#send(client, { kind: "CompactSession", sessionId });
        return;
      case "withdraw":
        this.#withdraw(client);
        return;
      case "leave":
        client.detach();
        return;
      case "come back": {
        const away = this.#clients.find(({ isAttached }) => !isAttached);
        if (away !== undefined) void away.attach(this.#engine, sessionId);
        return;
      }
      case "pin":
        this.#send(client, { kind: "PinSession", sessionId, pinned: this.#chance.happens(0.5) });
        return;
      case "all leave":
        for (const each of attached) each.detach();
        return;
      case "attach":
        this.#attach(client, sessionId);
        return;
      case "reopen":
        this.#reopen();
        return;
    }
  }

  /** Goes on with the session, or with a new run of its log where it has ended. */
  #attach(client: SimClient, sessionId: SessionId): void {
    const engine = this.#engine;
    this.#send(client, { kind: "AttachSession", sessionId }, (fate) => {
      if (fate.kind === "refused" || engine === undefined || engine !== this.#engine) return;
      const { sessionId: now = sessionId } = fate.accepted;
      if (now === this.#session) return;
      if (this.#session !== sessionId) return; // somebody else has opened a newer run meanwhile
      this.#session = now;
      this.#over = false;
      for (const each of this.#clients) void each.attach(engine, now);
    });
  }

  /** A client that finds a session that may have ended asks for it to go on. */
  #comeBack(client: SimClient, engine: Multiplexer, sessionId: SessionId): void {
    this.#tell("client: comes back to a session");
    void client.attach(engine, sessionId).then(() => this.#attach(client, sessionId));
  }

  #input(client: SimClient, then?: (fate: Fate) => void): void {
    if (this.#session === undefined) return;
    this.#inputs += 1;
    const text = `input ${this.#inputs}.`;
    const delivery = then === undefined ? this.#chance.of(DELIVERIES) : "reject";
    const content = [{ type: "text" as const, text }];
    this.#send(client, { kind: "SendInput", sessionId: this.#session, content, delivery }, (fate) => {
      if (fate.kind === "accepted") this.#accepted.add(text);
      then?.(fate);
    });
  }

  /** Takes back an input that waits, as far as the client has seen. */
  #withdraw(client: SimClient): void {
    const queued = client.seen.findLast(({ kind }) => kind === "InputQueued");
    if (queued?.kind !== "InputQueued" || this.#session === undefined) return;
    const { inputId } = queued.payload;
    this.#send(client, { kind: "WithdrawInput", sessionId: this.#session, inputId });
  }

  /** Answers what is asked, as far as the client has seen it. */
  #answer(): void {
    const client = this.#clients.find(({ isAttached }) => isAttached);
    const sessionId = this.#session;
    if (client === undefined || sessionId === undefined) return;
    const asked = client.seen.findLast(({ kind }) => kind === "PermissionRequested" || kind === "Asked");
    if (asked === undefined || (asked.id === this.#answered && !this.#chance.happens(0.1))) return;
    this.#answered = asked.id;
    if (asked?.kind === "PermissionRequested") {
      const { callId } = asked.payload;
      const decision = this.#chance.happens(0.7) ? "allow" : "deny";
      this.#send(client, { kind: "AnswerPermission", sessionId, callId, decision, scope: "once" });
    } else if (asked?.kind === "Asked") {
      const { askId, choices = [] } = asked.payload;
      const answer = this.#chance.happens(0.1) ? "abort" : this.#chance.of(choices.slice(0, 2)).value;
      this.#send(client, { kind: "Answer", sessionId, askId, answer });
    }
  }

  #send(client: SimClient, command: Command, then?: (fate: Fate) => void): void {
    void client.send(command).then((fate) => {
      this.#tell(`${command.kind}: ${fate.kind === "accepted" ? "accepted" : fate.reason}`);
      // What cannot go on is opened anew by whoever acts next.
      if (fate.kind === "refused" && OVER.has(fate.reason) && command.kind !== "EndSession")
        this.#over = true;
      then?.(fate);
    });
  }

  async #check(): Promise<void> {
    this.#steps += 1;
    if (this.#steps > this.#fullUntil) this.#disk.faults.full = false;
    for (const [callId, times] of this.#outside.effects) {
      if (times > 1) this.#violated(`the call ${callId} changed the world ${times} times`);
    }
    if (this.#log !== undefined) await this.#watch.look(this.#disk.content, this.#log);
  }

  #violated(what: string): void {
    this.#violations.push(what);
    this.#tell(`VIOLATED: ${what}`);
  }

  #tell(line: string): void {
    if (this.#trace.length < TRACE_LINES_MAX) this.#trace.push(line);
  }
}

const OVER: ReadonlySet<string> = new Set(["UnknownSession", "EngineStopping", "StoreUnwritable"]);
const ACTIONS = [
  "input",
  "input",
  "input",
  "answer",
  "answer",
  "answer",
  "cancel",
  "withdraw",
  "compact",
  "leave",
  "come back",
  "pin",
  "all leave",
  "attach",
  "attach",
  "reopen",
] as const;
const DELIVERIES = ["reject", "queue", "steer"] as const;

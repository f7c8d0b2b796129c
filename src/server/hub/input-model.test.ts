import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { settle } from "../../../test/support/fake-clock.ts";
import { holds } from "../../../test/support/property.ts";
import type { Rig } from "../../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import type { ScriptedAnswer } from "../../../test/support/scripted-provider.ts";
import { calls, says } from "../../../test/support/scripted-provider.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { InputId } from "../../base/ids.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import type { SessionStore } from "../../session/store/store.ts";

/** Next act of a person, an agent, the machine or chance. `hops`: steps of everything else before it. */
type Act =
  | { readonly do: "send"; readonly how: "reject" | "queue" | "steer"; readonly who: "person" | "agent" }
  | { readonly do: "withdraw"; readonly nth: number }
  | { readonly do: "cancel" }
  | { readonly do: "model answers" }
  | { readonly do: "tool ends" }
  | { readonly do: "crash" };

interface Step {
  readonly act: Act;
  readonly hops: number;
}

interface Sent {
  readonly text: string;
  accepted: boolean;
  inputId?: InputId;
  withdrawn?: boolean;
}

const MICROTASKS_MAX = 60;
const ANSWERS = 400;

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("send" as const),
        how: fc.constantFrom("reject", "queue", "queue", "steer"),
        who: fc.constantFrom("person", "person", "agent"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("withdraw" as const), nth: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const) }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("model answers" as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("tool ends" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
  ),
  hops: fc.oneof(fc.nat(MICROTASKS_MAX), fc.constant(-1)),
});

/** One log over several processes, of which each but the last was killed. */
class Machine {
  readonly #world = testWorld();
  readonly #alive = new Set<string>();
  readonly #store: SessionStore;
  #runs = 0;
  #rig: Rig | undefined;
  #agent: Connection | undefined;
  #dead: Rig[] = [];
  #models: (() => void)[] = [];
  #tools: (() => void)[] = [];
  #isFree = false;
  readonly sent: Sent[] = [];
  /** The texts that had an effect, in order. */
  readonly effects: string[] = [];
  /** Inputs that must have no effect until a person sends something; and those that must never have one. */
  #frozen = new Set<string>();
  readonly violations: string[] = [];

  constructor() {
    this.#store = memorySessionStore({ isAlive: (_pid, start) => this.#alive.has(start) });
  }

  get rig(): Rig {
    if (this.#rig === undefined) throw new Error("nothing runs");
    return this.#rig;
  }

  async open(): Promise<void> {
    const before = this.#rig;
    this.#runs += 1;
    const run = `run ${this.#runs}`;
    this.#alive.clear();
    this.#alive.add(run);
    this.#models = [];
    this.#tools = [];
    this.#rig = await openRig({
      world: this.#world,
      store: this.#store,
      processStart: run,
      attended: false,
      orphans: { kind: "failed" },
      ...(before === undefined ? {} : { resume: before.session.logId }),
      script: Array.from({ length: ANSWERS }, () => this.#answer()),
      tools: [this.#tool(run)],
    });
    this.#agent = await this.#rig.connect("agent");
  }

  async take({ act, hops }: Step): Promise<void> {
    if (hops < 0) await settle();
    for (let hop = 0; hop < hops; hop++) await undefined;
    switch (act.do) {
      case "send":
        void this.send(act.how, act.who); // it catches its own refusal
        return;
      case "withdraw":
        return this.#withdraw(act.nth);
      case "cancel":
        this.#freeze();
        this.rig.connection
          .send({ kind: "CancelTurn", sessionId: this.rig.session.id })
          .catch(() => undefined); // the process may be killed meanwhile
        return;
      case "model answers":
        return this.#models.shift()?.();
      case "tool ends":
        return this.#tools.shift()?.();
      case "crash":
        this.#freeze();
        this.#dead.push(this.rig);
        await this.open();
        return;
    }
  }

  send(how: "reject" | "queue" | "steer", who: "person" | "agent"): Promise<void> {
    const entry: Sent = { text: `input ${this.sent.length + 1}`, accepted: false };
    this.sent.push(entry);
    const connection = who === "person" ? this.rig.connection : this.#agent;
    const { id: sessionId } = this.rig.session;
    const content = [{ type: "text" as const, text: entry.text }];
    // From here on it may be accepted at any moment, and what was held follows it.
    if (who === "person") this.#frozen.clear();
    return (
      connection?.send({ kind: "SendInput", sessionId, content, delivery: how }).then(
        ({ inputId }) => {
          entry.accepted = true;
          if (inputId !== undefined) entry.inputId = inputId;
        },
        () => undefined,
      ) ?? Promise.resolve()
    );
  }

  #withdraw(nth: number): void {
    const waiting = this.sent.filter(({ inputId, withdrawn }) => inputId !== undefined && withdrawn !== true);
    const entry = waiting.at(-1 - (nth % Math.max(1, waiting.length)));
    if (entry?.inputId === undefined) return;
    this.rig.connection
      .send({ kind: "WithdrawInput", sessionId: this.rig.session.id, inputId: entry.inputId })
      .then(
        () => {
          entry.withdrawn = true;
        },
        () => undefined,
      );
  }

  #freeze(): void {
    for (const { text } of this.sent) this.#frozen.add(text);
  }

  /** Lets everything run to its end, and gives the log. */
  async finish(): Promise<readonly Envelope[]> {
    this.#isFree = true;
    for (let more = true; more; ) {
      await settle();
      more = this.#models.length + this.#tools.length > 0;
      for (const answer of this.#models.splice(0)) answer();
      for (const end of this.#tools.splice(0)) end();
    }
    await this.rig.session.idle();
    await settle();
    return this.rig.events;
  }

  async close(): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    // A killed process frees nothing; here its remains must not be left in the temporary folder.
    await Promise.allSettled(this.#dead.map(async (rig) => await rig[Symbol.asyncDispose]()));
  }

  /** Acts on the newest words it was given, once; then it is done. */
  #answer(): ScriptedAnswer {
    const machine = this;
    return async function* (request, signal) {
      await machine.#wait(machine.#models, signal);
      const newest = request.messages.at(-1)?.content.at(-1);
      if (newest?.type === "text")
        yield* calls({ name: "Act", input: { text: newest.text } })(request, signal);
      else yield* says("done")(request, signal);
    };
  }

  #tool(run: string) {
    return fakeTool(
      "Act",
      async (input, { signal }) => {
        if (!this.#alive.has(run)) return ok("a dead process does nothing");
        const { text } = input as { readonly text: string };
        this.effects.push(text);
        if (this.#frozen.has(text)) this.violations.push(`${text} after a cancel or crash`);
        await this.#wait(this.#tools, signal);
        return ok("done");
      },
      { mutating: true },
    );
  }

  #wait(gates: (() => void)[], signal: AbortSignal): Promise<void> {
    if (this.#isFree) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      gates.push(resolve);
      signal.addEventListener("abort", () => {
        gates.splice(gates.indexOf(resolve) >>> 0, 1);
        reject(signal.reason);
      });
    });
  }
}

function begunInputs(log: readonly Envelope[]): readonly InputId[] {
  return log.flatMap(({ kind, payload }) => {
    if (kind === "TurnStarted") return payload.inputId === undefined ? [] : [payload.inputId];
    if (kind !== "CustomEvent" || payload.kind !== "InputDelivered") return [];
    return [(payload.payload as { inputId: InputId }).inputId];
  });
}

test("[ENG-26 R26 ENG-18] whatever is sent, steered, withdrawn, cancelled and killed: no stopped input continues, nothing happens twice, nothing accepted is lost", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
    const machine = new Machine();
    await machine.open();
    for (const each of steps) await machine.take(each);
    await machine.finish();
    // A person's last word releases what is held.
    await machine.send("queue", "person");
    const log = await machine.finish();

    expect(machine.violations).toEqual([]);
    expect(machine.effects).toEqual([...new Set(machine.effects)]);
    const begun = begunInputs(log);
    expect(begun).toEqual([...new Set(begun)]);
    for (const { text, accepted, inputId, withdrawn = false } of machine.sent) {
      if (inputId === undefined) continue;
      expect([text, accepted, begun.includes(inputId)]).toEqual([text, accepted, !withdrawn]);
      if (withdrawn) expect(machine.effects).not.toContain(text);
    }
    const started = log.flatMap(({ kind, payload }) => (kind === "TurnStarted" ? [payload.turn] : []));
    const ended = log.flatMap(({ kind, payload }) => (kind === "TurnEnded" ? [payload.turn] : []));
    expect(started).toEqual(started.map((_, at) => at + 1));
    expect(ended).toEqual(started);
    await machine.close();
  });
  await holds(property, 150);
});

// Seen red: a cancel that came while the input was examined found no turn, and the input ran.
test("[ENG-26 R26] a cancel sent behind an input, however close, stops it", async () => {
  for (const how of ["reject", "queue", "steer"] as const) {
    for (let hops = 0; hops <= MICROTASKS_MAX; hops++) {
      const machine = new Machine();
      await machine.open();
      await machine.take({ act: { do: "send", how, who: "person" }, hops: -1 });
      await machine.take({ act: { do: "cancel" }, hops });
      await machine.finish();
      expect([how, hops, machine.violations]).toEqual([how, hops, []]);
      await machine.close();
    }
  }
});

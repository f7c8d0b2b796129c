import type { SessionId } from "../../src/base/ids.ts";
import type { Command } from "../../src/protocol/commands/commands.ts";
import type { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import type { Fate, SimClient } from "./client.ts";
import { RULE } from "./kept-words.ts";
import type { Stage } from "./stage.ts";

const OVER: ReadonlySet<string> = new Set(["UnknownSession", "EngineStopping", "StoreUnwritable"]);
const DELIVERIES = ["reject", "queue", "steer"] as const;

/** Actions of clients in a session: prompts, answers, resumes. */
export class Talking {
  readonly #stage: Stage;
  /** The question that was answered last; now and then one is answered twice. */
  #answered = 0;
  #inputs = 0;
  /** Inputs whose acceptance was told, by their text. */
  readonly accepted = new Set<string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Goes on with the session, or with a new run of its log where it has ended. */
  attach(client: SimClient, sessionId: SessionId): void {
    const engine = this.#stage.engine;
    this.send(client, { kind: "AttachSession", sessionId }, (fate) => {
      if (fate.kind === "refused" || engine === undefined || engine !== this.#stage.engine) return;
      const { sessionId: now = sessionId } = fate.accepted;
      if (now === this.#stage.session) return;
      if (this.#stage.session !== sessionId) return; // somebody else has opened a newer run meanwhile
      this.#stage.session = now;
      this.#stage.over = false;
      for (const each of this.#stage.clients) void each.attach(engine, now);
    });
  }

  /** A client that finds a session that may have ended asks for it to go on. */
  comeBack(client: SimClient, engine: Multiplexer, sessionId: SessionId): void {
    this.#stage.tell("client: comes back to a session");
    void client.attach(engine, sessionId).then(() => this.attach(client, sessionId));
  }

  input(client: SimClient, then?: (fate: Fate) => void): void {
    if (this.#stage.session === undefined) return;
    this.#inputs += 1;
    const text = `input ${this.#inputs}.${this.#inputs % 4 === 1 ? ` ${RULE}` : ""}`;
    const delivery = then === undefined ? this.#stage.chance.of(DELIVERIES) : "reject";
    const content = [{ type: "text" as const, text }];
    this.send(client, { kind: "SendInput", sessionId: this.#stage.session, content, delivery }, (fate) => {
      if (fate.kind === "accepted") this.accepted.add(text);
      then?.(fate);
    });
  }

  /** Takes back an input that waits, as far as the client has seen. */
  withdraw(client: SimClient): void {
    const queued = client.seen.findLast(({ kind }) => kind === "InputQueued");
    if (queued?.kind !== "InputQueued" || this.#stage.session === undefined) return;
    const { inputId } = queued.payload;
    this.send(client, { kind: "WithdrawInput", sessionId: this.#stage.session, inputId });
  }

  /** Answers what is asked, as far as the client has seen it. */
  answer(): void {
    const client = this.#stage.clients.find(({ isAttached }) => isAttached);
    const sessionId = this.#stage.session;
    if (client === undefined || sessionId === undefined) return;
    const asked = client.seen.findLast(({ kind }) => kind === "PermissionRequested" || kind === "Asked");
    if (asked === undefined || (asked.id === this.#answered && !this.#stage.chance.happens(0.1))) return;
    this.#answered = asked.id;
    if (asked?.kind === "PermissionRequested") {
      const { callId } = asked.payload;
      const decision = this.#stage.chance.happens(0.7) ? "allow" : "deny";
      this.send(client, { kind: "AnswerPermission", sessionId, callId, decision, scope: "once" });
    } else if (asked?.kind === "Asked") {
      const { askId, choices = [] } = asked.payload;
      const answer = this.#stage.chance.happens(0.1)
        ? "abort"
        : this.#stage.chance.of(choices.slice(0, 2)).value;
      this.send(client, { kind: "Answer", sessionId, askId, answer });
    }
  }

  send(client: SimClient, command: Command, then?: (fate: Fate) => void | Promise<void>): void {
    void client.send(command).then(async (fate) => {
      this.#stage.tell(`${command.kind}: ${fate.kind === "accepted" ? "accepted" : fate.reason}`);
      // What cannot go on is opened anew by whoever acts next.
      if (fate.kind === "refused" && OVER.has(fate.reason) && command.kind !== "EndSession")
        this.#stage.over = true;
      await then?.(fate);
    });
  }
}

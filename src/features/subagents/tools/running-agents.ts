import { Cancelled, HarnessError } from "../../../base/errors.ts";
import type { CallId, IdSource } from "../../../base/ids.ts";
import { jsonCharacters } from "../../../base/json.ts";
import { count } from "../../../base/text/text.ts";
import type { Accepted, CommandOf } from "../../../protocol/commands/commands.ts";
import type { AttachedClient } from "../../../session/access/client.ts";
import type { SessionCommands } from "../../../session/commands/query-handlers.ts";
import type { AgentInput, AgentInputs, AgentRunner } from "../../../session/spawn.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { ToolOutput } from "../../../tools/tool.ts";

/** Inputs that may wait for one sub-agent. */
export const AGENT_INPUTS_MAX = 8;
/** Characters of all of them together, approximately. */
export const AGENT_INPUTS_CHARS_MAX = 1024 * 1024;

/** The sub-agents and delegated tasks of one session that run now, by the calls that run them (CTL-19). */
export class RunningAgents {
  readonly #ids: IdSource;
  readonly #running = new Map<CallId, RunningAgent>();

  constructor(ids: IdSource) {
    this.#ids = ids;
  }

  /** Opens a call. It can be stopped until it is disposed of, or until its sub-agent has ended. */
  open(callId: CallId, parent: AbortSignal): RunningAgent {
    const agent = new RunningAgent(parent, () => this.#running.delete(callId));
    this.#running.set(callId, agent);
    return agent;
  }

  readonly commands: Pick<SessionCommands, "StopAgent" | "SteerAgent"> = {
    StopAgent: async (command, client) => {
      this.#find(command).stop(client);
      return {};
    },
    SteerAgent: async (command, client) => await this.#steer(command, client),
  };

  async #steer(command: CommandOf<"SteerAgent">, client: AttachedClient): Promise<Accepted> {
    const { kind, content } = command;
    const agent = this.#find(command);
    if (agent.isStopped) throw new HarnessError("InvalidCommand", { kind, why: "the sub-agent was stopped" });
    const inputId = this.#ids.next("inp");
    await agent.steer({ inputId, content, originator: client.id });
    return { inputId };
  }

  #find({ kind, callId }: CommandOf<"StopAgent" | "SteerAgent">): RunningAgent {
    const agent = this.#running.get(callId);
    if (agent !== undefined) return agent;
    const why = `no sub-agent runs for ${callId}: it has ended, or never was`;
    throw new HarnessError("InvalidCommand", { kind, why });
  }
}

/** One sub-agent, or delegated task, that runs. */
export class RunningAgent implements Disposable {
  readonly #stop = new AbortController();
  readonly signal: AbortSignal;
  readonly #close: () => void;
  #tell: Parameters<AgentInputs["begin"]>[0] | undefined;
  #waiting: readonly AgentInput[] = [];

  constructor(parent: AbortSignal, close: () => void) {
    this.signal = AbortSignal.any([parent, this.#stop.signal]);
    this.#close = close;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  stop({ id }: AttachedClient): void {
    this.#stop.abort(new Cancelled(id, "the sub-agent was stopped by the client"));
  }

  /**
   * Adds an input; resolves once it is in the log.
   * @throws HarnessError InvalidCommand if nothing can be sent to it now; InputQueueFull.
   */
  async steer(input: AgentInput): Promise<void> {
    const tell = this.#tell;
    if (tell === undefined) {
      const why =
        "nothing can be sent to it: it has not begun yet, or is a delegated task, whose session takes input itself";
      throw new HarnessError("InvalidCommand", { kind: "SteerAgent", why });
    }
    const { inputId, content, originator } = input;
    const characters = [...this.#waiting, input].reduce((sum, each) => sum + jsonCharacters(each.content), 0);
    if (this.#waiting.length >= AGENT_INPUTS_MAX || characters > AGENT_INPUTS_CHARS_MAX)
      throw new HarnessError("InputQueueFull", { count: String(this.#waiting.length) });
    this.#waiting = [...this.#waiting, input];
    const payload = { inputId, content: [...content], delivery: "steer" as const, originator };
    await tell({ kind: "InputQueued", payload }, originator);
  }

  /** Returns the inputs as the engine takes them. */
  inputs(examine: AgentRunner["examine"]): AgentInputs {
    return {
      examine,
      begin: (tell) => {
        this.#tell = tell;
      },
      first: () => this.#waiting[0],
      take: (inputId) => {
        this.#waiting = this.#waiting.filter((input) => input.inputId !== inputId);
      },
      end: async () => {
        const tell = this.#tell;
        const left = this.#waiting;
        this[Symbol.dispose]();
        for (const { inputId } of left) await tell?.({ kind: "InputWithdrawn", payload: { inputId } });
      },
    };
  }

  [Symbol.dispose](): void {
    this.#close();
    this.#tell = undefined;
    this.#waiting = [];
  }
}

/** Returns the result of a call whose sub-agent was stopped. */
export function stoppedOutput(rounds: number): ToolOutput {
  const when = rounds === 0 ? "before its first round" : `after ${count(rounds, "round")}`;
  return errorOutput(
    `A client stopped this sub-agent ${when}, so it gave no answer. Do not start it again unasked: continue without it, or ask what the user wants instead.`,
  );
}

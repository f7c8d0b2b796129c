import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { CallId } from "../../../base/ids.ts";
import { byteLength } from "../../../base/text/text.ts";
import { CancelNode } from "../../../engine/cancel.ts";
import type { DispatchContext } from "../../../engine/loop/dispatch.ts";
import type { PendingCall } from "../../../engine/loop/reply.ts";
import { TurnTiming } from "../../../engine/loop/timing.ts";
import type { Accepted, CommandOf } from "../../../protocol/commands/commands.ts";
import { SHELL_COMMAND_BYTES_MAX } from "../../../protocol/commands/run-limits.ts";
import type { AttachedClient } from "../../access/client.ts";
import { assertHuman } from "../../questions/questions.ts";
import type { SessionDependencies } from "../session-dependencies.ts";
import { shellInput } from "./shell-text.ts";

/** Commands of people that may wait in one session while another one runs. */
export const SHELL_RUNS_WAITING_MAX = 8;

export interface ShellRunsOptions {
  readonly parts: Pick<SessionDependencies, "world" | "session" | "bus" | "engine" | "shellTool">;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Returns the refusal of a command while the session is being ended; undefined before that. */
  ending(): HarnessError | undefined;
  /** Resolves once nothing of an earlier run is open any more. */
  settled(client: AttachedClient): Promise<void>;
  /** Returns the number of the newest turn; 0 before the first. */
  turn(): number;
  /** Called when nothing runs any more. */
  onFree(): void;
  /** Called when the log cannot be written any more. */
  onBroken(): void;
}

interface ShellRun {
  readonly call: PendingCall;
  /** Resolves once the log has its start: nothing of it happens before. */
  readonly accepted: Promise<void>;
  readonly command: string;
  readonly context: DispatchContext;
}

/**
 * The commands that people run in one session, one at a time, beside its turns (CTL-19).
 *
 * Each is a call of the shell's tool without a model: the same middleware judges it, asks about it, records, confines
 * and limits it. It is in the log before it is accepted, and runs on without its client.
 */
export class ShellRuns {
  readonly #options: ShellRunsOptions;
  /** The first one runs. */
  #runs: readonly ShellRun[] = [];
  #working: Promise<void> | undefined;

  constructor(options: ShellRunsOptions) {
    this.#options = options;
  }

  /** True while a command runs or waits. */
  get isBusy(): boolean {
    return this.#runs.length > 0;
  }

  /** Carries out a command of a client. @throws HarnessError if it is refused. */
  async carryOut(command: CommandOf<"RunShell" | "StopShell">, client: AttachedClient): Promise<Accepted> {
    assertHuman(client, command.kind);
    if (command.kind === "RunShell") {
      await this.#options.settled(client);
      return { result: { callId: await this.#start(command, client) } };
    }
    await this.#stop(command, client);
    return {};
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /**
   * Accepts a command, and resolves with the id of its call once the log has it.
   * @throws HarnessError InvalidCommand, ShellQueueFull.
   */
  async #start({ kind, command, toModel }: CommandOf<"RunShell">, { id }: AttachedClient): Promise<CallId> {
    const { parts, signal, turn } = this.#options;
    const { bus, engine, world, shellTool: name = "" } = parts;
    const why = this.#problemOf(command);
    if (why !== undefined) throw new HarnessError("InvalidCommand", { kind, why });
    if (this.#runs.length > SHELL_RUNS_WAITING_MAX)
      throw new HarnessError("ShellQueueFull", { count: String(SHELL_RUNS_WAITING_MAX) });
    const call: PendingCall = { id: world.ids.next("call"), name, input: { command } };
    const context: DispatchContext = {
      ...{ originator: id, origin: { originator: id }, turn: Math.max(1, turn()) },
      ...{ cancel: new CancelNode(signal), timing: new TurnTiming(world.clock), shell: { toModel } },
    };
    engine.dispatcher.start(call, context);
    const accepted = bus.commit("power");
    this.#runs = [...this.#runs, { call, accepted, command, context }];
    // Before the first wait: a session that ends meanwhile waits for its result.
    this.#work();
    await accepted;
    return call.id;
  }

  /** Stops a command, or takes back one that waits. @throws HarnessError InvalidCommand if there is none of this id. */
  async #stop({ kind, callId }: CommandOf<"StopShell">, { id }: AttachedClient): Promise<void> {
    const run = this.#runs.find(({ call }) => call.id === callId);
    if (run === undefined) {
      const why = `no command of a person runs or waits as ${callId}: it has ended, or never was`;
      throw new HarnessError("InvalidCommand", { kind, why });
    }
    run.context.cancel.cancel(new Cancelled(id, "stopped by the user"));
    if (run !== this.#runs[0]) {
      this.#remove(run);
      await this.#run(run); // it only tells its end
    }
    await this.#options.parts.bus.commit("power");
  }

  #problemOf(command: string): string | undefined {
    if (this.#options.ending() !== undefined) return "the session is being ended";
    if (byteLength(command) > SHELL_COMMAND_BYTES_MAX)
      return `the command is longer than ${SHELL_COMMAND_BYTES_MAX} bytes; write a script to a file and run that`;
    const { engine, shellTool } = this.#options.parts;
    if (shellTool !== undefined && engine.dispatcher.has(shellTool)) return undefined;
    return "this session has no shell: its profile leaves out the pack of its tools (tool_packs)";
  }

  #work(): void {
    this.#working ??= this.#runAll()
      .catch((thrown: unknown) => {
        const { world, session } = this.#options.parts;
        const what = messageOf(thrown);
        world.log.for("multiplex").write("error", "a command of a person cannot end", { session, what });
        this.#runs = [];
        this.#options.onBroken();
      })
      .finally(() => {
        this.#working = undefined;
        if (this.isBusy) this.#work();
        else this.#options.onFree();
      });
  }

  async #runAll(): Promise<void> {
    for (let [run] = this.#runs; run !== undefined; [run] = this.#runs) {
      try {
        await run.accepted;
        await this.#run(run);
      } finally {
        this.#remove(run);
      }
    }
  }

  #remove(run: ShellRun): void {
    run.context.cancel[Symbol.dispose]();
    this.#runs = this.#runs.filter((each) => each !== run);
  }

  async #run({ call, command, context }: ShellRun): Promise<void> {
    const { bus, engine } = this.#options.parts;
    const output = await engine.dispatcher.finish(call, context);
    if (bus.failure !== undefined) throw bus.failure;
    if (context.shell?.toModel === true) {
      const input = engine.redaction.input(shellInput(command, output));
      engine.conversation.addAside(input, this.#options.turn());
    }
    await bus.commit("power");
  }
}

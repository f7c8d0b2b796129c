import { whileAlive } from "../../base/async/deadline.ts";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Event, TurnEndReason } from "../../protocol/events/events.ts";
import { fence } from "../../safety/fence.ts";
import type { TurnContext } from "../moments.ts";
import type { Hooks } from "./hooks.ts";
import { hookRefusalOf } from "./hooks.ts";

/** The turn that a hook runs for. */
type HookTurn = Pick<TurnContext, "turn" | "signal" | "emit">;

export interface SessionHooksDependencies {
  readonly hooks: Pick<Hooks, "run">;
  /** "resume" if the session continues an earlier log. */
  readonly source: "new" | "resume";
  readonly emit: (event: Event) => void;
}

/** The hooks at the start of a session, with each prompt, and at the end of each turn. */
export class SessionHooks {
  readonly #parts: SessionHooksDependencies;
  readonly #end = new AbortController();
  #starting: Promise<readonly string[]> | undefined;
  #isStartTold = false;

  constructor(parts: SessionHooksDependencies) {
    this.#parts = parts;
  }

  /** Runs the SessionStart hooks, once. The first prompt waits for them and takes their context along. */
  begin(): void {
    this.#started().catch(() => undefined); // the first prompt reports it
  }

  /**
   * Returns the context that hooks add to a prompt, each behind the fence, before it is accepted.
   * @throws HarnessError PromptRefused if a hook refuses; signal.reason.
   */
  async onInput(content: readonly InputBlock[], at: HookTurn): Promise<readonly InputBlock[]> {
    const { signal, emit, turn } = at;
    const started = await whileAlive(this.#started(), signal);
    const said = this.#isStartTold ? [] : [...started];
    const input = () => ({ turn, prompt: promptOf(content) });
    for await (const each of this.#parts.hooks.run({ event: "UserPromptSubmit", input, signal, emit })) {
      const refusal = hookRefusalOf(each);
      if (refusal !== undefined) throw new HarnessError("PromptRefused", { why: refusal.why });
      if (each.outcome.kind === "answered" && each.outcome.answer.context !== undefined) {
        said.push(each.outcome.answer.context);
      }
    }
    this.#isStartTold = true;
    return said.flatMap(fenced);
  }

  /** Runs the hooks at the end of a turn. They change nothing; for a cancelled turn none runs. */
  async onTurnEnd(reason: TurnEndReason, { turn, signal, emit }: HookTurn): Promise<void> {
    if (signal.aborted) return;
    try {
      const results = this.#parts.hooks.run({ event: "Stop", input: () => ({ turn, reason }), signal, emit });
      for await (const _ of results);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  /** Runs the hooks before a compaction. They change nothing. */
  async onCompact(
    { trigger, tokens }: { readonly trigger: string; readonly tokens: number },
    { turn, signal, emit }: HookTurn,
  ): Promise<void> {
    const input = () => ({ turn, trigger, tokens });
    const results = this.#parts.hooks.run({ event: "Compact", input, signal, emit });
    for await (const _ of results);
  }

  /** Ends the hooks that still run: the session is over. */
  async end(): Promise<void> {
    this.#end.abort(new Cancelled("engine", "the session was ended"));
    await this.#starting?.catch(() => undefined);
  }

  #started(): Promise<readonly string[]> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<readonly string[]> {
    const { hooks, source, emit } = this.#parts;
    const { signal } = this.#end;
    const texts: string[] = [];
    for await (const { outcome } of hooks.run({
      event: "SessionStart",
      input: () => ({ source }),
      signal,
      emit,
    })) {
      if (outcome.kind === "answered" && outcome.answer.context !== undefined) {
        texts.push(outcome.answer.context);
      }
    }
    return texts;
  }
}

function fenced(text: string): readonly InputBlock[] {
  const section = fence("hook-output", text);
  return section === undefined ? [] : [{ type: "text", text: section }];
}

function promptOf(content: readonly InputBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

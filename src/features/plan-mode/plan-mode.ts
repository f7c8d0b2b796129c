import type { ClientId } from "../../base/ids.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import { errorOutput } from "../../tools/output.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { EXIT_PLAN_MODE_FACTS } from "./tools.ts";

/**
 * The CustomEvent of the namespace `cinch` that tells whether a session is in plan mode: `{active, by?, plan?}`. It comes
 * with each change, and before each turn that begins in plan mode, so that a resume need not read further back than that.
 */
export const PLAN_MODE = "PlanMode";

export interface PlanModeState {
  readonly active: boolean;
  /** Who changed it: a client, or the model, which can only enter. Absent where nothing changed. */
  readonly by?: ClientId | "model";
  /** The plan that a person approved. */
  readonly plan?: string;
}

/** What the model is told, beside its input, of a mode that it did not choose itself. */
const IN_PLAN_MODE =
  "You are in plan mode: nothing is to be changed yet. Look at what you need, with tools that only read; whatever else you call is refused. Then call ExitPlanMode with your plan, which a person approves or refuses.";
const IN_PLAN_MODE_UNATTENDED =
  "You are in plan mode: nothing is to be changed. Look at what you need, with tools that only read; whatever else you call is refused. Your plan is your answer: nobody is there to approve it, so end with all of it.";
const IN_PLAN_MODE_TASK =
  "Nothing is to be changed, since a plan is being made. Look at what you need, with tools that only read; whatever else you call is refused. Answer with what you have found.";
const LEFT_PLAN_MODE =
  "Plan mode is over: a person has ended it. What was planned may be carried out, as they say.";

export interface PlanModeOptions {
  /** Tells everybody how it stands. */
  readonly tell: (state: PlanModeState) => void;
  /** Whether the command of a call is known to only read. */
  readonly onlyReads: (call: ToolCall, context: ToolContext) => Promise<boolean>;
  /** Whether there is a person who could approve a plan. */
  readonly attended: boolean;
  /** Whether it does a task for a session that plans: then it makes no plan of its own. */
  readonly isTask?: boolean;
}

/**
 * Whether one session plans, or may act (ENG-21).
 *
 * To enter it takes nobody's approval, since it only restricts. It is left by a person alone: by their answer to a plan, or
 * by their command. Tools stay declared all the while, so that the cached prefix of requests holds; what changes something
 * is refused when it is called.
 */
export class PlanMode {
  readonly #options: PlanModeOptions;
  #active: boolean;
  /** Set where a person ended it, until the model was told. */
  #left = false;

  /** @param active whether it begins, or goes on, in plan mode. */
  constructor(active: boolean, options: PlanModeOptions) {
    this.#active = active;
    this.#options = options;
  }

  get active(): boolean {
    return this.#active;
  }

  /** False where it is in plan mode already. */
  enter(by: NonNullable<PlanModeState["by"]>): boolean {
    if (this.#active) return false;
    this.#active = true;
    this.#left = false;
    this.#options.tell({ active: true, by });
    return true;
  }

  /** A person lets the session act: with a plan that they approved, or without one, which the model is then told. */
  leave(by: ClientId, plan?: string): void {
    if (!this.#active) return;
    this.#active = false;
    this.#left = plan === undefined;
    this.#options.tell({ active: false, by, ...(plan === undefined ? {} : { plan }) });
  }

  /** Tells everybody how it stands, where nothing has changed. */
  tell(): void {
    this.#options.tell({ active: this.#active });
  }

  /** What goes to the model with an input that begins or enters a turn now. */
  reminder(): string | undefined {
    if (this.#active && this.#options.isTask === true) return IN_PLAN_MODE_TASK;
    if (this.#active) return this.#options.attended ? IN_PLAN_MODE : IN_PLAN_MODE_UNATTENDED;
    return this.#left ? LEFT_PLAN_MODE : undefined;
  }

  /** A turn has ended: it was told what it had to be told. */
  turnEnded(): void {
    this.#left = false;
  }

  /** Lets only calls through that change nothing, while it plans. Stands before the permission gate: nobody is asked about the rest. */
  readonly gate: ToolMiddleware = async (call, context, next) => {
    if (!this.#active || (await this.#changesNothing(call, context))) return await next(call, context);
    // It may have been left meanwhile, by a person.
    return this.#active ? errorOutput(refusalText(call, this.#options)) : await next(call, context);
  };

  async #changesNothing(call: ToolCall, context: ToolContext): Promise<boolean> {
    if (!call.tool.mutating || call.plan?.inPlanMode === true) return true;
    return call.plan?.target.kind === "command" && (await this.#options.onlyReads(call, context));
  }
}

function refusalText(
  { name, plan }: ToolCall,
  { attended, isTask = false }: Pick<PlanModeOptions, "attended" | "isTask">,
): string {
  const what =
    plan?.target.kind === "command"
      ? "this command is not known to only read"
      : `${name} may change something`;
  const unattended = isTask
    ? "Answer with what you have found."
    : "Nobody is there to approve a plan: give it as your answer.";
  const then = attended
    ? `Finish the plan and call ${EXIT_PLAN_MODE_FACTS.name} with it; once a person approves it you can act.`
    : unattended;
  return `PlanMode: ${what}, and the session is in plan mode, where nothing is changed. ${then}`;
}

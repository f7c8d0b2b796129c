import { defined } from "../../base/defined.ts";
import type { ClientId } from "../../base/ids.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import { errorOutput } from "../../tools/output.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { EXIT_PLAN_MODE_FACTS } from "./tools.ts";

/**
 * CustomEvent of the namespace `cinch` with the state of plan mode: `{active, by?, plan?}`. Emitted with each change,
 * and before each turn that begins in plan mode, so that a resume need not read further back.
 */
export const PLAN_MODE = "PlanMode";

export interface PlanModeState {
  readonly active: boolean;
  /** Originator of the change: a client, or the model, which can only enter. Absent if nothing changed. */
  readonly by?: ClientId | "model";
  /** The plan that a person approved. */
  readonly plan?: string;
}

/** Texts for the model, beside its input, about a mode that it did not choose itself. */
const IN_PLAN_MODE =
  "You are in plan mode: nothing is to be changed yet. Look at what you need, with tools that only read; whatever else you call is refused. Then call ExitPlanMode with your plan, which a person approves or refuses.";
const IN_PLAN_MODE_UNATTENDED =
  "You are in plan mode: nothing is to be changed. Look at what you need, with tools that only read; whatever else you call is refused. Your plan is your answer: nobody is there to approve it, so end with all of it.";
const IN_PLAN_MODE_TASK =
  "Nothing is to be changed, since a plan is being made. Look at what you need, with tools that only read; whatever else you call is refused. Answer with what you have found.";
const LEFT_PLAN_MODE =
  "Plan mode is over: a person has ended it. What was planned may be carried out, as they say.";

export interface PlanModeOptions {
  /** Publishes the state to every subscriber. */
  readonly publish: (state: PlanModeState) => void;
  /** Resolves to true if the command of a call is known to only read. */
  readonly onlyReads: (call: ToolCall, context: ToolContext) => Promise<boolean>;
  /** True if there is a person who could approve a plan. */
  readonly attended: boolean;
  /** True if it does a task for a session that plans: it then makes no plan of its own. */
  readonly isTask?: boolean;
}

/**
 * The state of one session: planning, or free to act (ENG-21).
 *
 * Entering needs no approval, since it only restricts. Only a person leaves it: by an answer to a plan, or by a
 * command. Tools stay declared meanwhile, so that the cached prefix of requests stays valid; a call that changes
 * something is refused.
 */
export class PlanMode {
  readonly #options: PlanModeOptions;
  #active: boolean;
  /** True if a person ended it, until the model was informed. */
  #left = false;
  /** True if the model knows that it plans: it entered, or an input told it. */
  #isKnown: boolean;

  /** @param active true if it begins, or continues, in plan mode. */
  constructor(active: boolean, options: PlanModeOptions) {
    this.#active = active;
    this.#isKnown = active;
    this.#options = options;
  }

  get active(): boolean {
    return this.#active;
  }

  /** Returns false if it is in plan mode already. */
  enter(by: NonNullable<PlanModeState["by"]>): boolean {
    if (this.#active) return false;
    this.#active = true;
    this.#isKnown = by === "model" || this.#left;
    this.#left = false;
    this.#options.publish({ active: true, by });
    return true;
  }

  /**
   * Lets the session act on a person's command: with a plan that they approved, or without one, which the model is
   * then told.
   */
  leave(by: ClientId, plan?: string): void {
    if (!this.#active) return;
    this.#active = false;
    this.#left = plan === undefined && this.#isKnown;
    this.#options.publish({ active: false, by, ...defined({ plan }) });
  }

  /** Publishes the unchanged state. */
  publish(): void {
    this.#options.publish({ active: this.#active });
  }

  /** Returns the text that goes to the model with an input that begins or enters a turn now. */
  reminder(): string | undefined {
    if (this.#active) this.#isKnown = true;
    if (this.#active && this.#options.isTask === true) return IN_PLAN_MODE_TASK;
    if (this.#active) return this.#options.attended ? IN_PLAN_MODE : IN_PLAN_MODE_UNATTENDED;
    return this.#left ? LEFT_PLAN_MODE : undefined;
  }

  /** Ends a turn: the model has been informed by then. */
  turnEnded(): void {
    this.#left = false;
  }

  /**
   * Lets only calls run that change nothing, while it plans. Precedes the permission gate: nobody is asked about
   * the rest.
   */
  readonly gate: ToolMiddleware = async (call, context, next) => {
    // A person's own command runs: the plan binds the model.
    const refused = context.byUser === true ? undefined : await this.refusal(call, context);
    return refused === undefined
      ? await next(call, context)
      : errorOutput(`PlanMode: ${refused}. ${nextStep(this.#options)}`);
  };

  /** Returns why a call is refused now, as a phrase for anyone; undefined if it is not. */
  async refusal(call: ToolCall, context: ToolContext): Promise<string | undefined> {
    if (!this.#active || (await this.#changesNothing(call, context))) return undefined;
    // A person may have left it meanwhile.
    return this.#active ? refusalPhrase(call) : undefined;
  }

  async #changesNothing(call: ToolCall, context: ToolContext): Promise<boolean> {
    if (!call.tool.mutating || call.plan?.inPlanMode === true) return true;
    return call.plan?.target.kind === "command" && (await this.#options.onlyReads(call, context));
  }
}

/** Words for a person who may lift the refusal. The model gets `nextStep` instead. */
export const LEAVE_PLAN_MODE = "approve the plan, end plan mode with /plan off, or start without --plan";

function refusalPhrase({ name, plan }: ToolCall): string {
  const what =
    plan?.target.kind === "command"
      ? "this command is not known to only read"
      : `${name} may change something`;
  return `${what}, and the session is in plan mode, where nothing is changed`;
}

/** Returns what the model is to do instead of a refused call. */
function nextStep({ attended, isTask = false }: Pick<PlanModeOptions, "attended" | "isTask">): string {
  if (attended)
    return `Finish the plan and call ${EXIT_PLAN_MODE_FACTS.name} with it; once a person approves it you can act.`;
  return isTask
    ? "Answer with what you have found."
    : "Nobody is there to approve a plan: give it as your answer.";
}

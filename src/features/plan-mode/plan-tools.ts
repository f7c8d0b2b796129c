import type { ClientId } from "../../base/ids.ts";
import { textOfJson } from "../../base/json.ts";
import type { AskOutcome, NewQuestion } from "../../session/questions.ts";
import type { InputOf } from "../../tools/arguments.ts";
import { errorOutput, textOutput } from "../../tools/output.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput, ToolSource } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool.ts";
import type { PlanMode } from "./plan-mode.ts";
import { ENTER_PLAN_MODE_FACTS, EXIT_PLAN_MODE_FACTS } from "./tools.ts";

const PLAN_CHARACTERS_MAX = 100_000;
/** Time for the question, in addition to the time that a person has to answer. */
const ASKING_MS_MAX = 10_000;

export const APPROVE = "approve";
export const DENY = "deny";

export interface PlanToolDependencies {
  readonly mode: PlanMode;
  readonly ask: (question: NewQuestion, signal: AbortSignal) => Promise<AskOutcome>;
  /** Limit for the time that a question about a plan waits for its answer. */
  readonly answerMsMax: number;
}

/**
 * Returns the tools of plan mode: the model enters it itself, and asks a person to approve its plan (TOOL-05, ENG-21).
 */
export function planTools(dependencies: PlanToolDependencies): ToolSource {
  const tools = [enterPlanMode(dependencies.mode), exitPlanMode(dependencies)];
  return { name: "plan", tools: () => tools };
}

function enterPlanMode(mode: PlanMode): Tool {
  return {
    ...ENTER_PLAN_MODE_FACTS,
    description: "Starts plan mode: until a person approves your plan, only reading calls run.",
    aliases: {},
    inputSchema: { type: "object", properties: {} },
    lazy: true,
    plan: (_input, context) => planned({}, context, ENTER_PLAN_MODE_FACTS.name),
    async run(_plan, { signal }) {
      signal.throwIfAborted();
      return mode.enter("model")
        ? textOutput(
            `Plan mode is on. Look at what you need, then call ${EXIT_PLAN_MODE_FACTS.name} with the plan. Calls that change something are refused until a person approves it.`,
          )
        : textOutput("The session is in plan mode already.");
    },
  };
}

const PLAN_INPUT = { type: "object", properties: { plan: { type: "string" } }, required: ["plan"] } as const;

interface ProposedPlan extends CallPlan {
  readonly plan: string;
}

function exitPlanMode({ mode, ask, answerMsMax }: PlanToolDependencies): Tool<ProposedPlan> {
  return {
    ...EXIT_PLAN_MODE_FACTS,
    description: "Shows a person your plan, in Markdown; approved, plan mode ends.",
    aliases: {},
    inputSchema: PLAN_INPUT,
    msMax: answerMsMax + ASKING_MS_MAX,
    plan: (input, context) => planned({ plan: textOf(input) }, context, EXIT_PLAN_MODE_FACTS.name),
    async run({ plan }, { callId, originator, signal }) {
      if (!mode.active) throw new ToolFailure("The session is not in plan mode: you can act.");
      const answer = await ask(
        { about: "plan", text: plan, choices: [...CHOICES], words: true, details: { callId }, originator },
        signal,
      );
      return answered(answer, plan, mode);
    },
  };
}

const CHOICES = [
  { value: APPROVE, label: "approve it: the session may act" },
  { value: DENY, label: "refuse it: go on planning; or type what to change" },
] as const;

function answered(answer: AskOutcome, plan: string, mode: PlanMode): ToolOutput {
  switch (answer.kind) {
    case "nobody":
      return textOutput(
        "Nobody is there to approve it: plan mode goes on, and nothing is changed. Give the whole plan as your answer.",
      );
    case "timeout":
      return errorOutput(
        `Nobody has answered within ${answer.afterMs / 1_000} s: plan mode goes on. Give the plan as your answer; a person can approve it later.`,
      );
    case "answered":
      return decided(textOfJson(answer.answer), answer.by, { plan, mode });
  }
}

function decided(
  answerText: string,
  by: ClientId,
  { plan, mode }: { readonly plan: string; readonly mode: PlanMode },
): ToolOutput {
  if (answerText === APPROVE) {
    mode.leave(by, plan);
    return textOutput("The plan was approved, and plan mode is over: carry it out.");
  }
  const words = answerText === DENY ? "" : ` They said: ${answerText}`;
  return errorOutput(`The plan was not approved: plan mode goes on.${words}`);
}

function textOf(input: unknown): string {
  const { plan } = input as InputOf<typeof PLAN_INPUT>;
  if (plan.trim() === "") throw new ToolFailure("The plan is empty.");
  if (plan.length > PLAN_CHARACTERS_MAX)
    throw new ToolFailure(`A plan has at most ${PLAN_CHARACTERS_MAX} characters.`);
  return plan;
}

/** @throws ToolFailure in a sub-agent: it has the mode of its session. */
async function planned<Own extends object>(
  ownFacts: Own,
  { within }: ToolContext,
  summary: string,
): Promise<CallPlan & Own> {
  if (within !== undefined)
    throw new ToolFailure("A sub-agent cannot change plan mode: put the plan into your answer.");
  return { summary, target: { kind: "none" }, ...ownFacts };
}

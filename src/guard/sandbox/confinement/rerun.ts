import { visibleLine } from "../../../safety/hidden.ts";
import { isPublicName } from "../../../session/guard/hosts.ts";
import type { Ask } from "../../../session/questions.ts";
import { outsidePlan } from "../../../tools/chain/outside-plan.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import type { ToolContext } from "../../../tools/tool.ts";
import type { Symptom } from "./symptoms.ts";

/** Limit for the reruns of one call in the sandbox with further hosts; after them only a run outside is offered. */
export const NETWORK_RUNS_MAX = 3;

export interface RerunOptions {
  readonly ask: Ask;
  /** True while a person can be asked. */
  readonly attended: boolean;
  /**
   * Returns the gate's verdict on the same call outside. A person may be asked only if the gate does not refuse it.
   */
  mayLeave(call: ToolCall, context: ToolContext): Promise<boolean>;
}

/** A call that failed in the sandbox. */
export interface FailedCall {
  readonly call: ToolCall;
  readonly context: ToolContext;
  readonly symptom: Symptom;
  /** Hosts that the proxy refused during the run. */
  readonly hosts: readonly string[];
  /** Count of earlier reruns of the call with further hosts. */
  readonly networkRuns: number;
}

/** Target of a rerun: the host, or the sandbox with further hosts. */
export type Rerun =
  | { readonly kind: "outside"; readonly call: ToolCall }
  | { readonly kind: "with-hosts"; readonly hosts: readonly string[] };

/** Asks a person whether a failed call runs again, and where; returns undefined if it does not (SBX-04). */
export async function askRerun(failed: FailedCall, options: RerunOptions): Promise<Rerun | undefined> {
  const { call, context, symptom, networkRuns } = failed;
  if (!options.attended || call.plan === undefined) return undefined;
  const hosts = networkRuns < NETWORK_RUNS_MAX ? failed.hosts.filter(isPublicName) : [];
  const plan = outsidePlan(call.plan);
  const outside = plan === undefined ? undefined : { ...call, plan };
  const mayLeave = outside !== undefined && (await options.mayLeave(outside, context));
  if (!mayLeave && hosts.length === 0) return undefined;
  const agent = context.within?.agents.at(-1);
  const whose = agent === undefined ? "" : ` of the sub-agent ${agent}`;
  const again =
    hosts.length === 0
      ? "Run it again outside, with your own rights?"
      : `Run it again? (network question ${networkRuns + 1} of at most ${NETWORK_RUNS_MAX} for this call)`;
  const answer = await options.ask(
    {
      about: "outside-sandbox",
      text: `${call.name}${whose} failed in the sandbox (${symptom.what}). ${again}\n${visibleLine((plan ?? call.plan).summary)}`,
      choices: [
        ...(hosts.length === 0
          ? []
          : [
              {
                value: "hosts",
                label: `run it in the sandbox, which reaches ${hosts.join(", ")} for this session`,
              },
            ]),
        ...(mayLeave ? [{ value: "approve", label: "run it outside" }] : []),
        { value: "deny", label: "leave it" },
      ],
      details: { tool: call.name, ...(hosts.length === 0 ? {} : { hosts }) },
      originator: context.originator,
    },
    context.signal,
  );
  if (answer.kind !== "answered") return undefined;
  if (answer.answer === "hosts" && hosts.length > 0) return { kind: "with-hosts", hosts };
  return answer.answer === "approve" && mayLeave ? { kind: "outside", call: outside } : undefined;
}

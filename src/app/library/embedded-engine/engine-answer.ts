import { HarnessError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import { describeValue } from "./describe-value.ts";
import type { EngineQuestion } from "./setup.ts";

/** An answer as the command has it that answers its kind of question. */
export type ReadAnswer =
  | {
      readonly kind: "permission";
      readonly decision: Pick<CommandOf<"AnswerPermission">, "decision" | "scope">;
    }
  | { readonly kind: "choice"; readonly choose: string };

/**
 * Reads the answer of a program, whatever its types say. Nothing but `allow` and `allow-tool` allows a call.
 * @throws HarnessError UsageInvalid for anything that is no answer.
 */
export function readEngineAnswer(answer: unknown): ReadAnswer {
  switch (answer) {
    case "allow":
      return { kind: "permission", decision: { decision: "allow" } };
    case "allow-tool":
      return { kind: "permission", decision: { decision: "allow", scope: "tool" } };
    case "deny":
      return { kind: "permission", decision: { decision: "deny" } };
    default: {
      const choose: unknown = isObject(answer) ? answer["choose"] : undefined;
      if (typeof choose === "string") return { kind: "choice", choose };
      throw unusable(answer, '"allow", "deny", "allow-tool" or { choose: VALUE }');
    }
  }
}

/** @throws HarnessError UsageInvalid for an answer that does not answer this kind of question. */
export function assertAnswers(kind: EngineQuestion["kind"], answer: unknown): void {
  if (readEngineAnswer(answer).kind === kind) return;
  throw unusable(answer, kind === "permission" ? '"allow", "deny" or "allow-tool"' : "{ choose: VALUE }");
}

function unusable(answer: unknown, known: string): HarnessError {
  return new HarnessError("UsageInvalid", {
    problem: `the answer is ${describeValue(answer)}; give ${known}`,
  });
}

import { TRUST_CHOICES } from "../src/guard/trust/ask-acknowledged.ts";
import { permissionAnswers } from "../src/view/questions/permission-answers.ts";
import {
  fateText,
  ORPHAN_WORDS,
  permissionHeading,
  questionWords,
} from "../src/view/questions/question-words.ts";

/** Returns the table of the questions that a first session meets, in the words that clients show. */
export function questionTable(): string {
  const call = { tool: "Bash", rule: "Bash:npm test" };
  const fates = ["failed", "succeeded", "abort"].flatMap((fate) => fateText(fate) ?? []);
  const rows: readonly (readonly [shown: string, when: string, answers: readonly string[]])[] = [
    [
      questionWords({ about: "trust" }).heading,
      "the repository has an `AGENTS.md`, or settings in `.cinch/`, that you have not read yet",
      TRUST_CHOICES.map(({ label }) => label),
    ],
    [permissionHeading(call), "the call needs approval", permissionAnswers(call).map(({ label }) => label)],
    [ORPHAN_WORDS.last, "the last run was killed in the middle of a change", fates],
  ];
  return [
    "| cinch shows | when | answers |",
    "|---|---|---|",
    ...rows.map(([shown, when, answers]) => `| ${shown} | ${when} | ${answers.join(" · ")} |`),
    "",
  ].join("\n");
}

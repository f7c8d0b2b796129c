import { readUserItems } from "../../guard/trust/review/find-items.ts";
import type { DoctorFinding, ExaminationInput } from "../../session/commands/doctor-check.ts";
import { PROMPT_FILES } from "./trust-files.ts";

/** Reports prompts and aliases of the user that cannot be used. Sessions start without them. */
export async function* examine({ options }: ExaminationInput): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  const { items } = await readUserItems(world.files, paths.config, PROMPT_FILES);
  if (items.length === 0) return;
  const { promptErrors } = await import("./read-prompt-files.ts");
  for (const text of await promptErrors(items))
    yield { weight: "note", text: `${text}.`, remedy: "Put it right, or leave it out." };
}

import { readUserItems } from "../../guard/trust/review/find-items.ts";
import type { DoctorFinding, ExaminationInput } from "../../session/commands/doctor-check.ts";

/** Reports prompts and aliases of the user that cannot be used. Sessions start without them. */
export async function* examine({ options }: ExaminationInput): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  const { items } = await readUserItems(world.files, paths.config, ["prompt-template", "alias-file"]);
  if (items.length === 0) return;
  const { readPromptFiles } = await import("./read-prompt-files.ts");
  for (const { text, weight } of (await readPromptFiles(items)).notices)
    if (weight === "error")
      yield { weight: "note", text: `${text}.`, remedy: "Put it right, or leave it out." };
}

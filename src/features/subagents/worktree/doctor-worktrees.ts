import { join } from "node:path";
import type { DoctorFinding, ExaminationInput } from "../../../session/commands/doctor-check.ts";

/** Reports worktrees that sub-agents have left. */
export async function* examine({ options }: ExaminationInput): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  if ((await world.files.stat(join(paths.data, "worktrees"))) === undefined) return;
  const { listWorktrees } = await import("../agents-review.ts");
  for (const { record, state } of await listWorktrees(options)) {
    if (state === "running") continue;
    const { id, path, branch, repository } = record;
    const text =
      state === "kept"
        ? `A sub-agent has left changes in ${path}, on the branch ${branch} of ${repository}.`
        : `cinch was killed while a sub-agent worked in ${path}, on the branch ${branch} of ${repository}.`;
    yield { weight: "note", text, remedy: `Take over what you want, then: cinch agents remove ${id}` };
  }
}

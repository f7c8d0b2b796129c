import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { DoctorFinding, ExaminationInput } from "../../session/commands/doctor-check.ts";
import { brokenFileFinding } from "../../session/commands/doctor-check.ts";

/** Reports files of scheduled tasks that cannot be read, and so never run. */
export async function* examine({ options }: ExaminationInput): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  if ((await world.files.stat(join(paths.data, "tasks"))) === undefined) return;
  const { openSchedule } = await import("./open-schedule.ts");
  try {
    const { problems } = await openSchedule(options).list();
    for (const problem of problems) yield brokenFileFinding(problem);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield brokenFileFinding(thrown);
  }
}

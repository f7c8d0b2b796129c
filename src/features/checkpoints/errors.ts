import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/checkpoints/`, with their texts for people. */
export const ERRORS = errorsOf({
  BashCancelledMidCommand:
    "Cancelled mid-Bash. The command ran for <duration> and may have modified files. Files possibly affected: <list>. Review /sessions:diff <id> to see what changed.",
  CheckpointUnwritable:
    "What this turn changes could not be kept in <path>: <detail>. Files cannot be set back to before it. Make room, or let the folder be written.",
  CheckpointRequired: "The call was not run, since required = true stands under [checkpoint]: <detail>",
  CheckpointsDamaged:
    "The checkpoints in <path> are damaged: <detail>. The session itself can be read; files cannot be set back to before that.",
  CheckpointMissing:
    "There is no checkpoint of the files at event <to>: <why>. The conversation can be set back alone: /rewind N conversation; on the command line cinch sessions rewind ID --to e<to> --conversation.",
  RewindChanged: "The files are not as they were in the preview. Look at a new one, then rewind.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  CheckpointMissing: { status: 404 },
  RewindChanged: { status: 409 },
};

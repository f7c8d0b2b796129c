import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/memory/`, with their texts for people. */
export const ERRORS = errorsOf({
  MemoryInvalid: "<problem>",
  MemoryUnreadable: "The memories in <path> cannot be read: <detail>.",
  MemoryUnwritable:
    "The memories in <path> cannot be changed: <detail>. Make room, or make the folder writable for you.",
  MemoryFull: "No more fits into <path>, which holds at most <limit>. Forget what is not needed any more.",
  MemoryMissing: "There is no memory '<name>'. List them with: cinch memory list",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  MemoryMissing: { status: 404, isUsage: true },
};

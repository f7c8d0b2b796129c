import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Reasons and texts of the errors of `features/memory/`. */
export const ERRORS = errorsOf({
  MemoryInvalid: "<problem>",
  MemoryUnreadable:
    "The memories in <path> cannot be read: <detail>. Make the folder and its files readable for you.",
  MemoryUnwritable:
    "The memories in <path> cannot be changed: <detail>. Make room, or make the folder writable for you.",
  MemoryFull: "<path> is full: it holds at most <limit>. Remove memories that are no longer needed.",
  MemoryMissing: "There is no memory '<name>'. List them with: cinch memory list",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  MemoryMissing: { status: 404, isUsage: true },
  MemoryInvalid: { status: 409 },
  MemoryFull: { status: 409 },
};

import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `providers/replay/`, with their texts for people. */
export const ERRORS = errorsOf({
  CassetteInvalid: "The cassette <path> cannot be read at line <line>: <problem>",
  CassetteMismatch: "Request <number> does not match the cassette <path>.\n<difference>",
  CassetteExhausted:
    "The cassette <path> has no more answers: request <number> was never recorded. Record the session again.",
  CassetteUnwritable:
    "The cassette <path> cannot be written: <detail>. Name a file in a folder that you can write.",
});

import { FILE_COMMANDS } from "./files.ts";
import { checkGit } from "./git.ts";
import type { CheckRead, Invocation, ReadCheck } from "./grammar.ts";
import { knownRead, notKnown } from "./grammar.ts";
import { SEARCH_COMMANDS } from "./search.ts";
import { printsVersion, SYSTEM_COMMANDS } from "./system.ts";
import { FILTER_COMMANDS } from "./text.ts";

const KNOWLEDGE: ReadonlyMap<string, CheckRead> = new Map(
  Object.entries({
    ...FILE_COMMANDS,
    ...FILTER_COMMANDS,
    ...SEARCH_COMMANDS,
    ...SYSTEM_COMMANDS,
    git: checkGit,
  }),
);

/** Folders of the system's programs: a path there means the program of that name. */
const SYSTEM_FOLDERS = /^(?:\/usr)?\/bin\/([^/]+)$/;

/** Checks whether one command is known to only read, and returns what it would read. */
export function checkInvocation(call: Invocation): ReadCheck {
  const name = SYSTEM_FOLDERS.exec(call.name)?.[1] ?? call.name;
  if (printsVersion(name, call.args)) return knownRead();
  return KNOWLEDGE.get(name)?.(call) ?? notKnown(`${call.name} is not known to only read`);
}

/** Commands that may run unasked, for people and for the tests that try every flag of them. */
export const KNOWN_COMMANDS: readonly string[] = [...KNOWLEDGE.keys()].sort();

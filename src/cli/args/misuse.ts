import { HarnessError } from "../../base/errors.ts";
import { near } from "../../base/text/near.ts";

/** Something was written that cinch cannot be called with. The problem says what would be right. */
export function misuse(problem: string): HarnessError<"UsageInvalid"> {
  return new HarnessError("UsageInvalid", { problem });
}

/**
 * Which of its verbs a subcommand was called with.
 * @throws HarnessError UsageInvalid, which names the nearest, and what to write.
 */
export function verbOf<Verb extends string>(
  subcommand: string,
  word: string,
  { verbs, usage }: { readonly verbs: readonly Verb[]; readonly usage: string },
): Verb {
  const verb = verbs.find((known) => known === word);
  if (verb !== undefined) return verb;
  const [meant] = near(word, verbs);
  throw misuse(`${meant === undefined ? "" : `did you mean cinch ${subcommand} ${meant}? `}${usage}`);
}

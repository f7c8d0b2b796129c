import { join } from "node:path";
import { defined } from "../../../base/defined.ts";
import type { NamedParent, ParentList } from "../../../server/auth/owner/parent-list.ts";
import {
  judgeParent,
  keepAutoAttach,
  PARENTS_FILE,
  readParents,
} from "../../../server/auth/owner/parent-list.ts";
import type { AskedParent, ParentDecisions } from "./auto-attach-questions.ts";

/** Returns the decisions that `mcp-parents.lock` of a configuration directory has. It is read for each call. */
export function parentDecisions(world: ParentList["world"], directory: string): ParentDecisions {
  const path = join(directory, PARENTS_FILE);
  return {
    path,
    async read(parent) {
      const verdict = judgeParent(named(parent), await readParents(path));
      if (verdict.kind !== "known") return "unknown";
      const { autoAttach } = verdict.parent;
      if (autoAttach === undefined) return "undecided";
      return autoAttach ? "always" : "never";
    },
    async keep(parent, always) {
      const verdict = await keepAutoAttach({ world, path }, named(parent), always);
      return verdict.kind === "known";
    },
  };
}

function named({ argv0, binary, binarySha256, script, scriptSha256 }: AskedParent): NamedParent {
  return { argv0, binary, binarySha256, ...defined({ script, scriptSha256 }) };
}

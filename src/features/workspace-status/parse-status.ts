import type { ResultOf } from "../../protocol/queries/queries.ts";

type GitStatus = Omit<NonNullable<ResultOf<"GetWorkspace">["git"]>, "root" | "problem">;

/** Parses the output of `git status --porcelain=v2 --branch -z --no-renames`. Unknown lines are skipped. */
export function parseStatus(output: string): GitStatus {
  let [staged, changed, untracked] = [0, 0, 0];
  const headers = new Map<string, string>();
  for (const line of output.split("\0")) {
    switch (line[0]) {
      case "#": {
        const [, key = "", value = ""] = /^# branch\.(\w+) (.*)$/s.exec(line) ?? [];
        headers.set(key, value);
        break;
      }
      case "1":
        if (line[2] !== ".") staged += 1;
        if (line[3] !== ".") changed += 1;
        break;
      case "u":
        changed += 1;
        break;
      case "?":
        untracked += 1;
        break;
    }
  }
  const [oid, branch, upstream] = [headers.get("oid"), headers.get("head"), headers.get("upstream")];
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(headers.get("ab") ?? "") ?? [];
  return {
    ...(branch === undefined || branch === "(detached)" ? {} : { branch }),
    ...(oid === undefined || oid === "(initial)" ? {} : { head: oid }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(ahead === undefined ? {} : { ahead: Number(ahead) }),
    ...(behind === undefined ? {} : { behind: Number(behind) }),
    ...{ staged, changed, untracked },
  };
}

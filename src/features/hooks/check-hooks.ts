import { join } from "node:path";
import type { World } from "../../base/world.ts";
import { mistakesIn } from "../../config/mistakes.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import type { Following } from "../../config/table.ts";
import { readProjectItems } from "../../guard/trust/review/find-items.ts";
import type { CheckedFile, FilesToCheck, SettingsToCheck } from "../../session/commands/settings-check.ts";
import type { Mistake } from "../../session/config-section.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { ConfiguredHook } from "./config.ts";
import { hooksSection } from "./config.ts";
import { parseAcknowledgedHooks, readHookFile } from "./hook-files.ts";
import { matcherProblems, userHookFiles } from "./open.ts";
import { HOOK_FILES } from "./trust-files.ts";

/** Returns a mistake for each tool that a hook of these settings names and that does not exist. */
export function hookMistakes({ said, tools }: Pick<SettingsToCheck, "said" | "tools">): readonly Mistake[] {
  return matcherMistakes(saidOf(said.sections, hooksSection) ?? [], tools);
}

/** Reads the files of hooks of the user and of the project, with their mistakes. */
export async function checkHookFiles({
  world: { files },
  paths,
  root,
  tools,
}: FilesToCheck): Promise<readonly CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const path of await userHookFiles(files, join(paths.config, "hooks"))) {
    const mistakes = await mistakesOf((following) => readHookFile(files, path, following), tools);
    checked.push({ path, scope: "user", mistakes });
  }
  for (const { path, bytes } of await projectHookFiles(files, root)) {
    const mistakes = await mistakesOf(
      (following) => parseAcknowledgedHooks({ path, bytes }, following),
      tools,
    );
    checked.push({ path, scope: "project", mistakes });
  }
  return checked;
}

async function projectHookFiles(files: World["files"], root: string) {
  const { items } = await readProjectItems(files, root, HOOK_FILES);
  return items.flatMap(({ path, files: [file] }) =>
    file === undefined || !path.endsWith(".toml") ? [] : [{ path, bytes: file.bytes }],
  );
}

async function mistakesOf(
  read: (following: Following) => Promise<readonly ConfiguredHook[]>,
  tools: ToolTable,
): Promise<readonly Mistake[]> {
  const { value: hooks = [], mistakes } = await mistakesIn(read);
  return [...mistakes, ...matcherMistakes(hooks, tools)];
}

function matcherMistakes(hooks: readonly ConfiguredHook[], tools: ToolTable): readonly Mistake[] {
  return hooks.flatMap((hook) => {
    const { path, line } = hook.where;
    return matcherProblems(hook, tools).map(
      (problem): Mistake => ({ weight: "error", path, line, key: "hooks.matcher", problem }),
    );
  });
}

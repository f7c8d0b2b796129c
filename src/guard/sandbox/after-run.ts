import type { Files } from "../../base/world.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { PlantedLinks } from "./repository/git-links.ts";
import type { HostRunChanges } from "./repository/host-run.ts";
import type { RepositoryChange } from "./repository/repository-watch.ts";

/** Removes files that would make git take its configuration from elsewhere (S26), and returns a note for each. */
export async function removeForbiddenFiles(
  files: Files,
  absent: Iterable<string>,
): Promise<readonly string[]> {
  const looks = [...absent].map(async (path) => {
    // A command may have replaced the folder by a link, to have another file removed.
    if (!(await files.removeResolved(path))) return [];
    return [`[${path} was removed: it would make git take its configuration from elsewhere]`];
  });
  return (await Promise.all(looks)).flat();
}

/**
 * Removes links that a command put among git's own files, and returns a note for each: git outside would write
 * through them.
 */
export async function removePlantedLinks(
  files: Files,
  { links, filled }: PlantedLinks,
): Promise<readonly string[]> {
  const looks = links.map(async (path) =>
    (await files.removeResolved(path))
      ? [
          `[${visibleLine(path)} was removed: git makes no link there, and outside of the sandbox would write through it]`,
        ]
      : [],
  );
  const unseen = filled.map(
    (path) =>
      `[${visibleLine(path)} holds more folders than were searched for links, which git outside the sandbox would write through: a person should check it before git is used there]`,
  );
  return [...(await Promise.all(looks)).flat(), ...unseen];
}

/** Returns notes about files that the host will run or obey (S27). */
export function hostRunNotes({ files, repositories }: HostRunChanges): readonly string[] {
  return [
    ...(files.length === 0
      ? []
      : [
          `[New or changed, and run or obeyed by programs outside of the sandbox: ${files.join(", ")}. A person should look at them before that]`,
        ]),
    ...repositories.map(repositoryNote),
  ];
}

function repositoryNote({ path, isNew, removed, notRemoved }: RepositoryChange): string {
  const what = isNew ? `${path} is a new repository` : `The repository ${path} was changed`;
  const removedText =
    removed.length === 0
      ? ""
      : `. Removed, since git outside of the sandbox runs or obeys it: ${removed.join(", ")}. What of that is needed, a person sets outside`;
  const remainingText =
    notRemoved.length === 0
      ? ""
      : `. git outside of the sandbox runs or obeys ${notRemoved.join(", ")}, which could not be removed: a person should look at that before git is used there`;
  return `[${what}${removedText}${remainingText}]`;
}

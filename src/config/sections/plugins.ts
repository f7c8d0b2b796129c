import { isAbsolute, normalize } from "node:path";
import type { TopSection } from "../../session/config-section.ts";

/** `plugins`: code of the user that runs inside cinch (PLUG-02). */
export const pluginsSection = {
  shape: "top",
  name: "plugins",
  about: "Code of yours that runs inside cinch: [plugins.md](../plugins.md).",
  keys: {
    paths: {
      kind: "texts",
      key: "plugins",
      meaning:
        "Absolute paths of plugins, each a file or a folder. A profile names them only if it is your own.",
      default: [],
      example: ["/home/user/plugins/dice"],
      merge: "add",
      check(paths: readonly string[]) {
        const wrong = paths.filter((path) => !isAbsolute(path) || normalize(path) !== path);
        const problems = wrong.map((path) => `"${path}" is not an absolute path, plainly written`);
        return problems.length === 0 ? undefined : problems.join("; ");
      },
      as: (paths: readonly string[]): readonly string[] => [...new Set(paths)],
    },
  },
} as const satisfies TopSection;

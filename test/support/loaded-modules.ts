import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { plugin } from "bun";

// Preloaded by a program from source: writes the path of each file of `src` that it loads to the file LOADED_MODULES.
const report = process.env["LOADED_MODULES"] ?? "";
const root = new URL("../..", import.meta.url).pathname;
plugin({
  name: "loaded-modules",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      appendFileSync(report, `${relative(root, path)}\n`);
      return { loader: "ts", contents: await Bun.file(path).text() };
    });
  },
});

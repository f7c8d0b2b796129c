import { expect, test } from "bun:test";
import { textOfSvg } from "../../scripts/terminal-svg.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { readSource } from "../support/source.ts";

test("[DOC-01] the picture in the README is the output of cinch demo; scripts/picture.ts renews it", async () => {
  using home = cinchHome(); // the demo leaves its folder to be looked at
  const { code, stdout } = await runCinch(["demo"], { home, env: { TMPDIR: home.path } });
  expect(code).toBe(0);
  expect(wordsOf(textOfSvg(readSource("docs/demo.svg")))).toEqual(wordsOf(stdout));
});

/** Without how it is broken into lines, and without what is another one in every run. */
function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/\S*cinch-demo-\S+/g, "FOLDER")
    .replaceAll(/sess_\w+/g, "SESSION")
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "|");
}

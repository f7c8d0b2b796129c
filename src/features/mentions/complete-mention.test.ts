import { expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { connect, openPlace } from "../../../test/support/place.ts";
import type { OpenHarness } from "../../app/harness.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";

/** Asks for a completion through the public door; the cursor stands at "|", else at the end. */
async function asker(harness: OpenHarness) {
  const connection = await connect(harness);
  return async (typed: string, limit?: number): Promise<ResultOf<"Complete">> => {
    const cursor = typed.includes("|") ? typed.indexOf("|") : typed.length;
    const text = typed.replace("|", "");
    const fields = limit === undefined ? {} : { limit };
    return await connection.query({ kind: "Complete", sessionId: harness.session, text, cursor, ...fields });
  };
}

const inserts = ({ items }: ResultOf<"Complete">) => items.map(({ insert }) => insert);

test("[CTL-19] an at sign completes files and folders by fuzzy match, with the range that they replace", async () => {
  await using place = openPlace(says("fine"));
  for (const path of ["src/main.ts", "src/my-index-file.ts", "docs/domain.md", "my notes.txt"])
    place.write(path, "x");
  await using harness = await place.open();
  const complete = await asker(harness);
  expect(await complete("See @main")).toEqual({
    from: 4,
    to: 9,
    items: [
      { insert: "@src/main.ts", label: "src/main.ts", kind: "file" },
      { insert: "@docs/domain.md", label: "docs/domain.md", kind: "file" },
    ],
    more: false,
  });
  expect(inserts(await complete("@./mif"))).toEqual(["@src/my-index-file.ts"]);
  expect(inserts(await complete("@notes"))).toEqual(['@"my notes.txt"']);
  expect(inserts(await complete('@"my n'))).toEqual(['@"my notes.txt"']);
  expect(inserts(await complete("@"))).toEqual(["@docs/", '@"my notes.txt"', "@src/"]);
  expect((await complete("@sr")).items[0]).toEqual({ insert: "@src/", label: "src/", kind: "folder" });
  expect(await complete("@", 1)).toMatchObject({ items: [{ insert: "@docs/" }], more: true });
});

test("[CTL-19] lines behind a colon stay, and text that is no mention is not completed", async () => {
  await using place = openPlace(says("fine"));
  place.write("src/main.ts", "x");
  await using harness = await place.open();
  const complete = await asker(harness);
  expect(await complete("see @mai|n:10-20 now")).toMatchObject({
    from: 4,
    to: 9,
    items: [{ insert: "@src/main.ts" }],
  });
  for (const typed of ["@main.ts:1|0", "mail a@ma", "plain words", "", "@@ma"])
    expect(await complete(typed)).toMatchObject({ items: [], more: false });
});

test("[CTL-19] ignored, denied and key files, those of .git, and names that drive a terminal are not offered", async () => {
  await using place = openPlace(says("fine"));
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[permissions]\ndeny = ["Read:secret-plan.txt"]\n`,
  );
  for (const path of ["secret-plan.txt", ".env", "build/made-plan.txt", ".git/plan", "the-plan.txt"])
    place.write(path, "x");
  place.write(".gitignore", "build\n");
  writeFileSync(join(place.repo, "plan\u001b[2J.txt"), "x");
  symlinkSync("/etc/passwd", join(place.repo, "plan-link"));
  await using harness = await place.open();
  const complete = await asker(harness);
  expect(inserts(await complete("@plan"))).toEqual(["@the-plan.txt"]);
  expect(inserts(await complete("@env"))).toEqual([]);
  expect(inserts(await complete("@git"))).toEqual(["@.gitignore"]);
});

test("[CTL-19] a workspace that cannot be listed offers nothing, and says that files are missing", async () => {
  await using place = openPlace(says("fine"));
  place.write("a.txt", "x");
  await using harness = await place.open({
    world: {
      ...place.options().world,
      spawn: () => {
        throw new Error("no programs here");
      },
    },
  });
  const complete = await asker(harness);
  expect(await complete("@a")).toEqual({ from: 0, to: 2, items: [], more: true });
});

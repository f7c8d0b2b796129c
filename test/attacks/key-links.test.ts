import { expect, test } from "bun:test";
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openExplainer } from "../../src/app/explain/explain.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openPlace, turn } from "../support/place.ts";
import { requireProgram } from "../support/requires.ts";

// A hard link in the workspace gives a key a harmless name. Red with `withKeyNames`, `keyNamesBelow`, the look of
// commands and the places that are hidden taken out, each in its own case.

const withSandbox = requireProgram("bwrap");
const KEY = "canary-7d0e2b-key-material";

/** A repository with a second name of the person's SSH key, of a key in a folder, and of a file of its own. */
function linkedPlace(script: readonly Turn[], config = "") {
  const place = openPlace(...script, says("done"));
  mkdirSync(join(place.root, ".ssh"));
  mkdirSync(join(place.root, ".config/op/deep"), { recursive: true });
  const keys = [join(place.root, ".ssh/id_ed25519"), join(place.root, ".config/op/deep/x")];
  for (const key of keys) writeFileSync(key, `${KEY}\n`, { mode: 0o600 });
  place.write("own.txt", "word of its own\n");
  place.write("sub/other.txt", "another\n");
  linkSync(keys[0] ?? "", join(place.repo, "k.txt"));
  linkSync(keys[1] ?? "", join(place.repo, "sub/x.txt"));
  linkSync(join(place.repo, "own.txt"), join(place.repo, "sub/own.txt"));
  place.config(`[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n${config}`);
  return place;
}

async function said(script: readonly Turn[], config = ""): Promise<string> {
  await using place = linkedPlace(script, config);
  await using harness = await place.open();
  return JSON.stringify([await turn(harness, "go"), place.mock.requests.map(({ body }) => body)]);
}

test("[PERM-04 S22 S39] a hard link to a key is asked for like the key, and other hard links are read unasked", async () => {
  const all = await said([
    calls("Read", { file_path: "k.txt" }),
    calls("Read", { file_path: "sub/x.txt" }),
    calls("Edit", { file_path: "k.txt", old_string: "canary", new_string: "x" }),
    calls("Read", { file_path: "sub/own.txt" }),
  ]);
  expect(all).not.toContain(KEY);
  expect(all.split("PermissionDenied").length).toBeGreaterThan(3);
  expect(all).toContain("word of its own");
});

test("[PERM-04 S22] permissions explain judges a hard link to a key as the gate does", async () => {
  await using place = linkedPlace([]);
  const explainer = await openExplainer(place.options({}), new AbortController().signal);
  const verdicts = async (read: string, command: string) => {
    const [file, line] = [
      await explainer.explain("Read", { file_path: join(place.repo, read) }),
      await explainer.explain("Bash", { command }),
    ];
    return [file.decision, line.decision];
  };
  expect(await verdicts("k.txt", "cat k.txt")).toEqual(["ask", "ask"]);
  expect(await verdicts("sub/own.txt", "cat sub/own.txt")).toEqual(["allow", "allow"]);
});

test("[PERM-02 S22] a search of a folder shows nothing of a key that has a name in it", async () => {
  const all = await said([
    calls("Grep", { pattern: "canary-7d|word of", path: ".", mode: "content" }),
    calls("Grep", { pattern: "canary-7d", path: "sub", mode: "count" }),
  ]);
  expect(all).not.toContain(KEY);
  expect(all).not.toContain("x.txt");
  expect(all).toContain("word of its own");
});

test("[PERM-04 S22] without a sandbox a command that reads such a file is asked for", async () => {
  const bare = `[sandbox]\nbackend = "none"\n`;
  const script = ["cat k.txt", "cat sub/x.txt", "grep -r canary sub"].map((command) =>
    calls("Bash", { command }),
  );
  expect(await said([...script, calls("Bash", { command: "cat sub/own.txt" })], bare)).toContain(
    "word of its own",
  );
  expect(await said(script, bare)).not.toContain(KEY);
});

withSandbox("[SBX-02 S22] in the sandbox such a file is hidden", async () => {
  const all = await said([calls("Bash", { command: "ls -d $PWD/*.txt $PWD/*/*.txt | xargs rev; true" })]);
  expect(all).not.toContain(KEY.split("").reverse().join(""));
  expect(all).toContain("nwo sti fo drow");
});

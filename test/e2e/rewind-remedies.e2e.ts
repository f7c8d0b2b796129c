import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

function openPlace(script: readonly Turn[]) {
  const mock = startMockProvider({ script: [...script] });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`,
  );
  const flags = ["--model", "mock:one", "--auto-approve"];
  const options = { home, cwd: work };
  return {
    work,
    kept: join(home.path, "data", "cinch", "checkpoints"),
    prompt: (...args: readonly string[]) => runCinch(["-p", ...args, ...flags], options),
    type: (...lines: readonly string[]) =>
      runCinch(["--continue", ...flags], { ...options, stdin: lines.map((line) => `${line}\n`).join("") }),
    sessions: (...args: readonly string[]) => runCinch(["sessions", ...args], options),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

function writes(content: string): Turn {
  return calls("Write", { file_path: "a.txt", content });
}

test("[SES-15 SES-10] what /sessions:export wrote into the workspace stays, and a rewind does not ask about it", async () => {
  await using place = openPlace([
    writes("1\n"),
    says("one"),
    calls("Bash", { command: "echo 2 >>a.txt" }),
    says("two"),
  ]);
  expect(await place.prompt("write")).toMatchObject({ code: 0 });
  const typed = await place.type("/sessions:export", "/sessions:export --format markdown", "go on", "/quit");
  expect(typed).toMatchObject({ code: 0 });
  const exported = readdirSync(place.work).filter((name) => name.startsWith("cinch-"));
  expect(exported).toHaveLength(2);
  const preview = await place.sessions("rewind", "last", "--to", "1", "--files", "--preview", "--json");
  expect(JSON.parse(preview.stdout)).toMatchObject({
    files: { remove: ["a.txt"], contested: [], foreign: [] },
  });
  expect(await place.sessions("rewind", "last", "--to", "1", "--files", "--force")).toMatchObject({
    code: 0,
  });
  expect(readdirSync(place.work).sort()).toEqual(exported.sort());
}, 300_000);

test("[SES-15] where files can no longer be set back, the command that is named sets the conversation back", async () => {
  await using place = openPlace([writes("1\n"), says("one")]);
  expect(await place.prompt("write")).toMatchObject({ code: 0 });
  renameSync(place.kept, `${place.kept}-elsewhere`);
  const refused = await place.sessions("rewind", "last", "--to", "1");
  expect(refused.code).not.toBe(0);
  const [, remedy = ""] = /cinch (sessions rewind ID --to e\d+ --conversation)\b/.exec(refused.stderr) ?? [];
  const [, ...words] = remedy.replace("ID", "last").split(" ");
  expect(await place.sessions(...words)).toMatchObject({ code: 0 });
  expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("1\n");
}, 300_000);

test("[SES-15 S33] a workspace whose .git is no repository that can be read is worked in, and set back", async () => {
  await using place = openPlace([calls("Bash", { command: "echo 2 >a.txt" }), says("one")]);
  writeFileSync(join(place.work, "a.txt"), "1\n");
  writeFileSync(join(place.work, ".git"), "gitdir: /\0".repeat(300_000));
  expect(await place.prompt("change it")).toMatchObject({ code: 0 });
  expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("2\n");
  expect(await place.sessions("rewind", "last", "--to", "1", "--files", "--force")).toMatchObject({
    code: 0,
  });
  expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("1\n");
}, 300_000);

test("[SES-15 SES-08] in a branch files go back to no turn before it was branched, with the reason, and the conversation does", async () => {
  await using place = openPlace([writes("1\n"), says("one")]);
  expect(await place.prompt("write")).toMatchObject({ code: 0 });
  const branched = await place.sessions("branch", "last");
  expect(branched).toMatchObject({ code: 0 });
  const branch = branched.stdout.trim();
  const refused = await place.sessions("rewind", branch, "--to", "1");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(": the session was branched after that. The conversation can be set back");
  expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("1\n");
  const alone = await place.sessions("rewind", branch, "--to", "1", "--conversation");
  expect(alone).toMatchObject({ code: 0 });
  expect(alone.stdout).toContain("Set back to before turn 1\n");
}, 60_000);

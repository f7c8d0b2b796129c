import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

test("[SES-15] a stored session is rewound from the command line: shown first, then done, and the conversation with it", async () => {
  await using mock = startMockProvider({
    script: [
      calls("Write", { file_path: "one.txt", content: "1\n" }),
      says("one"),
      calls("Bash", { command: "echo 2 >> kept.txt; rm gone.txt" }),
      says("two"),
      says("three"),
    ],
  });
  using home = cinchHome();
  const config = join(home.path, "config", "cinch");
  const work = join(home.path, "work");
  mkdirSync(config, { recursive: true });
  mkdirSync(work);
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(config, "config.toml"), provider);
  writeFileSync(join(work, "kept.txt"), "1\n");
  writeFileSync(join(work, "gone.txt"), "here\n");
  const run = (...args: readonly string[]) => runCinch(args, { home, cwd: work });
  const model = ["--model", "mock:one", "--auto-approve"];
  expect(await run("-p", "write one", ...model)).toMatchObject({ code: 0 });
  expect(await run("-p", "change it", "--continue", ...model)).toMatchObject({ code: 0 });
  expect(existsSync(join(work, "gone.txt"))).toBe(false);

  const rewind = ["sessions", "rewind", "last", "--to", "2"];
  const [short = ""] = /sess_\w+/.exec((await run("sessions", "list")).stdout) ?? [];
  // No model reads it here, so that nobody has to acknowledge it.
  writeFileSync(join(work, "AGENTS.md"), "Be kind.\n");
  expect(await run(...rewind, "--preview")).toMatchObject({ code: 0 });
  rmSync(join(work, "AGENTS.md"));
  const preview = await run(...rewind, "--preview", "--json");
  expect(preview).toMatchObject({ code: 0 });
  expect(JSON.parse(preview.stdout)).toMatchObject({
    done: false,
    what: "both",
    files: {
      create: ["gone.txt"],
      change: ["kept.txt"],
      contested: [],
      foreign: [],
      notRestorable: [],
    },
  });
  expect(existsSync(join(work, "gone.txt"))).toBe(false);
  const done = await run(...rewind);
  expect(done.code).toBe(0);
  expect(short.length).toBeGreaterThan(8);
  const shown = await run("sessions", "show", short.slice(0, -2)); // the id that was listed before, and its beginning
  expect(shown).toMatchObject({ code: 0 });
  expect(done.stdout.replace(/sess_\w+/, "ID").replace(/e\d+$/m, "eN")).toBe(
    [
      "Set back to before turn 2",
      "  Conversation: the model has forgotten the last 4 messages.",
      "  2 files are restored:",
      "    gone.txt comes back",
      "    kept.txt is restored",
      "To undo that: cinch sessions rewind ID --to eN",
      "",
    ].join("\n"),
  );
  const [, undo = ""] = /^To undo that: cinch (.*)$/m.exec(done.stdout) ?? [];
  const undone = await run(...undo.split(" "));
  expect(undone.stdout).toContain("Set back to after turn 2\n  Conversation: 4 messages come back.\n");
  expect(undone.stdout).toContain("    gone.txt is removed\n");
  expect(readFileSync(join(work, "kept.txt"), "utf8")).toBe("1\n2\n");
  expect(existsSync(join(work, "gone.txt"))).toBe(false);
  expect(await run(...rewind)).toMatchObject({ code: 0 });
  expect(readFileSync(join(work, "kept.txt"), "utf8")).toBe("1\n");
  expect(readFileSync(join(work, "gone.txt"), "utf8")).toBe("here\n");
  expect(await run("-p", "and now", "--continue", ...model)).toMatchObject({ code: 0 });
  const sent = JSON.stringify(mock.requests.at(-1)?.body["messages"]);
  expect([sent.includes("write one"), sent.includes("change it")]).toEqual([true, false]);

  const wrong = await run("sessions", "rewind", "last", "--to", "e3", "--files");
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toMatch(/The nearest: event 1 \(turn 1 begins\) and event \d+ \(turn 1 ends\)/);
  const none = await run("sessions", "rewind", "last", "--to", "99");
  expect(none.stderr).toContain("has no turn 99; it has");

  const kept = join(home.path, "data", "cinch", "checkpoints");
  expect(readdirSync(kept)).toHaveLength(1);
  expect(await run("sessions", "delete", "last", "--yes")).toMatchObject({ code: 0 });
  expect(readdirSync(kept)).toEqual([]);
}, 300_000);

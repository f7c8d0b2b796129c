import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../src/base/json.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";

/** Real runs against a hostile model, repository or machine. The long random rounds are `npm run soak`. */

const SECRET = "KEY=of-somebody";

test.each([[[]], [["--auto-approve"]]])(
  "[PERM-02 PERM-12 S22] no search brings out what a rule denies or what looks like a key (%p)",
  async (flags: readonly string[]) => {
    const searches = [
      { pattern: "KEY" },
      { pattern: "KEY", mode: "count" },
      { pattern: "K", glob: "secret/**" },
      { pattern: "KEY", path: "secret" },
      { pattern: "KEY", path: "link" },
      { pattern: "KEY", path: "secret/a.txt" },
    ];
    await using rig = openRig([...searches.map((input) => calls("Grep", input)), says("Nothing.")]);
    const files = ["secret/a.txt", ...(flags.length === 0 ? [".env", "id_rsa", "src/prod.pem"] : [])];
    for (const folder of ["secret", "src"]) mkdirSync(join(rig.work, folder));
    for (const file of files) writeFileSync(join(rig.work, file), `${SECRET}\n`);
    symlinkSync("secret", join(rig.work, "link"));
    const { stdout } = await rig.run(["-p", "look", ...flags], '[permissions]\ndeny = ["Read:secret/**"]\n');
    expect(stdout).not.toContain(SECRET);
    expect(eventsOf(stdout, "ToolResult")).toHaveLength(searches.length);
    expect(eventsOf(stdout, "ToolResult").join("\n")).not.toContain(":1");
  },
);

test("[PERM-04 S22] a command that lists does not lead out of the workspace through a link unasked", async () => {
  expect(await listedThroughLink(() => '[permissions]\nbash_in_sandbox = "ask"\n')).toMatchObject({
    code: 3,
  });
});

requireProgram("bwrap")(
  "[SBX-01 S22] a command that lists in the sandbox finds nothing of a hidden folder through a link",
  async () => {
    const hiding = (folder: string) => `[sandbox]\nhidden = ["${folder}"]\n`;
    expect(await listedThroughLink(hiding)).toMatchObject({ code: 0 });
    // In a sandbox that hides nothing of it, the listing is there to be found.
    expect(await listedThroughLink(() => "", true)).toMatchObject({ code: 0 });
  },
);

/** Runs `ls` on a link to a folder beside the workspace, and sees whether the listing came out. */
async function listedThroughLink(config: (folder: string) => string, comesOut = false) {
  await using rig = openRig([calls("Bash", { command: "ls link" }), says("Done.")]);
  const beside = join(rig.home.path, "beside");
  mkdirSync(beside);
  writeFileSync(join(beside, "private-name"), "");
  symlinkSync("../beside", join(rig.work, "link"));
  const run = await rig.run(["-p", "look"], config(beside));
  expect(run.stdout.includes("private-name")).toBe(comesOut);
  return run;
}

test.each(["text", "json", "stream-json"])(
  "[CLI-01 REL-01 R15] an output that cannot be written is reported, fails the run, and the session continues (%s)",
  async (format) => {
    await using rig = openRig([says("Heard."), says("Heard again.")]);
    const flags = ["--model", "mock:one", "--output-format", format];
    rig.configure("");
    const shell = Bun.spawn(["sh", "-c", '"$0" "$@" > /dev/full', cinchPath(), "-p", "x", ...flags], {
      cwd: rig.work,
      env: { PATH: process.env["PATH"], ...rig.home.env },
      stdin: "ignore",
      stderr: "pipe",
    });
    expect(await new Response(shell.stderr).text()).toMatch(
      /^cinch: what was not written is in the session: cinch --resume sess_\w+\ncinch: Standard output cannot be written: ENOSPC[^\n]+ \(OutputUnwritable\)\n$/,
    );
    expect(await shell.exited).toBe(1);
    expect(await rig.run(["-p", "y", "--continue"])).toMatchObject({ code: 0, stderr: "" });
  },
);

test.each(["openai-compatible", "openai-responses", "anthropic"])(
  "[PROV-11 REL-01] a token count that is no whole number ends no run and is not called damage (%s)",
  async (kind) => {
    const usage = (input: number) => ({ usage: { input, output: 3 } });
    await using rig = openRig([says("hello", usage(12.5)), says("hello", usage(1e300))], kind);
    for (const words of ["one", "two"]) {
      const { code, stdout, stderr } = await rig.run(["-p", words]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(eventsOf(stdout, "CostIncremented")).toHaveLength(1);
    }
  },
);

interface Rig extends AsyncDisposable {
  readonly mock: MockProvider;
  readonly home: CinchHome;
  readonly work: string;
  /** Writes the configuration: what is given, and the provider. */
  configure(more: string): void;
  /** Prints the events. */
  run(args: readonly string[], config?: string): ReturnType<typeof runCinch>;
}

function openRig(script: readonly Turn[], kind = "openai-compatible"): Rig {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  const provider = `[providers.mock]\nkind = "${kind}"\nbase_url = "${mock.url}/v1"\n`;
  const configure = (more: string) =>
    writeFileSync(join(home.path, "config/cinch/config.toml"), more + provider);
  return {
    mock,
    home,
    work,
    configure,
    run(args, config = "") {
      configure(config);
      const flags = ["--model", "mock:one", "--output-format", "stream-json"];
      return runCinch([...args, ...flags], { home, cwd: work });
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** The payloads of the events of one kind, as JSON. */
function eventsOf(stdout: string, kind: string): readonly string[] {
  return stdout
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const event = parseJson(line)?.value;
      return isObject(event) && event["kind"] === kind ? [JSON.stringify(event["payload"])] : [];
    });
}

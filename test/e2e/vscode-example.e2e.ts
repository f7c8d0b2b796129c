import { expect } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";
import { ROOT } from "../support/source.ts";

const TIMEOUT_MS = 120_000;
const EXAMPLE = join(ROOT, "examples/vscode");

/**
 * The editor's side in a Node process, as the extension host is one: answers are scripted by the kind of the question,
 * and everything that is shown goes to standard output.
 */
const HOST = `
const Module = require("node:module");
const [extension, url, token, folder] = process.argv.slice(2);
const commands = new Map();
const say = (what, text) => process.stdout.write(JSON.stringify([what, text]) + "\\n");
const secrets = new Map();
const vscode = {
  window: {
    createOutputChannel: () => ({
      append: (text) => say("text", text), appendLine: (text) => say("line", text), show() {}, dispose() {},
    }),
    showInputBox: async ({ password }) => (password ? token : "touch a file"),
    showQuickPick: async (items) => (say("picks", items.map(({ label }) => label)), items[0]),
    showWarningMessage: async (text, { modal }, ...choices) => (say("asked", [text, modal, ...choices]), choices[0]),
    showErrorMessage: async (text) => say("error", text),
  },
  workspace: { getConfiguration: () => ({ get: () => url }), workspaceFolders: [{ uri: { fsPath: folder } }] },
  commands: { registerCommand: (name, run) => (commands.set(name, run), { dispose() {} }) },
};
const load = Module._load;
Module._load = (name, ...more) => (name === "vscode" ? vscode : load(name, ...more));
const context = {
  subscriptions: [],
  secrets: { get: async (key) => secrets.get(key), store: async (key, value) => void secrets.set(key, value) },
};
require(extension).activate(context);
process.stdin.setEncoding("utf8").on("data", (names) => {
  for (const name of names.trim().split("\\n")) {
    if (name !== "dispose") commands.get(name)();
    else for (const each of context.subscriptions) each.dispose();
  }
});
say("commands", [...commands.keys()]);
`;

requireProgram("node")(
  "[SDK-01] the VS Code example attaches to an engine, shows a session, asks a person and sends a prompt",
  async () => {
    await using served = await openServed({
      script: [calls("Bash", { command: "touch made" }), says("Made")],
      listens: true,
      flags: ["--model", "mock:one", "--strict-permissions"],
    });
    const folder = mkdtempSync(join(tmpdir(), "cinch-vscode-"));
    try {
      const built = join(folder, "extension.cjs");
      const args = ["--target=node", "--format=cjs", "--external=vscode", `--outfile=${built}`];
      const build = Bun.spawnSync([process.execPath, "build", join(EXAMPLE, "extension.ts"), ...args]);
      expect(build.stderr.toString()).toBe("");
      writeFileSync(join(folder, "host.cjs"), HOST);
      const token = await served.token("--identity-class", "human");
      await using host = Bun.spawn(
        ["node", join(folder, "host.cjs"), built, served.url, token, served.home.path],
        {
          env: { PATH: process.env["PATH"] ?? "" },
          stdin: "pipe",
          stdout: "pipe",
          stderr: "inherit",
        },
      );
      const lines = linesOf(host.stdout);
      const until = async (what: string) => {
        for (;;) {
          const { done, value } = await lines.next();
          if (done === true) throw new Error(`it ended before ${what}`);
          const [name, shown] = JSON.parse(value) as readonly [string, unknown];
          if (name === what) return shown;
        }
      };
      const { contributes } = JSON.parse(readFileSync(join(EXAMPLE, "package.json"), "utf8"));
      const named = contributes.commands.map(({ command }: { readonly command: string }) => command);
      expect(await until("commands")).toEqual(named);
      host.stdin.write("cinch.ask\n");
      host.stdin.flush();
      expect(await until("error")).toContain("TokenMissing");
      host.stdin.write("cinch.token\ncinch.ask\n");
      host.stdin.flush();
      expect(await until("asked")).toEqual([expect.stringContaining("touch made"), true, "Allow", "Deny"]);
      expect(await until("text")).toBe("Made");
      expect(await until("line")).toBe("\n-- complete");
      expect(existsSync(join(served.home.path, "made"))).toBe(true);
      host.stdin.write("cinch.attach\n");
      host.stdin.flush();
      expect(await until("picks")).toEqual(["touch a file", expect.stringMatching(/^sess_/)]);
      expect(await until("text")).toBe("Made");
      host.stdin.write("dispose\n");
      host.stdin.end();
      expect(await host.exited).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  TIMEOUT_MS,
);

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    rest += text;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

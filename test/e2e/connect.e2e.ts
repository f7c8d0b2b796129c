import { expect } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import type { MockOptions } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const TIMEOUT_MS = 240_000;
const test = requireProgram("openssl");
const atTerminal = requireProgram("tmux");

/** A certificate of 127.0.0.1 that nobody knows but its maker: it is its own authority. */
async function certificate(folder: string) {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=cinch-test`;
  const names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", cert];
  const made = Bun.spawn(["openssl", ...words.split(" "), ...names], { stdout: "ignore", stderr: "pipe" });
  if ((await made.exited) !== 0) throw new Error(await new Response(made.stderr).text());
  return { cert, key };
}

/** Two homes: in one an engine serves over TLS, and from the other one a person works with it. */
async function openPlace(options: MockOptions) {
  const provider = startMockProvider(options);
  const [there, here] = [cinchHome(), cinchHome()];
  const work = join(there.path, "work");
  mkdirSync(work);
  mkdirSync(join(there.path, "config/cinch"));
  writeFileSync(
    join(there.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`,
  );
  const { cert, key } = await certificate(there.path);
  const flags = ["--model", "mock:one", "--level", "ReadOnly", "--listen", "127.0.0.1:0"];
  const engine = startCinch(["serve", "--until-idle", ...flags, "--tls-cert", cert, "--tls-key", key], {
    home: there,
    cwd: work,
  });
  const url = await servedAt(engine.stdout);
  const made = await runCinch(["token", "--identity-class", "human"], { home: there, cwd: work });
  const token = made.stdout.trim();
  return {
    here,
    work,
    cert,
    url,
    token,
    tokenFile() {
      const path = join(here.path, "token.json");
      writeFileSync(path, JSON.stringify({ token }));
      chmodSync(path, 0o400);
      return path;
    },
    connect: (words: readonly string[], env: Readonly<Record<string, string>>, stdin = "") =>
      runCinch(["--connect", url, ...words], { home: here, cwd: here.path, env, stdin }),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      for (const home of [there, here]) home[Symbol.dispose]();
    },
  };
}

/** The address of the port, from the one line that a serving engine says. */
async function servedAt(stdout: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of stdout) {
    text += piece;
    if (text.includes("\n")) break;
  }
  return /https:\/\/[^"]+/.exec(text)?.[0] ?? text;
}

test(
  "[CTL-17] an engine on another machine is worked with over TLS, and one whose certificate nobody vouches for is refused",
  async () => {
    await using place = await openPlace({
      script: [says("at your service"), says("still here"), says("here too")],
    });
    const { token, cert } = place;
    const blind = await place.connect([], { CINCH_TOKEN: token }, "hello\n");
    expect([blind.code, blind.stdout]).toEqual([2, ""]);
    expect(blind.stderr).toContain("(EngineCertificate)");
    expect(blind.stderr).toContain("--tls-ca");
    expect(blind.stderr + blind.stdout).not.toContain(token);

    const early = await place.connect(["--tls-ca", cert, "--continue"], { CINCH_TOKEN: token });
    expect([early.code, early.stderr]).toEqual([
      2,
      "cinch: There is no earlier session in any directory to continue. Start a new one with: cinch (NothingToContinue)\n",
    ]);

    const trusted = await place.connect(["--tls-ca", cert], { CINCH_TOKEN: token }, "hello\n");
    expect([trusted.code, trusted.stdout]).toEqual([0, expect.stringContaining("at your service\n")]);

    const again = [
      "--tls-ca",
      cert,
      "--auth-token-file",
      place.tokenFile(),
      "--continue",
      "--cwd",
      place.work,
    ];
    const resumed = await place.connect(again, {}, "and?\n");
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining("still here\n")]);
    expect(resumed.stdout).toContain("you asked:\n| hello");

    const anywhere = ["--tls-ca", cert, "--continue"];
    const last = await place.connect(anywhere, { CINCH_TOKEN: token }, "where?\n");
    expect([last.code, last.stdout]).toEqual([0, expect.stringContaining("here too\n")]);
    expect(last.stdout).toContain("you asked:\n| and?");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-17 CLI-01] an operation that --connect cannot do is refused before anything is sent",
  async () => {
    using home = cinchHome();
    const problems = [
      [["--connect", "http://example.org:80"], "only with TLS"],
      [["--connect", "ftp://127.0.0.1"], "--connect takes https://HOST:PORT"],
      [["--connect", "https://someone:secret@127.0.0.1:1"], "an address alone"],
      [["--connect", "https://127.0.0.1:1"], "--auth-token-file PATH, or the variable CINCH_TOKEN"],
      [["--connect", "https://127.0.0.1:1", "--no-listen"], "--connect and --no-listen exclude each other"],
      [["--tls-ca", "x.pem"], "--tls-ca goes with --connect"],
    ] as const;
    for (const [words, problem] of problems) {
      const { code, stderr } = await runCinch(words, { home });
      expect([words, code, stderr]).toEqual([words, 2, expect.stringContaining(problem)]);
    }
    const away = [
      ["https://127.0.0.1:1", "nothing listens there"],
      ["unix:///nowhere/control.sock", "there is no such socket"],
    ] as const;
    for (const [url, why] of away) {
      const { code, stderr } = await runCinch(["--connect", url], { home, env: { CINCH_TOKEN: "t" } });
      const said = `cinch: The engine at ${url} cannot be reached: ${why}. Start it there with: cinch serve (EngineUnreachable)\n`;
      expect([code, stderr]).toEqual([1, said]);
    }
  },
  TIMEOUT_MS,
);

atTerminal(
  "[CTL-17 PERM-06] at a terminal the token is typed unseen, a change is reviewed as a diff, and the answer counts there",
  async () => {
    const write = calls("Write", { file_path: "there.txt", content: "written there\n" });
    await using place = await openPlace({ script: [write, says("it is written")] });
    await using terminal = await openTerminal({ home: place.here, cwd: place.here.path });
    await terminal.type(
      `clear; "$CINCH" --plain --connect ${place.url} --tls-ca ${place.cert}; echo co""de $?`,
    );
    await terminal.press("Enter");
    await terminal.shows("Token for https://");
    await terminal.type(place.token);
    await terminal.press("Enter");
    await terminal.shows("/help lists commands");
    expect(await terminal.screen()).not.toContain(place.token.slice(0, 20));
    await terminal.type("write it");
    await terminal.press("Enter");
    await terminal.shows("+written there");
    await terminal.shows("1-4 >");
    await terminal.type("1");
    await terminal.press("Enter");
    await terminal.shows("it is written");
    expect(await Bun.file(join(place.work, "there.txt")).text()).toBe("written there\n");
    await terminal.type("/quit");
    await terminal.press("Enter");
    await terminal.shows("code 0");
  },
  TIMEOUT_MS,
);

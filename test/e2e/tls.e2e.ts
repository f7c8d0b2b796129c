import { expect } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome, RunningCinch } from "../support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";

const TIMEOUT_MS = 240_000;
const test = requireProgram("openssl");
/** An address that is not the loopback one for cinch, and leads nowhere but here. */
const ELSEWHERE = "127.0.0.2";

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that vouches for itself. */
async function certificate(
  home: CinchHome,
  name: string,
  more: Partial<Validity> = {},
): Promise<Certificate> {
  const { names = "IP:127.0.0.1,IP:127.0.0.2", from = "20200101000000Z", to = "21000101000000Z" } = more;
  const folder = join(home.path, `ca-${name}`);
  mkdirSync(folder);
  const [cert, key, request] = ["cert.pem", "key.pem", "request.pem"].map((file) => join(folder, file));
  if (cert === undefined || key === undefined || request === undefined) throw new Error("three were named");
  writeFileSync(join(folder, "index.txt"), "");
  writeFileSync(join(folder, "serial"), "01");
  const config = join(folder, "ca.conf");
  writeFileSync(
    config,
    `[ca]\ndefault_ca=d\n[d]\ndatabase=${folder}/index.txt\nserial=${folder}/serial\nnew_certs_dir=${folder}\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=${names}\nbasicConstraints=CA:TRUE\n`,
  );
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  await openssl("req", "-new", ...curve, "-nodes", "-subj", "/CN=test", "-keyout", key, "-out", request);
  const times = ["-startdate", from, "-enddate", to];
  const self = ["-selfsign", "-batch", "-notext", "-config", config, "-keyfile", key];
  await openssl("ca", ...self, "-in", request, ...times, "-out", cert);
  return { cert, key };
}

interface Validity {
  readonly names: string;
  readonly from: string;
  readonly to: string;
}

async function openssl(...words: readonly string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...words], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const told = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(told);
}

test(
  "[CTL-17] a certificate that has expired, or is for another name, is reported as that, and the token is not sent",
  async () => {
    using home = cinchHome();
    const expired = await certificate(home, "old", { to: "20200102000000Z" });
    const other = await certificate(home, "other", { names: "DNS:elsewhere.example" });
    const tells = [
      [expired, "it has expired, and its engine needs a new one (CERT_HAS_EXPIRED)"],
      [other, "it is not for the name 127.0.0.1 ("],
    ] as const;
    for (const [{ cert, key }, told] of tells) {
      const asked: string[] = [];
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        tls: { cert: Bun.file(cert), key: Bun.file(key) },
        fetch(request) {
          asked.push(request.url);
          return new Response();
        },
      });
      const words = ["--connect", `https://127.0.0.1:${server.port}`, "--tls-ca", cert];
      const run = await runCinch(words, { home, env: { CINCH_TOKEN: "a-token" }, stdin: "hello\n" });
      await server.stop(true);
      expect([run.code, run.stderr, asked]).toEqual([2, expect.stringContaining(told), []]);
      expect(run.stderr).toContain("(EngineCertificate)");
    }
  },
  TIMEOUT_MS,
);

test(
  "[CTL-10 LIFE-01] a certificate that no client could take is refused before the engine starts",
  async () => {
    using home = cinchHome();
    const [good, another] = [await certificate(home, "good"), await certificate(home, "another")];
    const expired = await certificate(home, "old", { to: "20200102000000Z" });
    const early = await certificate(home, "early", { from: "20990101000000Z" });
    const problems = [
      [good.cert, another.key, `--tls-key ${another.key} is the key of another certificate`],
      [expired.cert, expired.key, `--tls-cert ${expired.cert} has expired (Jan  2 00:00:00 2020 GMT)`],
      [early.cert, early.key, `--tls-cert ${early.cert} counts only from Jan  1 00:00:00 2099 GMT on`],
      [good.cert, good.cert, `--tls-key ${good.cert} is not a private key`],
    ] as const;
    for (const [cert, key, told] of problems) {
      const words = ["serve", "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key];
      const { code, stderr } = await runCinch(words, { home });
      expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
    }
  },
  TIMEOUT_MS,
);

test(
  "[CTL-10 AUTH-04 AUTH-07] other machines are served over TLS alone, with a token of a file that names its session, and nothing else",
  async () => {
    await using served = await openServed({ script: [says("from afar")] });
    const { home, work } = served;
    const owner = await served.token();
    const session = await served.session(owner);
    const content = [{ type: "text", text: "hello" }];
    expect((await served.ask(`/v1/sessions/${session}/input?wait=turn`, owner, { content })).status).toBe(
      200,
    );
    const bound = await served.token("--identity-class", "human", "--session", session);
    const unbound = await served.token("--identity-class", "human");
    await served.end("SIGTERM");
    const { cert, key } = await certificate(home, "lan");
    const file = join(home.path, "token.json");
    writeFileSync(file, JSON.stringify({ token: bound }));
    chmodSync(file, 0o400);
    const lan = ["--listen", `${ELSEWHERE}:0`];
    const tls = ["--tls-cert", cert, "--tls-key", key];
    const lacking = [
      [lan, "needs --tls-cert and --tls-key"],
      [[...lan, ...tls], "needs --auth-token-file"],
      [[...lan, "--auth-token-file", file], "needs --tls-cert and --tls-key"],
    ] as const;
    for (const [flags, told] of lacking) {
      const { code, stderr } = await runCinch(["serve", ...flags], { home, cwd: work });
      expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
    }
    const flags = ["--model", "mock:one", ...lan, ...tls, "--auth-token-file", file];
    await using engine = startCinch(["serve", "--until-idle", ...flags], { home, cwd: work });
    const url = await servedAt(engine);
    const ca = await Bun.file(cert).text();
    const ask = async (token: string, path = "/v1/sessions?past=true") => {
      const headers = { "X-Harness-Token": token, "X-Harness-Version": "0.2.0" };
      const answer = await fetch(`${url}${path}`, { headers, tls: { ca } });
      return [answer.status, await answer.json()];
    };
    expect(await ask(bound)).toMatchObject([200, { sessions: [{ session }] }]);
    expect(await ask(unbound)).toMatchObject([403, { reason: "TokenNotHere" }]);
    expect(await ask(owner)).toMatchObject([403, { reason: "TokenNotHere" }]);
    await expect(fetch(url.replace("https:", "http:"))).rejects.toThrow();
    const strange = await fetch(`${url}/v1/health`, { tls: { ca }, headers: { host: "evil.example:1" } });
    expect([strange.status, await strange.json()]).toMatchObject([403, { reason: "InvalidHost" }]);
  },
  TIMEOUT_MS,
);

/** The address of its port, from the one line that it says. */
async function servedAt({ stdout }: RunningCinch): Promise<string> {
  let text = "";
  for await (const piece of stdout) {
    text += piece;
    if (text.includes("\n")) break;
  }
  return /https:\/\/[^"]+/.exec(text)?.[0] ?? text;
}

test(
  "[CRED-03] no variable of the environment makes cinch send a key to a provider whose certificate nobody vouches for",
  async () => {
    using home = cinchHome();
    const { cert, key } = await certificate(home, "provider");
    const keys: (string | null)[] = [];
    const provider = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { cert: Bun.file(cert), key: Bun.file(key) },
      fetch({ headers }) {
        keys.push(headers.get("x-api-key"));
        return new Response(null, { status: 401 });
      },
    });
    try {
      const config = join(home.path, "config/cinch");
      mkdirSync(config);
      writeFileSync(
        join(config, "config.toml"),
        `[providers.own]\nkind = "anthropic"\nbase_url = "https://127.0.0.1:${provider.port}"\napi_key_env = "OWN_KEY"\n`,
      );
      const env = { OWN_KEY: "canary-0123456789abcdef", NODE_TLS_REJECT_UNAUTHORIZED: "0" };
      const refused = await runCinch(["-p", "x", "--model", "own:m", "--max-time", "20s"], { home, env });
      expect([refused.code, keys]).toEqual([expect.any(Number), []]);
      expect(refused.code).not.toBe(0);
      const vouched = { ...env, NODE_EXTRA_CA_CERTS: cert };
      await runCinch(["-p", "x", "--model", "own:m"], { home, env: vouched });
      expect(keys).toEqual(["canary-0123456789abcdef"]); // and it is sent where somebody does
    } finally {
      provider.stop(true);
    }
  },
  TIMEOUT_MS,
);

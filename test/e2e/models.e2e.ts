import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import type { CloudDouble, CloudRoutes } from "../support/cloud-double.ts";
import { spoken, startCloudDouble } from "../support/cloud-double.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

/** Vertex AI and Copilot as a person uses them, against servers on this machine that speak as theirs do. */

const GITHUB_TOKEN = "gho_canary_of_the_github_token_0123";
const COPILOT_TOKEN = "tid=canary;exp=1;sku=free:canary-of-copilot-0123456789";
const GOOGLE_TOKEN = "ya29.canary-of-the-access-token-0123456789";
const OPENROUTER_KEY = "canary-of-openrouter-0123456789";
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

interface Rig extends AsyncDisposable {
  readonly cloud: CloudDouble;
  readonly home: CinchHome;
  run(words: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof runCinch>;
  /** Returns the secrets that are in a text, or in a file that cinch has written. */
  seen(secrets: readonly string[], texts: readonly string[]): readonly string[];
}

function openRig(routes: CloudRoutes, config: (url: string) => string): Rig {
  const cloud = startCloudDouble(routes);
  const home = cinchHome();
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(join(home.path, "config/cinch/config.toml"), config(cloud.url));
  return {
    cloud,
    home,
    run: (words, env = {}) => runCinch(words, { home, env }),
    seen(secrets, texts) {
      const files = ["config", "data", "state"].flatMap((folder) =>
        readdirSync(join(home.path, folder), { recursive: true, encoding: "utf8" }).map((file) =>
          join(home.path, folder, file),
        ),
      );
      const written = files.filter((file) => statSync(file).isFile());
      const all = [...texts, ...written.map((file) => readFileSync(file, "latin1"))];
      return secrets.filter((secret) => all.some((text) => text.includes(secret)));
    },
    async [Symbol.asyncDispose]() {
      await cloud[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test("[PROV-14 CRED-03] Claude answers on Vertex AI for the usual variables alone; a token that ended is renewed, and no credential is seen anywhere", async () => {
  await using rig = openRig(
    {
      "/token": () => Response.json({ access_token: GOOGLE_TOKEN, expires_in: 3_600 }),
      streamRawPredict: (request, count) => {
        if (count === 1) return spoken("anthropic", request, calls("Bash", { command: "env" }));
        if (count === 2) return Response.json({ error: { code: 401, message: "expired" } }, { status: 401 });
        return spoken("anthropic", request, says("Hello from Vertex."));
      },
    },
    (url) => `[vertex]\nbase_url = "${url}/v1"\ntoken_url = "${url}/token"\n`,
  );
  const path = join(rig.home.path, "key.json");
  const key = {
    type: "service_account",
    client_email: "robot@project.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
  writeFileSync(path, JSON.stringify(key), { mode: 0o600 });
  const env = {
    CLAUDE_CODE_USE_VERTEX: "1",
    ANTHROPIC_VERTEX_PROJECT_ID: "my-project",
    CLOUD_ML_REGION: "global",
    GOOGLE_APPLICATION_CREDENTIALS: path,
    GOOGLE_CLOUD_PROJECT: "my-project",
  };
  const flags = ["--auto-approve", "--level", "DangerFullAccess", "--log-level", "trace", "--log-to-stderr"];
  const told = await rig.run(["-p", "hi", "--model", "opus", ...flags], env);
  expect([told.code, told.stdout]).toEqual([0, "Hello from Vertex.\n"]);
  expect(rig.cloud.requests.map(({ path: at }) => at.replace(/.*models/, ""))).toEqual([
    "/token",
    "/claude-opus-5-5:streamRawPredict",
    "/claude-opus-5-5:streamRawPredict",
    "/token",
    "/claude-opus-5-5:streamRawPredict",
  ]);
  const bodies = rig.cloud.to("streamRawPredict").map(({ text }) => text);
  // The command ran, and saw what is no secret.
  expect(bodies[2]?.includes("GOOGLE_CLOUD_PROJECT=my-project")).toBe(true);
  const secrets = [GOOGLE_TOKEN, ...key.private_key.split("\n").slice(1, -2)];
  expect(rig.seen(secrets, [told.stderr, ...bodies])).toEqual([]);

  chmodSync(path, 0o622);
  const problem = `${path} can be changed by others (mode 0622); if nobody did: chmod 600 ${path}`;
  expect((await rig.run(["creds", "list"], env)).stdout).toContain(problem);
  expect((await rig.run(["doctor"], env)).stdout).toContain(`vertex: The Google credentials from`);
}, 120_000);

const EXCHANGE = (cloud: () => CloudDouble) => ({
  token: COPILOT_TOKEN,
  expires_at: 4_000_000_000,
  refresh_in: 1_500,
  endpoints: { api: `${cloud().url}/moved` },
});

test("[PROV-06 CRED-03] a login to Copilot by a code; its models listed, asked where GitHub says, and taken over by OpenRouter where the login is refused", async () => {
  let letsIn = true;
  await using rig: Rig = openRig(
    {
      "/login/device/code": () =>
        Response.json({
          device_code: "device-canary",
          user_code: "ABCD-1234",
          verification_uri: `${rig.cloud.url}/login/device`,
          expires_in: 900,
          interval: 0.05,
        }),
      "/login/oauth/access_token": (_, count) =>
        Response.json(count < 3 ? { error: "authorization_pending" } : { access_token: GITHUB_TOKEN }),
      copilot_internal: () => Response.json(EXCHANGE(() => rig.cloud)),
      "/models": () => Response.json({ data: [{ id: "gpt-5-mini" }] }),
      "/or/": (request) => spoken("chat", request, says("Hello from OpenRouter.")),
      "/chat/completions": (request) =>
        letsIn
          ? spoken("chat", request, says("Hello from Copilot."))
          : new Response(`unauthorized: ${COPILOT_TOKEN} expired\n`, { status: 401 }),
    },
    (url) => `[copilot]
github_url = "${url}"
base_url = "${url}/asked"

[providers.openrouter]
kind = "openai-compatible"
base_url = "${url}/or"
api_key_env = "OPENROUTER_API_KEY"
`,
  );
  const login = await rig.run(["creds", "login", "copilot"]);
  expect([login.code, login.stdout]).toEqual([0, ""]);
  expect(login.stderr).toContain(
    `open ${rig.cloud.url}/login/device in a browser and enter the code ABCD-1234`,
  );
  expect((await rig.run(["models"])).stdout).toBe("copilot:gpt-5-mini\n");
  const ask = ["-p", "hi", "--model", "copilot:gpt-5-mini"];
  expect(await rig.run(ask)).toMatchObject({ code: 0, stdout: "Hello from Copilot.\n", stderr: "" });
  expect(rig.cloud.to("/chat/completions")[0]).toMatchObject({
    path: "/moved/chat/completions",
    headers: { authorization: `Bearer ${COPILOT_TOKEN}`, "x-initiator": "user" },
  });

  letsIn = false;
  const refused = await rig.run(ask);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(
      "Provider copilot refused the key from creds.enc: unauthorized: «redacted:api-key»",
    ),
  ]);
  const over = await rig.run(ask, { OPENROUTER_API_KEY: OPENROUTER_KEY });
  expect([over.code, over.stdout]).toEqual([0, "Hello from OpenRouter.\n"]);
  expect(over.stderr).toContain("openrouter:openai/gpt-5-mini takes over.");
  expect(rig.cloud.to("/or/")[0]).toMatchObject({
    headers: { authorization: `Bearer ${OPENROUTER_KEY}` },
    body: { model: "openai/gpt-5-mini" },
  });

  const said = [login, refused, over].map(({ stdout, stderr }) => stdout + stderr);
  const secrets = [GITHUB_TOKEN, COPILOT_TOKEN, OPENROUTER_KEY];
  expect(rig.seen(secrets, [...said, ...rig.cloud.to("/or/").map(({ text }) => text)])).toEqual([]);
  expect((await rig.run(["creds", "logout", "copilot"])).code).toBe(0);
  expect((await rig.run(["creds", "list"])).stdout).toBe("");
}, 120_000);

test("[PROV-06 LIFE-02] Ctrl-C while a login waits stores nothing", async () => {
  await using rig: Rig = openRig(
    {
      "/login/device/code": () =>
        Response.json({
          device_code: "device-canary",
          user_code: "ABCD-1234",
          verification_uri: `${rig.cloud.url}/login/device`,
          interval: 100,
        }),
    },
    (url) => `[copilot]\ngithub_url = "${url}"\n`,
  );
  await using login = startCinch(["creds", "login", "copilot"], { home: rig.home });
  await rig.cloud.until((requests) => requests.length === 1);
  login.kill("SIGINT");
  expect(await login.exited).toBe(130);
  expect(existsSync(join(rig.home.path, "config/cinch/creds.enc"))).toBe(false);
}, 120_000);

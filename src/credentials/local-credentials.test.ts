import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock } from "../../test/support/fake-clock.ts";
import { seededRandom, temporaryDirectory } from "../../test/support/world.ts";
import { localCredentials } from "./local-credentials.ts";

const CREDENTIAL = { kind: "header", header: "authorization", prefix: "Bearer " } as const;

test("[PROV-06 PROV-14 CRED-03] a program that uses cinch as a library asks Vertex AI and Copilot with what it gave, exchanged in its own process", async () => {
  await using folder = temporaryDirectory();
  const path = join(folder.path, "credentials.json");
  const user = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" };
  writeFileSync(path, JSON.stringify(user), { mode: 0o600 });
  const sent: unknown[] = [];
  const held = localCredentials({
    environment: {
      ANTHROPIC_VERTEX_PROJECT_ID: "p",
      GOOGLE_APPLICATION_CREDENTIALS: path,
      COPILOT_GITHUB_TOKEN: "gho_given",
    },
    customs: [],
    async fetch(url, { headers }) {
      sent.push([url, headers?.["authorization"]]);
      if (url === "https://oauth2.googleapis.com/token") return Response.json({ access_token: "of-google" });
      if (url.includes("copilot_internal")) return Response.json({ token: "of-copilot" });
      return new Response("fine");
    },
    random: seededRandom(1),
    directory: folder.path,
    insecureDevKey: false,
    clock: fakeClock(),
    settings: {},
  });
  expect(await held.keys.providers()).toEqual(["copilot", "vertex"]);
  expect(await held.list()).toEqual([
    { provider: "copilot", source: "COPILOT_GITHUB_TOKEN" },
    { provider: "vertex", source: "the environment" },
  ]);
  const { signal } = new AbortController();
  const ask = async (provider: string, url: string) =>
    await (await held.send({ provider, url, credential: CREDENTIAL, signal })).text();
  expect(await ask("vertex", "https://aiplatform.googleapis.com/v1/projects/p")).toBe("fine");
  expect(await ask("copilot", "https://api.githubcopilot.com/models")).toBe("fine");
  expect(sent).toEqual([
    ["https://oauth2.googleapis.com/token", undefined],
    ["https://aiplatform.googleapis.com/v1/projects/p", "Bearer of-google"],
    ["https://api.github.com/copilot_internal/v2/token", "token gho_given"],
    ["https://api.githubcopilot.com/models", "Bearer of-copilot"],
  ]);
});

test("[CRED-01 CTL-19] an engine in a program has no helper: it stores no key, and says where the program gives it", async () => {
  await using folder = temporaryDirectory();
  const held = localCredentials({
    ...{ environment: {}, customs: [], random: seededRandom(1), clock: fakeClock(), settings: {} },
    ...{ directory: folder.path, insecureDevKey: false },
    fetch: () => Promise.reject(new Error("no network")),
  });
  const refusal = (provider: string, key: string) =>
    held.store({ provider, key }).catch((thrown: unknown) => String(thrown));
  expect(await refusal("anthropic", "Zc81Qn5RwPd27LxUe0YbTf94Ma")).toBe(
    "HarnessError: No key of anthropic was stored: the program that runs this engine holds the keys itself, without a credential helper. Set ANTHROPIC_API_KEY in the environment that it gives to the engine.",
  );
  expect(await refusal("anthropic", "")).toContain("the key is empty");
});

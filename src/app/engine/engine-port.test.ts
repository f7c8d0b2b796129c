import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "../../../test/support/place.ts";
import { reading } from "../../../test/support/reading.ts";
import { scriptedProvider } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Scope } from "../../session/access/scope.ts";
import type { Plugin } from "../../session/plugins/plugin.ts";
import { openReview } from "../explain/review.ts";

test("[PROF-01 CTL-15] a profile is shown with its servers, tools, skills, sources and permissions, and nothing that a server is given", async () => {
  await using place = openPlace();
  const folder = join(place.root, "config/profiles");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "team.toml"),
    `default_model = "mock:one"
context_sources = ["AGENTS.md", "CLAUDE.md"]
tool_packs = ["fs"]
[[mcp_servers]]
name = "db"
cmd = "/usr/bin/db"
args = ["--password", "hunter2"]
env = { DB_HOST = "internal" }
sha256 = "${"a1".repeat(32)}"
discovery = "lazy"
[permissions]
level = "ReadOnly"
strict = true
deny = ["Bash:rm *"]
`,
  );
  await using harness = await place.open();
  const catalogue = reading(await harness.port([]));
  expect(await catalogue.profile("team")).toEqual({
    name: "team",
    source: "user",
    default_model: "mock:one",
    context_sources: ["AGENTS.md", "CLAUDE.md"],
    tool_packs: ["fs"],
    skill_packs: [],
    mcp_servers: [{ name: "db", transport: "stdio", discovery: "lazy", pinned: true }],
    plugins: [],
    permissions: { level: "ReadOnly", strict: true, rules: [{ effect: "deny", rule: "Bash:rm *" }] },
    allow_project_hooks: false,
  });
  await expect(catalogue.profile("../team")).rejects.toMatchObject({ reason: "UnknownResource" });
});

test("[CTL-15 PROV-13] a provider that is set up is listed with its models and prices, or with why there are none", async () => {
  const price = { input: 1, output: 2, cacheRead: 0.1 };
  const offers: Plugin = {
    name: "offers",
    apiVersion: 1,
    register(to) {
      const scripted = { ...scriptedProvider([]), family: "offers" };
      const models = [{ id: "large", contextTokens: 1_000, outputTokensMax: 100, price }, { id: "small" }];
      to.provider("paid", () => ({ ...scripted, name: "paid", models: async () => models }));
      const fail = () =>
        Promise.reject(
          new HarnessError("ProviderFailed", { provider: "broken", status: "500", detail: "no" }),
        );
      to.provider("broken", () => ({ ...scripted, name: "broken", models: fail }));
    },
  };
  await using place = openPlace();
  await using harness = await place.open({ plugins: [offers] });
  const catalogue = reading(await harness.port([]));
  const listed = await catalogue.providerCatalogues();
  expect(listed.filter(({ name }) => name === "paid" || name === "broken")).toEqual([
    {
      name: "paid",
      configured: true,
      models: [
        {
          id: "large",
          context_tokens: 1_000,
          output_tokens_max: 100,
          price: { input: 1, output: 2, cache_read: 0.1 },
        },
        { id: "small" },
      ],
    },
    { name: "broken", configured: true, error: expect.stringContaining("broken") },
  ]);
});

test("[CMD-01] slash commands that cannot do anything for a person are not offered", async () => {
  await using place = openPlace();
  const folder = join(place.root, "config/profiles");
  await using harness = await place.open();
  const catalogue = reading(await harness.port([]));
  const offered = async () => (await catalogue.slashCommands()).map(({ name }) => name);
  expect(await offered()).toContain("profiles:self");
  expect(await offered()).not.toContain("web"); // no engine serves a web client yet
  expect(await offered()).not.toContain("profiles:conformance"); // its model plays a script for a test
  mkdirSync(folder);
  writeFileSync(join(folder, "conformance.toml"), "");
  expect(await offered()).toContain("profiles:conformance"); // the user's own
});

test("[AUTH-07 CTL-15] what sessions have is listed for who may see them, and for nobody else", async () => {
  await using place = openPlace();
  const config = join(place.root, "config");
  mkdirSync(join(config, "skills/tidy"), { recursive: true });
  writeFileSync(
    join(config, "skills/tidy/SKILL.md"),
    "---\nname: tidy\ndescription: tidies\n---\nPut it away.\n",
  );
  mkdirSync(join(config, "prompts"));
  writeFileSync(join(config, "prompts/look.md"), "Look.\n");
  const { own, ledger } = await openReview(place.options());
  await ledger.approve(own.pending.map(({ item }) => item));
  await using harness = await place.open();
  const catalogue = reading(await harness.port([]));
  const { session } = harness;
  const seen = async (scope?: Scope) => {
    const [tools, skills, commands] = await Promise.all([
      catalogue.tools(undefined, scope),
      catalogue.skills(scope),
      catalogue.slashCommands(undefined, scope),
    ]);
    const names = [...tools, ...skills, ...commands].map(({ name }) => name);
    return ["Read", "Agent", "tidy", "prompts:look", "profiles:default"].filter((name) =>
      names.includes(name),
    );
  };
  await until("its skills are known", async () => (await catalogue.skills()).length > 0);
  const all = await seen();
  expect(all).toEqual(["Read", "Agent", "tidy", "prompts:look", "profiles:default"]);
  expect(await seen({ sessions: [session], commands: "all" })).toEqual(all);
  const none: Scope = { sessions: [], commands: "all" };
  expect(await seen(none)).toEqual(["Read", "profiles:default"]);
  expect(await catalogue.mcpServers(none)).toEqual([]);
  expect((await catalogue.skill("tidy")).text).toContain("Put it away.");
  await expect(catalogue.skill("tidy", none)).rejects.toMatchObject({ reason: "UnknownResource" });
});

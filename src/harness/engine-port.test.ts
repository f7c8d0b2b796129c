import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "../../test/support/place.ts";

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
  const { catalogue } = await harness.port([]);
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

import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlaceOptions, TestProject } from "../../../test/support/place.ts";
import { openPlace } from "../../../test/support/place.ts";
import { writtenDefault } from "../../config/settings/read-section.ts";
import { TrustLedger } from "../../guard/trust/ledger/ledger.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { SECTIONS } from "../plan/sections.ts";
import type { EffectiveKey, Origin } from "./effective-keys.ts";
import { effectiveKeys } from "./effective-keys.ts";
import { openReview } from "./review.ts";

describe("[PROF-03] every setting is shown with its value and its origin", () => {
  test("flags go before config.toml, that before the profile, and what is nowhere is the default", async () => {
    await using place = openPlace();
    place.config('max_turns = 30\n\n[permissions]\nlevel = "ReadOnly"\ndeny = ["Bash:rm *"]\n');
    profile(
      place,
      "review",
      'default_model = "local:x"\n[limits]\nrounds = 5\ncost = 2\n[permissions]\nask = ["Edit"]\n',
    );
    const shown = await show(place, {
      profile: "review",
      wishes: { level: "WorkspaceWrite", maxCostUsd: 1 },
    });
    expect(shown("profile")).toEqual(['"review"', "--profile"]);
    expect(shown("limits.rounds")).toEqual([
      "30",
      "config/config.toml:1 max_turns",
      "config/profiles/review.toml:3",
    ]);
    expect(shown("limits.cost")).toEqual(["1", "--max-cost", "config/profiles/review.toml:4"]);
    expect(shown("permissions.level")).toEqual(['"WorkspaceWrite"', "--level", "config/config.toml:4"]);
    expect(shown("permissions.deny")).toEqual(['["Bash:rm *"]', "config/config.toml:5"]);
    expect(shown("permissions.ask")).toEqual(['["Edit"]', "config/profiles/review.toml:6"]);
    expect(shown("default_model")).toEqual(['"local:x"', "config/profiles/review.toml:1"]);
    expect(shown("compaction.threshold")).toEqual(["0.8", "default"]);
    expect(shown("compaction.context_tokens")).toEqual(["null", "default"]);
  });

  test("a model in the user's config.toml wins over the suggestion of an embedded profile", async () => {
    await using place = openPlace();
    place.config('default_model = "local:mine"\ndefault_profile = "self"\n');
    const shown = await show(place);
    expect(shown("profile")).toEqual(['"self"', "config/config.toml:2"]);
    expect(shown("default_model")).toEqual(['"local:mine"', "config/config.toml:1", "embedded:self"]);
    expect(shown("context_sources")).toEqual(['["AGENTS.md","CLAUDE.md"]', "embedded:self"]);
    expect(shown("permissions.level")).toEqual(['"WorkspaceWrite"', "embedded:preset/default.toml"]);
  });

  test("a project's settings count once they were acknowledged, and only where they restrict", async () => {
    await using place = openPlace();
    place.write(".git/HEAD", "ref: x\n");
    place.write(".cinch/config.toml", '[permissions]\nlevel = "ReadOnly"\ndeny = ["WebFetch"]\n');
    const options = optionsOf(place);
    const before = await effectiveKeys(options);
    expect(before.notices).toEqual([
      ".cinch/config.toml was not acknowledged, so nothing of it counts; to look at it: cinch ack",
    ]);
    expect(row(place, before.keys)("permissions.level")).toEqual([
      '"WorkspaceWrite"',
      "embedded:preset/default.toml",
    ]);
    const { ledger, items } = await openReview(options);
    await ledger.approve(items);
    expect(ledger).toBeInstanceOf(TrustLedger);
    const shown = await show(place);
    expect(shown("permissions.level")).toEqual([
      '"ReadOnly"',
      "repo/.cinch/config.toml:2",
      "embedded:preset/default.toml",
    ]);
    expect((await effectiveKeys(options)).keys.filter(({ key }) => key === "permissions.deny")).toHaveLength(
      2,
    );
    // A value that is as low already stays, and that of the project is shown as one that does not count.
    expect((await show(place, { wishes: { level: "ReadOnly" } }))("permissions.level")).toEqual([
      '"ReadOnly"',
      "--level",
      "embedded:preset/default.toml",
      "repo/.cinch/config.toml:2",
    ]);
  });

  test("[PERM-12] with --strict-permissions what an embedded preset allows does not count, what the user allows does", async () => {
    await using place = openPlace();
    place.config('[permissions]\nallow = ["Bash:ls *"]\n');
    const { keys } = await effectiveKeys(optionsOf(place, { wishes: { strictPermissions: true } }));
    const allowed = keys.filter(({ key }) => key === "permissions.allow");
    expect(allowed.map((each) => row(place, [each])("permissions.allow"))).toEqual([
      ['["Bash:ls *"]', "config/config.toml:2"],
      ["[]", "--strict-permissions", "embedded:preset/default.toml"],
    ]);
  });

  test("keys of providers are shown as present, and nothing that looks like a secret is shown", async () => {
    await using place = openPlace();
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    place.config(
      `[providers.own]\nkind = "anthropic"\nbase_url = "http://127.0.0.1:1"\napi_key_env = "OWN_KEY"\nheaders = { x-team = "${token}" }\n` +
        '[[mcp_servers]]\nname = "files"\ncmd = "/bin/files"\nargs = ["--api-key", "plain-one", "--token=plain-two", "-v"]\nenv = { WHAT = "plain-three" }\n',
    );
    const environment = { OWN_KEY: "sk-very-secret-0123456789", OPENAI_API_KEY: "sk-another-0123456789" };
    const { keys } = await effectiveKeys({
      ...optionsOf(place),
      wishes: { ...optionsOf(place).wishes, environment },
    });
    const shown = row(place, keys);
    expect(shown("key of own")).toEqual(['"(set)"', "environment OWN_KEY"]);
    expect(shown("key of openai")).toEqual(['"(set)"', "environment OPENAI_API_KEY"]);
    expect(shown("providers.own.base_url")).toEqual(['"http://127.0.0.1:1"', "config/config.toml:3"]);
    expect(shown("providers.own.headers.x-team")[0]).toBe('"(set)"');
    expect(JSON.parse(shown("mcp_servers")[0] ?? "")).toMatchObject([
      { args: ["--api-key", "(set)", "--token=(set)", "-v"], env: { WHAT: "(set)" } },
    ]);
    const text = JSON.stringify(keys);
    const plain = ["plain-one", "plain-two", "plain-three"];
    for (const secret of [token, ...plain, ...Object.values(environment)]) expect(text).not.toContain(secret);
  });

  test("[PROF-03] every declared key is shown once, and at its declared default if nothing sets it", async () => {
    await using place = openPlace();
    place.config("");
    profile(place, "mine", "");
    const { keys } = await effectiveKeys(optionsOf(place, { profile: "mine" }));
    const declared = SECTIONS.flatMap((section) => {
      if (section.shape === "list") return [section.name];
      if (section.shape === "named") return []; // shown by the names that a file has
      const before = section.shape === "top" ? "" : `${section.name}.`;
      return Object.values(section.keys).map(({ key }) => before + key);
    });
    expect(keys.map(({ key }) => key).sort()).toEqual(
      [...declared, "profile", "permissions", "promoted"].sort(),
    );
    const values = new Map(keys.map(({ key, value }) => [key, value]));
    for (const section of SECTIONS) {
      if (section.shape === "list" || section.shape === "named" || section.name === "permissions") continue;
      const before = section.shape === "top" ? "" : `${section.name}.`;
      for (const key of Object.values(section.keys))
        expect([key.key, values.get(before + key.key)]).toEqual([key.key, writtenDefault(key, {}) ?? null]);
    }
  });

  test("[PROF-03 ENG-10 ENG-24 OBS-01] what no file says is shown as it holds, and what follows from another key, too", async () => {
    await using place = openPlace();
    const before = row(place, (await effectiveKeys(optionsOf(place))).keys);
    const keys = ["agents.rounds", "agents.depth", "tasks.wake", "tasks.schedule", "telemetry.content"];
    expect(keys.map((key) => before(key))).toEqual([
      ["8", "default"],
      ["2", "default"],
      ["false", "default"],
      ["false", "default"],
      ["false", "default"],
    ]);
    expect(before("copilot.base_url")).toEqual(['"https://api.githubcopilot.com"', "default"]);
    place.config('[copilot]\ngithub_url = "https://we.ghe.com"\n[tasks]\nwake = true\n');
    const after = row(place, (await effectiveKeys(optionsOf(place))).keys);
    expect(after("copilot.base_url")).toEqual(['"https://copilot-api.we.ghe.com"', "default"]);
    expect(after("tasks.wake")).toEqual(["true", "config/config.toml:4"]);
  });
});

function optionsOf(place: TestProject, more: PlaceOptions = {}): HarnessOptions {
  const { model: _, ...options } = place.options(more);
  return options;
}

async function show(place: TestProject, more: PlaceOptions = {}) {
  return row(place, (await effectiveKeys(optionsOf(place, more))).keys);
}

/** The value of a key, where it comes from, and what it goes before. */
function row(place: TestProject, keys: readonly EffectiveKey[]) {
  return (wanted: string): readonly string[] => {
    const found = keys.find(({ key }) => key === wanted);
    if (found === undefined) return [];
    const places = [found.from, ...found.instead.map(({ from }) => from)].map(placeText);
    return [JSON.stringify(found.value), ...places.map((text) => text.replace(`${place.root}/`, ""))];
  };
}

function placeText(from: Origin): string {
  if (from.kind === "default") return "default";
  if (from.kind === "flag") return from.name;
  if (from.kind === "environment") return `environment ${from.name}`;
  const line = from.line === undefined ? "" : `:${from.line}`;
  return `${from.path}${line}${from.key === undefined ? "" : ` ${from.key}`}`;
}

function profile(place: TestProject, name: string, text: string): void {
  const folder = join(place.root, "config", "profiles");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.toml`), text);
}

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { ROOT } from "../support/source.ts";

/** Against hanging alone. */
const MS_MAX = 300_000;
/** Written by a cinch of protocol 0.2.0, before there was a release. */
const EXPORT = join(ROOT, "test/data/protocol/0.2.0/export.jsonl");

test(
  "[BUS-08] a session that an older cinch has exported is imported, shown, exported with all that it held, and resumed",
  async () => {
    using home = cinchHome();
    await using provider = startMockProvider({ script: [says("I remember.")] });
    mkdirSync(join(home.path, "config/cinch"));
    const config = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
    writeFileSync(join(home.path, "config/cinch/config.toml"), config);
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runCinch(args, { home });
      expect({ args, code, told: code === 0 ? "" : stderr }).toEqual({ args, code: 0, told: "" });
      return stdout;
    };
    const imported = await run("sessions", "import", EXPORT);
    const [id = ""] = /(?:sess|log)_[0-9A-Z]{26}/.exec(imported) ?? [];
    const shown = await run("sessions", "show", id);
    expect(shown).toContain("make it");
    expect(shown).toContain("2 turns");

    const events = (text: string) =>
      text
        .replaceAll(/call_[0-9A-Z]{26}/g, "(a call)") // each import has ids of its own
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly kind: string; readonly payload: unknown })
        .filter(({ kind }) => kind !== "CustomEvent")
        .map(({ kind, payload }) => ({ kind, payload }));
    expect(events(await run("sessions", "export", id))).toEqual(events(readFileSync(EXPORT, "utf8")));

    expect(await run("-p", "do you remember?", "--resume", id, "--model", "mock:one")).toBe("I remember.\n");
    const asked = JSON.stringify(provider.requests.at(-1));
    expect(asked).toContain("make it");
    expect(asked).toContain("And that was it.");
  },
  MS_MAX,
);

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { encode } from "../src/base/text/text.ts";
import { readOnly } from "../src/config/settings/read-section.ts";
import { parseToml } from "../src/config/toml.ts";
import { mcpSection } from "../src/features/mcp/config.ts";
import { parseAliases } from "../src/features/prompts/aliases.ts";
import { readTemplate } from "../src/features/prompts/template.ts";
import { loadSkills } from "../src/features/skills/format/load-skills.ts";
import { readDefinition } from "../src/features/subagents/definitions/read-definition.ts";
import { trustFile } from "../src/guard/trust/ledger/item.ts";
import { aliasedCommand } from "../src/view/slash/alias.ts";
import { parseTyped } from "../src/view/slash/slash.ts";
import { holds } from "./support/property.ts";

// Whatever may be called something can be called: each rule for a name, held against what reads commands.

/** Readers of each kind of file: return the name that it is called by, undefined if the name is refused. */
const KINDS: Readonly<Record<string, (name: string) => Promise<string | undefined>>> = {
  async skills(name) {
    const file = trustFile("SKILL.md", encode(`---\nname: "${name}"\ndescription: d\n---\nx\n`), 0o644);
    return (await loadSkills({ path: "/s/%", source: "user", files: [file] })).skills[0]?.name;
  },
  async agents(name) {
    const text = `---\nname: "${name}"\ndescription: d\n---\nx\n`;
    const read = await readDefinition(text, { path: `/a/${name}.md`, scope: "user", tools: TOOLS });
    return read.kind === "problem" ? undefined : read.agent.name;
  },
  async prompts(name) {
    const read = await readTemplate({ path: `/p/${name}.md`, source: "user", bytes: encode("x") });
    return read.kind === "problem" ? undefined : read.template.name;
  },
  async mcp(name) {
    try {
      const toml = await parseToml("c.toml", `[[mcp_servers]]\nname = "${name}"\ncmd = "x"\n`);
      return readOnly(toml, mcpSection)[0]?.name;
    } catch {
      return undefined;
    }
  },
};

const NAMES = fc.stringMatching(/^[0-9a-zA-Zäß٣_.-]{1,6}$/u);

test("[CMD-01 SKL-03 CMD-02 MCP-01] a name that a skill, an agent, a prompt, a server or an alias may have can be typed", async () => {
  const accepted = new Map<string, number>();
  await holds(
    fc.asyncProperty(fc.constantFrom(...Object.keys(KINDS)), NAMES, async (namespace, given) => {
      const name = await KINDS[namespace]?.(given);
      if (name === undefined) return;
      accepted.set(namespace, (accepted.get(namespace) ?? 0) + 1);
      const typed = parseTyped(`/${namespace}:${name} on`);
      expect(typed).toEqual({ kind: "command", namespace, name, args: ["on"], rest: "on" });
    }),
    400,
    7,
  );
  expect([...accepted.keys()].sort()).toEqual(Object.keys(KINDS).sort());
  for (const first of ["2fa", "7"]) {
    const typed = parseTyped(`/skills:${first}`);
    expect([await KINDS["skills"]?.(first), typed]).toEqual([
      first,
      { kind: "command", namespace: "skills", name: first, args: [], rest: "" },
    ]);
  }
});

test("[CMD-02 CMD-01] an alias that a file may hold is a command when it is typed, and stands for one", async () => {
  let accepted = 0;
  await holds(
    fc.asyncProperty(NAMES, async (name) => {
      const bytes = encode(`[aliases]\n"${name}" = "/skills:2fa"\n`);
      const [alias] = await parseAliases({ path: "aliases.toml", bytes }).catch(
        () => new Map<string, string>(),
      );
      if (alias === undefined) return;
      accepted += 1;
      const typed = parseTyped(`/${name} now`);
      const listed = { name, usage: `/${name}`, help: "", command: "client", alias_of: alias[1] };
      const meant = typed.kind === "command" ? aliasedCommand(typed, [listed]) : undefined;
      expect([name, meant]).toEqual([
        name,
        { kind: "command", namespace: "skills", name: "2fa", args: ["now"], rest: "now" },
      ]);
    }),
    400,
    7,
  );
  expect(accepted).toBeGreaterThan(10);
});

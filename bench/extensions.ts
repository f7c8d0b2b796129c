import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./report.ts";
import { firstRequestMs } from "./start.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home } from "./subject.ts";
import { cinchPrompt, finished, makeHome, start } from "./subject.ts";

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];
const SKILLS = [
  "anthropics+skills/frontend-design",
  "openai+skills/create-plan",
  "vercel+ai/add-function-examples",
];

/** Additions to an empty home: files, and lines of config.toml. */
interface Extension {
  readonly what: string;
  readonly config?: (place: BenchSetup) => string;
  readonly files?: (place: BenchSetup, folder: string) => void;
}

/** Extensions whose cost is measured from start to first request; unused ones must cost nothing (PERF-01). */
const EXTENSIONS: readonly Extension[] = [
  {
    what: "with three skills",
    files(place, folder) {
      for (const skill of SKILLS) copySkill(place, folder, skill);
    },
  },
  {
    what: "with a kind of sub-agent and a prompt template",
    files: (_place, folder) => {
      write(folder, "agents/worker.md", "---\nname: worker\ndescription: works\n---\nYou work.\n");
      write(folder, "prompts/look.md", "Look at $1.\n");
    },
  },
  { what: "with a lazy MCP server, unused", config: (place) => server(place, "lazy") },
  { what: "with an eager MCP server (server-memory)", config: (place) => server(place, "eager") },
  {
    what: "with a language server and a route, unused",
    config: () =>
      '[[diagnostics]]\nname = "ts"\nfiles = ["*.ts"]\ncommand = ["tsc"]\n[routing.mixed]\nmodel = "bench:bench-model"\n',
  },
];

export async function measureExtensions(place: BenchSetup): Promise<readonly Row[]> {
  const plain = makeHome(place);
  const homes = await Promise.all(EXTENSIONS.map((extension) => homeWith(extension, place)));
  const times = homes.map((): number[] => []);
  const bare: number[] = [];
  for (let run = 0; run <= (place.quick ? 6 : 20); run++) {
    const plainMs = await firstRequestMs(plain, () => cinchPrompt(place));
    const each: number[] = [];
    for (const home of homes) each.push(await firstRequestMs(home, () => cinchPrompt(place)));
    if (run === 0) continue; // the programs come from the disk, and the session stores are made
    bare.push(plainMs);
    for (const [at, ms] of each.entries()) times[at]?.push(ms);
  }
  return EXTENSIONS.map(({ what }, at) => ({
    what: `start to first request ${what}, over one without`,
    unit: "ms",
    cinch: sampled(times[at] ?? []),
    bare: sampled(bare),
    comparison: "difference",
  }));
}

async function homeWith({ config, files }: Extension, place: BenchSetup): Promise<Home> {
  const home = makeHome(place);
  const folder = join(home.path, ".config/cinch");
  files?.(place, folder);
  const acknowledge = start([...place.cinch, "ack", "--all"], home);
  await finished(acknowledge);
  if (config === undefined) return home;
  const more = config(place);
  return {
    ...home,
    point(baseUrl) {
      home.point(baseUrl);
      const path = join(folder, "config.toml");
      writeFileSync(path, more, { flag: "a" });
    },
  };
}

function copySkill({ root }: BenchSetup, folder: string, skill: string): void {
  const name = skill.slice(skill.indexOf("/") + 1);
  cpSync(join(root, "test/data/skills", skill), join(folder, "skills", name), { recursive: true });
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

function server({ bun, root }: BenchSetup, discovery: string): string {
  const script = join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
  const args = JSON.stringify([...FLAGS, script]);
  return `[[mcp_servers]]\nname = "memory"\ncmd = "${bun}"\nargs = ${args}\ndiscovery = "${discovery}"\n`;
}

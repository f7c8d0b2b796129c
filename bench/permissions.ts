import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SECTIONS } from "../src/app/plan/sections.ts";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import type { World } from "../src/base/world.ts";
import { loadProfile } from "../src/config/profile.ts";
import type { Decision } from "../src/guard/permissions/judge/judge.ts";
import { judgeCall, UNCONFINED } from "../src/guard/permissions/judge/verdict.ts";
import { policyFrom } from "../src/guard/permissions/policy.ts";
import { SessionRules } from "../src/guard/permissions/rules/session-rules.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Policy } from "../src/session/guard/policy.ts";
import type { Confinement } from "../src/session/guard/sandbox.ts";
import { BASH_FACTS } from "../src/tools/bash/bash.ts";
import type { CommandRow } from "../test/shell/cases.ts";
import { commandsOf, rowsOf } from "../test/shell/cases.ts";
import type { Row } from "./report.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";

const SILENT = { for: () => SILENT, write: () => undefined };
const JUDGING_MS_AIM = 0.1;
const JUDGING_MS_MAX = 50;
const WORST_TRIES = 5;
const DENIED = ["Read:secrets/**", "Read:**/*.pem", "Read:src/*/x", "Read:/etc/**"];
/** Workspaces of the corpus, which are replaced by the workspace here. */
const WORKSPACES = /\/testbed(?![\w-])|\/Users\/badlogic\/workspaces\/pi-mono(?![\w-])/g;

interface Judged {
  readonly without: Decision["kind"];
  readonly within: Decision["kind"];
  readonly ms: number;
}

/**
 * Measures how often a person is asked, over commands as coding agents have issued them, with the default profile; what
 * of the traps goes through and of the safe ones does not; and how long judging takes, the looks at the disk included.
 */
export async function measurePermissions(place: BenchSetup): Promise<readonly Row[]> {
  const world = hostWorld(SILENT);
  const root = realpathSync(mkdtempSync(join(place.scratch, "workspace-")));
  makeFiles(root, rowsOf("agent-commands"));
  const profile = await loadProfile(world, "default", join(place.scratch, "no-profiles"), SECTIONS);
  const ownDirectories = [join(place.scratch, "config")];
  const policy = policyFrom({
    profile: profile.permissions,
    user: { rules: [] },
    strictPermissions: false,
    ownDirectories,
    tools: TOOLS,
  });
  const judged = (command: string) => judgedOn(command.replaceAll(WORKSPACES, root), { policy, root, world });

  const issued = rowsOf("agent-commands");
  for (const { cmd } of issued) await judged(cmd); // what follows is measured warm, as in a session
  const all: (Judged & CommandRow)[] = [];
  for (const row of issued) all.push({ ...row, ...(await judged(row.cmd)) });
  const pi = all.filter(({ source }) => source === "badlogic/pi-mono");
  const others = all.filter(({ source }) => source !== "badlogic/pi-mono");
  const traps = await Promise.all(commandsOf("traps").map(judged));
  const safe = await Promise.all(commandsOf("safe").map(judged));
  // With rules about files too, since those take more looks.
  const denying = policyFrom({
    profile: profile.permissions,
    user: {
      rules: DENIED.map((text) => ({ effect: "deny", text, where: { path: "", line: 1, key: "deny" } })),
    },
    strictPermissions: false,
    ownDirectories,
    tools: TOOLS,
  });
  const worst = await worstCases(async (command) => {
    const [plain, ruled] = [await judged(command), await judgedOn(command, { policy: denying, root, world })];
    return plain.ms > ruled.ms ? plain : ruled;
  });
  return [
    share("asked of 100 commands, all, no sandbox", asked(all, "without"), 45),
    share("asked of 100 commands, all, in the sandbox", asked(all, "within"), 10),
    share("asked of 100 commands, pi-mono, no sandbox", asked(pi, "without")),
    share("asked of 100 commands, pi-mono, in the sandbox", asked(pi, "within")),
    share("asked of 100 commands, the others, no sandbox", asked(others, "without")),
    share("asked of 100 commands, the others, in the sandbox", asked(others, "within")),
    share("traps let through, no sandbox", traps.filter(({ without }) => without === "allow").length, 0),
    share(
      "asked of 100 safe commands, no sandbox",
      (safe.filter(({ without }) => without !== "allow").length / safe.length) * 100,
      2,
    ),
    {
      what: "judging one command",
      unit: "ms",
      cinch: sampled(all.map(({ ms }) => ms)),
      comparison: "alone",
      aim: JUDGING_MS_AIM,
    },
    {
      what: "judging the slowest of hostile inputs",
      unit: "ms",
      cinch: sampled([worst]),
      comparison: "alone",
      aim: JUDGING_MS_MAX,
    },
  ];
}

/** The files that the commands name, as they were there for those who wrote the commands. */
function makeFiles(root: string, rows: readonly CommandRow[]): void {
  for (const { cmd } of rows) {
    for (const [path] of cmd
      .replaceAll(WORKSPACES, root)
      .matchAll(/(?<=[\s'"])[\w./-]+\.\w{1,4}(?=[\s'";|]|$)/g)) {
      const full = path.startsWith("/") ? path : join(root, path);
      if (!full.startsWith(`${root}/`)) continue;
      try {
        mkdirSync(dirname(full), { recursive: true });
        writeFileSync(full, "", { flag: "wx" });
      } catch {
        // another command has it for a folder, or made it
      }
    }
  }
}

function share(what: string, value: number, aim?: number): Row {
  return {
    what,
    unit: "",
    cinch: sampled([value]),
    comparison: "alone",
    ...(aim === undefined ? {} : { aim }),
  };
}

/** Weighted by how often each was issued. */
function asked(rows: readonly (Judged & CommandRow)[], where: "without" | "within"): number {
  const weight = (some: readonly CommandRow[]) => some.reduce((sum, { n = 1 }) => sum + n, 0);
  return (weight(rows.filter((row) => row[where] !== "allow")) / weight(rows)) * 100;
}

interface JudgingContext {
  readonly policy: Policy;
  readonly root: string;
  readonly world: World;
}

async function judgedOn(command: string, { policy, root, world }: JudgingContext): Promise<Judged> {
  const target = { kind: "command", command, cwd: root } as const;
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/home/user" };
  const context = { world, workspace: { root, scratch: join(root, "no-scratch"), env } };
  const call = { plan: { summary: command, target }, tool: BASH_FACTS };
  const sources = { policy: () => policy, session: new SessionRules() };
  const decided = async (where: Confinement) => {
    const { decision } = await judgeCall(sources, call, { context, confinement: async () => where });
    return decision.kind;
  };
  const before = performance.now();
  const without = await decided(UNCONFINED);
  const ms = performance.now() - before;
  return { without, within: await decided({ kind: "working", network: "off" }), ms };
}

/** Each several times, and the quickest of them: other processes of the machine are not what is measured. */
async function worstCases(judged: (command: string) => Promise<Judged>): Promise<number> {
  const times: number[] = [];
  for (const command of hostileInputs()) {
    const tries: number[] = [];
    for (let run = 0; run < WORST_TRIES; run++) tries.push((await judged(command)).ms);
    times.push(quantile(tries, 0));
  }
  return Math.max(...times);
}

export function hostileInputs(): readonly string[] {
  const long = 48_000; // a line of more than 50,000 characters is refused unread
  const repeated = (part: string, end = "") => part.repeat(Math.floor(long / part.length)) + end;
  return [
    "a".repeat(1_048_576),
    repeated("true;"),
    `${"true; ".repeat(5_000)}curl x`,
    repeated("ls -la src | "),
    repeated("a $(b "),
    repeated("("),
    repeated("{ "),
    repeated("`"),
    repeated("$("),
    repeated("${x:-"),
    repeated("$(("),
    repeated("'a'\"b\""),
    repeated("cat x/"),
    repeated("x* "),
    `cat ${repeated("a/../")}x`,
    `ls ${repeated("[a-z]*/")}`,
    repeated("env A=1 "),
    repeated("timeout 5 "),
    repeated("eval "),
    repeated("bash -c 'a' ;"),
    repeated("cat <<A\nA\n"),
    repeated("cat<<A;"),
    repeated("((1));"),
    repeated("if a; then "),
    repeated("case a in b) "),
    `sed -n '${repeated("1p;")}' x`,
    `awk '${repeated("{print}")}' x`,
    `grep ${repeated("-e x ")}`,
    repeated("> x "),
    repeated("cd a; "),
    repeated("cd a && "),
    repeated("f() { a; }; "),
    repeated("\\\n"),
    repeated("# a\n"),
    `find . ${repeated("-exec a \\; ")}`,
    `xargs ${repeated("-I{} ")}a`,
    repeated("\u00e9\u{1f600} "),
    `git show ${repeated("a:b ")}`,
    `git show HEAD:${repeated("a:")}`,
    repeated("git show x; "),
    repeated("git -C a show x; "),
    `git diff -- ${repeated("a* ")}`,
    `git diff -- '${repeated("*a")}'`,
    `git log -p -- ${repeated("src/x ")}`,
    `tar c ${repeated("a ")}`,
    repeated("tar c .; "),
  ];
}

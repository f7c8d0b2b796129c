import type { Explained, Explainer, FindLiveTools } from "../../../app/explain/explain.ts";
import { openExplainer } from "../../../app/explain/explain.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import { unreachable } from "../../../base/assert.ts";
import { defined } from "../../../base/defined.ts";
import { messageOf } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { SandboxTrial } from "../../../guard/sandbox/sandbox-probe.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { BASH_FACTS } from "../../../tools/bash/bash.ts";
import { isServerTool } from "../../../tools/server-tool-names.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { misuse } from "../../args/misuse.ts";
import type { ProcessContext } from "../../process-context.ts";
import { harnessOptions } from "../../process-context.ts";
import type { Stop } from "../../processes/stop.ts";
import type { PermissionsContext } from "./flags.ts";

const LINE_UNITS_MAX = 4 * 1024 * 1024;

/**
 * Runs `cinch permissions explain 'COMMAND'`, which shows the verdict about a call and its reason, and `list`, which
 * shows the rules in force.
 *
 * It judges by the same configuration, profile and directory as a session. It runs nothing except a trial of the
 * sandbox, if the verdict depends on that. With `--json` each line of standard input is a call. An invalid line is
 * answered with its problem, and the exit code is then 2.
 */
export async function run({
  verb,
  words: [command],
  flags,
  settings,
  at,
  stop,
}: PermissionsContext): Promise<ExitCode> {
  const calls = verb === "explain" ? callsOf(flags, command) : undefined;
  const options = await harnessOptions(settings, at, { attended: true });
  await using explainer = await openExplainer(options, stop.signal, await findLiveTools(calls, at));
  for (const notice of explainer.notices) await at.stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  if (calls === undefined) return await list(explainer, at);
  if (calls.kind === "lines") return await explainLines(explainer, at, stop);
  const { tool, input } = calls;
  checkTool(tool, explainer);
  const verdict = await explainer.explain(tool, input);
  const isOpen = isCommand(tool) && verdict.here.kind === "backend" && verdict.inSandbox !== "deny";
  const lines = render(verdict, tool, isOpen ? await explainer.trySandbox() : { kind: "untried" });
  await at.stdout.write(`${lines.map(neutralise).join("\n")}\n`);
  return EXIT.done;
}

type Calls =
  | { readonly kind: "lines" }
  | { readonly kind: "one"; readonly tool: string; readonly input: unknown };

/** Returns the search for live tools, if a call may be of an MCP server's tool: only these need the running engine. */
async function findLiveTools(
  calls: Calls | undefined,
  at: ProcessContext,
): Promise<FindLiveTools | undefined> {
  if (calls === undefined || (calls.kind === "one" && !isServerTool(calls.tool))) return undefined;
  const { liveTools } = await import("./live-tools.ts");
  return liveTools(at);
}

function callsOf({ json, tool, input }: PermissionsContext["flags"], command: string | undefined): Calls {
  if (json) {
    if (command !== undefined) throw misuse("with --json the calls come from standard input alone");
    return { kind: "lines" };
  }
  if (tool === undefined && input === undefined) {
    if (command === undefined)
      throw misuse("cinch permissions explain needs a command in quotes, or --tool and --input");
    return { kind: "one", tool: BASH_FACTS.name, input: { command } };
  }
  if (command !== undefined) throw misuse("--tool and --input stand in place of a command");
  if (tool === undefined || input === undefined) throw misuse("--tool and --input go together");
  const parsed = parseJson(input)?.value;
  if (!isObject(parsed)) throw misuse("--input is a JSON object");
  return { kind: "one", tool, input: parsed };
}

function checkTool(tool: string, explainer: Explainer): void {
  if (!explainer.hasTool(tool)) throw misuse(explainer.unknownTool(tool));
}

function isCommand(tool: string): boolean {
  return TOOLS.of(tool)?.effect === "runs-commands";
}

function render(verdict: Explained, tool: string, trial: SandboxTrial): readonly string[] {
  const {
    decision,
    inSandbox,
    why,
    whyInSandbox,
    here,
    remedy,
    remedyInSandbox,
    toolFacts,
    mayRefuse = [],
    parts = [],
  } = verdict;
  if (verdict.wouldFail === true) return [`would fail: ${why}`];
  const ofCommand =
    here.kind === "none"
      ? [`here: as above, since ${here.why}`]
      : [
          `in the sandbox: ${inSandbox}: ${whyInSandbox}`,
          ...(inSandbox === decision && trial.kind !== "refused"
            ? []
            : [`here: ${hereText(trial, verdict, here.name)}`]),
        ];
  return [
    `${decision}: ${why}`,
    ...parts.map((part) => `  ${part.verdict}: ${part.text} (${part.why})`),
    ...(isCommand(tool) ? ofCommand : []),
    ...mayRefuse.map((each) => `may be refused all the same: ${each}, and was not run`),
    ...letThrough(trial, remedy),
    ...(remedyInSandbox === undefined ? [] : [`to let it through in the sandbox: ${remedyInSandbox}`]),
    ...(toolFacts === undefined ? [] : [`the tool: ${toolFacts}`]),
  ];
}

/** Prints what lets a call through. If the sandbox refuses every command, no answer, option or rule does. */
function letThrough(trial: SandboxTrial, remedy: string | undefined): readonly string[] {
  if (trial.kind === "refused")
    return ["to let it through: take away what keeps the sandbox from working; nothing else lifts it"];
  return remedy === undefined ? [] : [`to let it through: ${remedy}`];
}

/** Prints which of the two decisions applies on this machine. */
function hereText(trial: SandboxTrial, { decision, inSandbox }: Explained, backend: string): string {
  switch (trial.kind) {
    case "works":
      return `${inSandbox}, since ${backend} works`;
    case "refused":
      return `deny, since ${trial.why}`;
    case "fails":
      return `${decision}, since ${trial.why}`;
    case "untried":
      return `${inSandbox} if ${backend} works (it was not tried), else ${decision}`;
    default:
      return unreachable(trial);
  }
}

async function list({ rules, policy }: Explainer, at: ProcessContext): Promise<ExitCode> {
  const { ceiling, strict, quiet, bashInSandbox } = policy;
  const lines = [
    `level ${ceiling}${strict ? ", strict" : ""}`,
    `known reads go unasked: ${quiet ? "yes" : "no"}`,
    `commands in the sandbox: ${bashInSandbox}`,
    ...rules.map(
      ({ effect, rule, from, directory }) =>
        `${effect.padEnd(5)} ${rule}  (${from}${directory === undefined ? "" : `; only in ${directory}`})`,
    ),
  ];
  await at.stdout.write(lines.map((line) => `${neutraliseLine(line)}\n`).join(""));
  return EXIT.done;
}

async function explainLines(explainer: Explainer, at: ProcessContext, stop: Stop): Promise<ExitCode> {
  let number = 0;
  let bad = 0;
  for await (const line of linesOf(Bun.stdin.stream())) {
    stop.signal.throwIfAborted();
    number += 1;
    if (line.trim() === "") continue;
    const call = callOf(line, explainer);
    if (typeof call === "string") {
      bad += 1;
      await at.stdout.write(`${JSON.stringify({ error: `line ${number}: ${call}` })}\n`);
      continue;
    }
    const verdict = await explainer.explain(call.tool, call.input);
    const { decision, inSandbox, rule = null, why, here, toolFacts, wouldFail, mayRefuse, parts } = verdict;
    const sandbox = here.kind === "none" ? null : here.name;
    const facts = {
      ...defined({ tool_facts: toolFacts }),
      ...(wouldFail === undefined ? {} : { would_fail: true }),
      ...defined({ may_refuse: mayRefuse, parts }),
    };
    await at.stdout.write(
      `${JSON.stringify({ decision, in_sandbox: inSandbox, rule, why, sandbox, ...facts })}\n`,
    );
  }
  if (bad === 0) return EXIT.done;
  await at.stderr.write(`cinch: ${bad} of ${number} lines are no calls\n`);
  return EXIT.usage;
}

function callOf(
  line: string,
  explainer: Explainer,
): { readonly tool: string; readonly input: unknown } | string {
  const example = `{"tool": "${BASH_FACTS.name}", "input": {"command": "ls"}}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (thrown) {
    return `it is not JSON (${messageOf(thrown)}); write ${example}`;
  }
  if (!isObject(parsed)) return `it is not a JSON object; write ${example}`;
  const { tool, input } = parsed;
  if (typeof tool !== "string" || !isObject(input)) return `it lacks tool or input; write ${example}`;
  return explainer.hasTool(tool) ? { tool, input } : explainer.unknownTool(tool);
}

/** Yields the lines of a stream, each of at most `LINE_UNITS_MAX` characters. */
async function* linesOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LINE_UNITS_MAX)
      throw misuse(`a line of standard input is longer than ${LINE_UNITS_MAX} characters`);
    yield* lines;
  }
  if (rest !== "") yield rest;
}

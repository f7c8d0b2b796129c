import type { Explained, Explainer, FindLiveTools } from "../../../app/explain/explain.ts";
import { openExplainer } from "../../../app/explain/explain.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import { unreachable } from "../../../base/assert.ts";
import { messageOf } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { nearestWords } from "../../../base/text/near.ts";
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
 * `cinch permissions explain 'COMMAND'`: what would happen to a call here, and why; `list`: the rules in force.
 *
 * It judges by the same configuration, profile and directory as a session. It runs nothing but a trial of the sandbox, where the
 * answer depends on that. With `--json` each line of
 * standard input is a call; a line that is none is answered by what is wrong with it, and the exit code is 2 in the end.
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
  const options = harnessOptions(settings, at, { attended: true });
  await using explainer = await openExplainer(options, stop.signal, await findLiveTools(calls, at));
  for (const notice of explainer.notices) await at.stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  if (calls === undefined) return await list(explainer, at);
  if (calls.kind === "lines") return await explainLines(explainer, at, stop);
  const { tool, input } = calls;
  checkTool(tool, explainer);
  const verdict = await explainer.explain(tool, input);
  const isOpen = isCommand(tool) && verdict.here.kind === "backend" && verdict.inSandbox !== verdict.decision;
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
  if (!explainer.hasTool(tool)) throw misuse(unknownTool(tool, explainer.tools));
}

function unknownTool(tool: string, tools: readonly string[]): string {
  const [meant] = nearestWords(tool, tools);
  return `there is no tool ${tool}; ${meant === undefined ? `there are ${tools.join(", ")}` : `did you mean ${meant}?`}`;
}

function isCommand(tool: string): boolean {
  return TOOLS.of(tool)?.effect === "runs-commands";
}

function render(verdict: Explained, tool: string, trial: SandboxTrial): readonly string[] {
  const { decision, inSandbox, why, whyInSandbox, here, remedies, toolFacts } = verdict;
  const ofCommand =
    here.kind === "none"
      ? [`here: as above, since ${here.why}`]
      : [
          `in the sandbox: ${inSandbox}: ${whyInSandbox}`,
          ...(inSandbox === decision ? [] : [`here: ${hereText(trial, verdict, here.name)}`]),
        ];
  return [
    `${decision}: ${why}`,
    ...(isCommand(tool) ? ofCommand : []),
    ...remedies.map((remedy) => `to let it through: ${remedy}`),
    ...(toolFacts === undefined ? [] : [`the tool: ${toolFacts}`]),
  ];
}

/** Says which of the two decisions holds on this machine. */
function hereText(trial: SandboxTrial, { decision, inSandbox }: Explained, backend: string): string {
  switch (trial.kind) {
    case "works":
      return `${inSandbox}, since ${backend} works`;
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
    const { decision, inSandbox, rule = null, why, here, toolFacts } = verdict;
    const sandbox = here.kind === "none" ? null : here.name;
    const facts = toolFacts === undefined ? {} : { tool_facts: toolFacts };
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
    return `it is no JSON (${messageOf(thrown)}); write ${example}`;
  }
  if (!isObject(parsed)) return `it is no JSON object; write ${example}`;
  const { tool, input } = parsed;
  if (typeof tool !== "string" || !isObject(input)) return `it lacks tool or input; write ${example}`;
  return explainer.hasTool(tool) ? { tool, input } : unknownTool(tool, explainer.tools);
}

/** The lines of a stream, none of them longer than `LINE_UNITS_MAX`. */
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

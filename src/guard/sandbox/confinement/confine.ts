import { assert } from "../../../base/assert.ts";
import { whileAlive } from "../../../base/async/deadline.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";
import type { CurrentSandbox, SessionSandbox } from "../../../session/guard/session-sandbox.ts";
import type { ToolCall, ToolHandler, ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { ToolContext, ToolOutput } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { confinedSpawn } from "./confined-spawn.ts";
import { MissingVariableNotes, withAllVariables } from "./missing-variables.ts";
import type { RerunOptions } from "./rerun.ts";
import { askRerun } from "./rerun.ts";
import type { Symptom } from "./symptoms.ts";
import { findHiddenSymptom, findSymptom, refusalNote } from "./symptoms.ts";

export interface ConfineOptions extends RerunOptions {
  /** Returns the sandbox of the workspace in which a call works: a sub-agent in a worktree has a separate one. */
  readonly sandbox: (context: ToolContext) => SessionSandbox;
}

/**
 * Runs the commands of tools in the sandbox (SBX-01, SBX-03). Innermost except for time limit, truncation
 * and redaction.
 *
 * A command whose plan says `outside` runs on the host; the gate has judged that. If the sandbox made a command fail,
 * the result says so. A person who is present is asked to run it again, outside or with the hosts that the proxy
 * refused. If nothing ran because an earlier session's trial of the sandbox is out of date, it is tried, and the
 * command begins again. Only then is `next` called more than once: the outer middleware, permission and ledger, sees
 * one call.
 */
export function confine(options: ConfineOptions): ToolMiddleware {
  const withheld = new MissingVariableNotes();
  return async function confine(call, context, next) {
    const target = call.plan?.target;
    const sandbox = options.sandbox(context);
    if (target?.kind !== "command") {
      const search = call.plan?.searches === undefined ? undefined : await sandbox.search(call.plan.searches);
      const output = await next(call, search === undefined ? context : confined(context, search));
      const written = target?.kind === "paths" ? target.paths.filter(({ access }) => access === "write") : [];
      if (written.length > 0) await sandbox.accept(written.map(({ path }) => path));
      return output.ended === undefined
        ? output
        : noted(output, withheld.after({ ...output.ended, output: textOf(output), context }));
    }
    /** Runs without a sandbox; with the full environment if a person has let this very command run. */
    const onHost = async () => {
      if (context.byPerson === true) return await next(call, withAllVariables(context));
      return missed(await next(call, context));
    };
    const missed = (output: ToolOutput) =>
      noted(
        output,
        withheld.after({
          command: target.command,
          output: textOf(output),
          failed: output.isError === true,
          context,
        }),
      );
    if (target.outside === true) {
      const output = await onHost();
      await sandbox.accept();
      return output;
    }
    assert(call.plan !== undefined, "what has a target is planned");
    const noteLines: string[] = [];
    for (let networkRuns = 0; ; networkRuns += 1) {
      const current = await sandbox.current(call.plan);
      if (current.kind === "none") {
        return current.refuse === undefined
          ? await onHost()
          : errorOutput(`SandboxUnavailable: ${current.refuse}`);
      }
      const how = target.background === true ? "background" : undefined;
      const running = runConfined(current, how, { call, context, next });
      const output = await running.then(missed, async (thrown: unknown) => {
        await current.sweep(); // a cancelled command has run too
        throw thrown;
      });
      const { notes: newNotes, refused, unrouted, isRefuted } = await current.afterwards();
      if (isRefuted) {
        noteLines.push(...newNotes);
        continue; // nothing ran: now the sandbox is tried, and the command runs in it or not at all
      }
      const notes = [...noteLines, ...newNotes];
      const { command, cwd } = target;
      const home = context.workspace.env["HOME"];
      const ran = { command, output: textOf(output), cwd, home, network: current.network, refused, unrouted };
      if (output.isError !== true) {
        const hidden = findHiddenSymptom(ran, current.confine);
        return noted(output, hidden === undefined ? notes : [...notes, hint(hidden)]);
      }
      const symptom = findSymptom(ran, current.confine);
      if (symptom === undefined) return noted(output, notes);
      const hosts = refused.flatMap(({ host }) => host ?? []);
      const again = await askRerun({ call, context, symptom, hosts, networkRuns }, options);
      if (again === undefined) return noted(output, [...notes, advice(symptom)]);
      if (again.kind === "outside") {
        const outside = await next(again.call, withAllVariables(context));
        await sandbox.accept();
        return noted(outside, notes);
      }
      await sandbox.grant(again.hosts);
      const past = refused.flatMap((each) =>
        again.hosts.includes(each.host ?? "") ? [refusalNote(each.why)] : [],
      );
      noteLines.push(...newNotes.filter((note) => !past.includes(note)), reachNote(again.hosts));
    }
  };
}

/**
 * Runs a call in the sandbox, once its intent is safe and its run is recorded: a command that can be `held` waits for
 * both by itself. Any other waits before it starts, since bubblewrap lets it begin when cinch is killed.
 */
async function runConfined(
  current: Extract<CurrentSandbox, { readonly kind: "working" }>,
  how: "background" | undefined,
  {
    call,
    context,
    next,
  }: { readonly call: ToolCall; readonly context: ToolContext; readonly next: ToolHandler },
): Promise<ToolOutput> {
  const { intentSafe, ...rest } = context;
  const world = { ...context.world, spawn: confinedSpawn(context.world.spawn, current, how) };
  const maySafelyBegin = async () => {
    await whileAlive(Promise.all([intentSafe?.(), current.recorded]), context.signal);
  };
  if (current.confine.passesInput === true && intentSafe !== undefined)
    return await next(call, { ...rest, world, intentSafe: maySafelyBegin });
  try {
    await maySafelyBegin();
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown;
    return errorOutput(thrown.message); // failures of tools are caught further in
  }
  return await next(call, { ...rest, world });
}

/** Returns the note that explains why the output is that of a later run. */
function reachNote(hosts: readonly string[]): string {
  return `[A person lets commands of this session reach ${hosts.join(", ")}; this ran again with that]`;
}

function confined(context: ToolContext, confine: Confine): ToolContext {
  const { world } = context;
  return { ...context, world: { ...world, spawn: confinedSpawn(world.spawn, { confine }) } };
}

function advice({ what, remedy }: Symptom): string {
  return `[This ran in a sandbox, and that may be why it failed: ${what}. ${remedy}]`;
}

/** Returns the note for a command that succeeded: what it read at the hidden path was nothing. */
function hint({ what }: Symptom): string {
  return `[This ran in a sandbox: ${what}]`;
}

function noted(output: ToolOutput, notes: readonly string[]): ToolOutput {
  if (notes.length === 0) return output;
  return {
    ...output,
    content: [...output.content, ...notes.map((text) => ({ type: "text", text }) as const)],
  };
}

function textOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

import { HarnessError } from "../../../../base/errors.ts";
import { SLASH_COMMANDS } from "../../../../protocol/commands/own-commands.ts";
import { isBuiltinCommand } from "../../../../protocol/commands/slash-commands.ts";
import { isOwnPrompt } from "../../../../view/slash/own-prompts.ts";
import type { SlashCommand, Typed } from "../../../../view/slash/slash.ts";
import { parseTyped, printCommand } from "../../../../view/slash/slash.ts";
import { workCommand } from "../../../../view/slash/work-command.ts";
import { slashHelpText } from "../../../slash/commands/help-text.ts";
import { runSlashCommand } from "../../../slash/commands/slash-commands.ts";
import type { SlashState } from "../../../slash/create-slash-context.ts";
import { createSlashContext } from "../../../slash/create-slash-context.ts";
import type { ModelMessage, SendHow } from "../../input/message.ts";
import { textMessage } from "../../input/message.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { OpenSession } from "../../options.ts";
import { applyModel } from "../../session/apply-model.ts";
import { shownSender } from "../../session/shown-sender.ts";
import { SlashAnswer } from "./answer.ts";
import { slashActions } from "./slash-actions.ts";

/** Commands that stand for a text for the model if words follow. */
const PROMPTING: ReadonlySet<string> = new Set(["steer", "skills", "agents", "prompts"]);

/** Longest wait of what is typed for the session under another profile. */
const SHOWN_MS_MAX = 10_000;

/** Runs typed slash commands: those of cinch, of the session, and of plugins (CMD-01). */
export function slashLines(services: Services): TerminalFeature {
  return new SlashLines(services);
}

class SlashLines implements TerminalFeature {
  readonly #services: Services;
  readonly #end = new AbortController();
  /** Runs until a command has shown another session; resolves to false if it could not. */
  #switching: Promise<boolean> | undefined;
  #shown: PromiseWithResolvers<void> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  send(text: string, how: SendHow): boolean | Promise<boolean> {
    const typed = parseTyped(text);
    if (this.#switching !== undefined && !isUrgent(typed)) return this.#switching;
    if (!text.startsWith("/")) return false;
    switch (typed.kind) {
      case "text":
        if (typed.text === text) return false;
        inBackground(
          this.#services.messages.sendFor(textMessage(text), async () => ({
            text: typed.text,
            delivery: how,
          })),
          this.#services,
        );
        return true;
      case "invalid":
        this.#services.draft.bringBack(text);
        this.#services.say(typed.why, "warning");
        return true;
      case "command":
        this.#start(typed, text);
        return true;
    }
  }

  opened(): void {
    this.#shown?.resolve();
    this.#shown = undefined;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  /** Runs a command. What is sent until it has shown another session waits for that one. */
  #start(command: SlashCommand, line: string): void {
    const work = mayPrompt(command)
      ? this.#services.messages.sendFor(textMessage(line), () => this.#runWhileHere(command))
      : this.#guarded(() => this.#runAndSend(command, line), line);
    if (!isSwitch(command)) {
      inBackground(work, this.#services);
      return;
    }
    const switching = this.#untilSwitched(work, command).finally(() => {
      if (this.#switching === switching) this.#switching = undefined;
    });
    this.#switching = switching;
  }

  /** Returns true unless the command was to show another session, and the one before is still shown. */
  async #untilSwitched(work: Promise<void>, { namespace, name }: SlashCommand): Promise<boolean> {
    const { session } = this.#services;
    const before = session.open;
    await work;
    // A profile may be asked about, or be the one that the session has.
    const mayStay = namespace === "profiles" || name === "profiles";
    return mayStay || session.open !== before;
  }

  /** Resolves once another session is shown, or after `SHOWN_MS_MAX`. */
  async #untilShown(): Promise<void> {
    this.#shown ??= Promise.withResolvers();
    const { promise, resolve } = this.#shown;
    using _limit = this.#services.clock.timer(SHOWN_MS_MAX, resolve);
    await promise;
  }

  /** Runs work of a line. A failure is shown, and the line comes back to the draft. */
  async #guarded(work: () => Promise<void>, line: string): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (this.#end.signal.aborted) return;
      this.#services.draft.bringBack(line);
      this.#services.showFailure(thrown);
    }
  }

  async #runAndSend(command: SlashCommand, line: string): Promise<void> {
    const message = await this.#run(command);
    if (message !== undefined) await this.#services.messages.sendFor(textMessage(line), async () => message);
  }

  /** Runs a command. What it waits for when the client ends is no failure. */
  async #runWhileHere(command: SlashCommand): Promise<ModelMessage | undefined> {
    try {
      return await this.#run(command);
    } catch (thrown) {
      if (this.#end.signal.aborted) return undefined;
      throw thrown;
    }
  }

  /** Runs a command. Returns the message that it stands for, if any. */
  async #run(command: SlashCommand): Promise<ModelMessage | undefined> {
    const services = this.#services;
    const { session } = services;
    const panel = command.rest === "" ? services.panelOf(printCommand(command)) : undefined;
    if (panel !== undefined) {
      services.run(panel);
      return undefined;
    }
    if (session.open === undefined && (await this.#runWithoutSession(command))) return undefined;
    const open = await session.session();
    const answer = new SlashAnswer(services, titleOf(command));
    const commands = session.commandsOf(open);
    const sender = shownSender(services, this.#end.signal, async (text) => answer.say(text));
    const parts = {
      session: open.session,
      sender,
      commands,
      state: this.#state(open),
      nowMs: services.clock.now(),
    };
    const shown: Promise<void>[] = [];
    let message: ModelMessage | undefined;
    const actions = slashActions({
      ...{ services, open, answer },
      sends(composed) {
        message = composed;
      },
      switches(next) {
        shown.push(next);
      },
      untilShown: () => this.#untilShown(),
    });
    await runSlashCommand(command, createSlashContext(parts, actions));
    await Promise.all(shown);
    services.redraw();
    return message;
  }

  /** Runs a command that needs no session. Returns false for any other. */
  async #runWithoutSession({ namespace, name, args }: SlashCommand): Promise<boolean> {
    const { session, leave } = this.#services;
    if (namespace === undefined)
      switch (name) {
        case "quit":
        case "exit":
          leave();
          return true;
        case "new":
          await session.goTo({ kind: "new" });
          return true;
        case "model": {
          const [model] = args;
          if (model === undefined) return false;
          await applyModel(this.#services, { model });
          return true;
        }
        case "help":
          new SlashAnswer(this.#services, "/help").say(slashHelpText(SLASH_COMMANDS));
          return true;
      }
    const isResume =
      namespace === undefined
        ? name === "resume"
        : namespace === "sessions" && /^(?:resume|attach)$/.test(name);
    const [wanted] = args;
    if (!isResume || wanted === undefined) return false;
    const found =
      wanted === "last" && session.last !== undefined
        ? session.last
        : await session.query({ kind: "FindSession", text: wanted });
    if (found instanceof HarnessError) throw found;
    await session.goTo({ kind: "stored", info: found });
    return true;
  }

  #state({ model }: OpenSession): SlashState {
    const { view } = this.#services.session;
    const { turns, waiting, memories, run } = view;
    return {
      ...{ turns, waiting, memories },
      planMode: run?.planMode === true,
      tasks: run?.tasks ?? [],
      folders: run?.folders ?? [],
      model: run?.model ?? model,
    };
  }
}

/** Returns a command as it stands above its answer. Words behind /key could be a key. */
function titleOf(command: SlashCommand): string {
  const name = printCommand(command);
  return command.rest === "" || name === "/key" ? name : `${name} ${command.rest}`;
}

/** Returns true for a command that may show another session. */
function isSwitch({ namespace, name, rest }: SlashCommand): boolean {
  if (namespace === "profiles") return true;
  if (namespace === "sessions") return name === "resume" || name === "attach";
  return (
    namespace === undefined && (name === "new" || name === "resume" || (name === "profiles" && rest !== ""))
  );
}

/**
 * Returns true for a command that may stand for a text for the model: it keeps its place among the messages. A name
 * that is not one of cinch may be the short name of such a command.
 */
function mayPrompt(command: SlashCommand): boolean {
  const { namespace, name, rest } = command;
  if (namespace !== undefined) return workCommand(command, []) !== undefined;
  if (isUrgent(command)) return false;
  return isOwnPrompt(name) || !isBuiltinCommand(name) || (rest !== "" && PROMPTING.has(name));
}

/** Returns true for a command that stops something: it waits for nothing. */
function isUrgent(typed: Typed): boolean {
  return (
    typed.kind === "command" && typed.namespace === undefined && /^(?:cancel|quit|exit)$/.test(typed.name)
  );
}

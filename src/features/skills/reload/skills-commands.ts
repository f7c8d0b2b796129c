import { Cancelled, messageOf } from "../../../base/errors.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { AttachedClient } from "../../../session/access/client.ts";
import type { SessionHost } from "../../../session/host.ts";
import { assertHuman } from "../../../session/questions/questions.ts";
import type { ToolContext } from "../../../tools/tool.ts";
import { reloadedSkillsText } from "../../../view/texts/result-texts.ts";
import type { SessionSkills } from "../session-skills.ts";
import type { ReloadResult } from "./skills-reload.ts";

export interface SkillsCommands {
  /**
   * Handles ReloadSkills. Only a person may send it, because it can ask a question that changes what the model reads.
   */
  reload(command: CommandOf<"ReloadSkills">, client: AttachedClient): Promise<AcceptedOf<"ReloadSkills">>;
  /** Answers `ListSkills` once the session's skills are loaded. */
  list(): Promise<ResultOf<"ListSkills">>;
  /** Reads all skills again after one was written. Returns a sentence for the model. */
  rescan(context: ToolContext): Promise<string>;
  slashCommands(): readonly SlashCommandInfo[];
  /** Withdraws open questions and waits for running work. */
  settle(): Promise<void>;
}

export function skillsCommands(skills: SessionSkills, host: SessionHost): SkillsCommands {
  const { world, session } = host;
  const end = new AbortController();
  let current = new AbortController();
  let reloading: Promise<unknown> = Promise.resolve();

  /** Reloads one after the other. A newer reload withdraws the questions of the one before. */
  async function reload(): Promise<ReloadResult> {
    current.abort(new Cancelled("engine", "the skills are being reloaded"));
    const mine = new AbortController();
    current = mine;
    const { reloadSkills } = await import("./skills-reload.ts");
    const before = reloading.catch(() => undefined);
    const signal = AbortSignal.any([end.signal, mine.signal]);
    const reloaded = before.then(() => reloadSkills(skills, host, signal));
    reloading = reloaded
      .then(({ settled }) => settled)
      .catch((thrown: unknown) => {
        if (signal.aborted) return;
        world.log
          .for("skills")
          .write("error", "skills could not be reloaded", { session, what: messageOf(thrown) });
      });
    return await reloaded;
  }

  return {
    async reload(command, client) {
      assertHuman(client, command.kind);
      const { skills: names, waiting, asks } = await reload();
      const result = { skills: names, waiting: waiting.map(visibleLine), asks };
      return { result: { ...result, text: reloadedSkillsText(result) } };
    },
    async list() {
      const { list, notices } = await skills.load(end.signal);
      const { listedDescription } = await import("../../../safety/listed-description.ts");
      const rows = list.map(({ name, description, source, path }) => {
        return { name, source, path, description: listedDescription(description) };
      });
      return { skills: rows, ...(notices.length === 0 ? {} : { notices: notices.map(visibleLine) }) };
    },
    async rescan() {
      const { waiting, asks } = await reload();
      if (waiting.length === 0) return "It is active: this content is already acknowledged.";
      return `It is inactive until the user acknowledges it${asks ? ", which they are asked for now" : ": with cinch ack, or /skills:reload"}.`;
    },
    slashCommands() {
      const known = skills.known()?.list ?? [];
      return known.map(({ name, description }) => ({
        name: `skills:${name}`,
        usage: `/skills:${name} [TEXT]`,
        help: visibleLine(description).slice(0, HELP_CHARACTERS_MAX).toWellFormed(),
        command: "SendInput",
      }));
    },
    async settle() {
      end.abort(new Cancelled("engine", "the session was ended"));
      await reloading;
    },
  };
}

const HELP_CHARACTERS_MAX = 250;

import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import { near } from "../../base/text/near.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { QueryHandler } from "../../session/commands/query-handlers.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { ReadWritten, ToldOfFile } from "./read-written.ts";
import type { PromptTemplate } from "./template.ts";

/** The namespace of the commands that templates are. */
const PROMPTS = "prompts";
const NONE_YET =
  "There are none yet: write one as prompts/NAME.md beside your config.toml, or as .cinch/prompts/NAME.md of the project.";

/** What a person has written to be used again: prompts, and short names for commands. */
type Written = Omit<ReadWritten, "told">;

const NOTHING: Written = {
  templates: new Map(),
  aliases: new Map(),
  brokenTemplates: new Map(),
  aliasProblems: [],
};

/**
 * Prompt templates and aliases of the user and of the project, as far as a person has acknowledged them (CTX-03, CMD-02).
 *
 * `/prompts:NAME words` asks `ExpandPrompt`, whose answer the client sends as its own input: what a person says stays what
 * they see. An alias is text that clients put in the place of a short name, so it stands
 * among the commands that are listed, with what it stands for. Where there is neither, whoever names a prompt is told so.
 * A problem of a file is not shown again in a session that follows this one.
 */
export function openPrompts({ trust, shown, publish }: SessionHost): OpenFeature {
  if (!trust.has("prompt-template") && !trust.has("alias-file")) return NONE_WRITTEN;
  const end = new AbortController();
  let written = NOTHING;
  let loading: Promise<void> | undefined;

  /** Waits for the questions about the project's files; whatever is wrong with a file is told, and costs that file alone. */
  function loaded(): Promise<void> {
    loading ??= (async () => {
      const { items } = await trust.loaded(end.signal);
      const { readWritten } = await import("./read-written.ts");
      const read = await readWritten(items);
      written = read;
      for (const { text: problem, weight, key } of read.told.filter((each) => !shown.has(each.key))) {
        shown.add(key);
        tell(new HarnessError("PromptTemplateInvalid", { problem }), weight);
      }
    })();
    return loading;
  }

  function tell({ reason, message }: HarnessError, weight: ToldOfFile["weight"]): void {
    const severity = weight === "notice" ? { severity: weight } : {};
    publish({ kind: "Error", payload: { reason, message, ...severity } });
  }

  const expand: QueryHandler<"ExpandPrompt"> = async ({ name, args = [], text, unclosed }) => {
    await loaded();
    const template = written.templates.get(name);
    if (template === undefined) throw unknown(name, written);
    const { EXPANDED_CHARACTERS_MAX, expandTemplate, hasPlaceForWord } = await import("./expand.ts");
    if (unclosed !== undefined && hasPlaceForWord(template.text)) {
      const { unclosedText } = await import("../../view/slash/slash.ts");
      const problem = `/${PROMPTS}:${name} puts single words into its text: ${unclosedText(unclosed)}`;
      throw new HarnessError("UsageInvalid", { problem });
    }
    const prompt = expandTemplate(template.text, { args, text: text ?? args.join(" ") });
    if (prompt === undefined) {
      const problem = `/${PROMPTS}:${name} would be more than ${EXPANDED_CHARACTERS_MAX} characters long with these words.`;
      throw new HarnessError("PromptTemplateInvalid", { problem });
    }
    return { prompt };
  };

  return {
    queries: { ExpandPrompt: expand },
    async slashCommands() {
      await loadedUnasked();
      return [...[...written.templates.values()].map(commandOf), ...[...written.aliases].map(aliasOf)];
    },
    async aliasProblems() {
      await loadedUnasked();
      return written.aliasProblems;
    },
    async ready() {
      if (!trust.asks) begin();
    },
    onFollowed: begin,
    settle: async () => {
      end.abort(new Cancelled("engine", "the session was ended"));
      await loading?.catch(() => undefined);
    },
  };

  /** With nobody to ask first, what the files hold is known as soon as they are read. */
  async function loadedUnasked(): Promise<void> {
    if (!trust.asks) await loaded().catch(() => undefined); // it was told when it was begun
  }

  function begin(): void {
    loaded().catch((thrown: unknown) => {
      loading = undefined;
      if (!(thrown instanceof Cancelled)) tell(asHarnessError(thrown), "error"); // the session ended at an open question
    });
  }
}

function asHarnessError(thrown: unknown): HarnessError {
  return thrown instanceof HarnessError
    ? thrown
    : new HarnessError("InternalError", { what: messageOf(thrown) });
}

/** A session without templates refuses each by name. */
const NONE_WRITTEN: OpenFeature = {
  queries: {
    ExpandPrompt: async ({ name }) => {
      throw unknown(name, NOTHING);
    },
  },
};

function unknown(name: string, written: Written): HarnessError<"UnknownPromptTemplate"> {
  return new HarnessError("UnknownPromptTemplate", { name, known: hintOf(name, written) });
}

function hintOf(name: string, { templates, brokenTemplates }: Written): string {
  const broken = brokenTemplates.get(name);
  if (broken !== undefined) return `Its file cannot be used: ${broken}`;
  const known = [...templates.keys()];
  const [meant] = near(name, known);
  if (meant !== undefined) return `Did you mean /${PROMPTS}:${meant}?`;
  return known.length === 0 ? NONE_YET : `There are: ${known.join(", ")}.`;
}

function commandOf({ name, description, argumentHint }: PromptTemplate): SlashCommandInfo {
  const full = `${PROMPTS}:${name}`;
  const usage = `/${full}${argumentHint === undefined ? " [WORDS]" : ` ${argumentHint}`}`;
  return { name: full, usage, help: description, command: "CustomCommand" };
}

function aliasOf([name, text]: readonly [string, string]): SlashCommandInfo {
  return { name, usage: `/${name}`, help: `short for ${text}`, command: "client", alias_of: text };
}

import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import { nearestWords } from "../../base/text/near.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { QueryHandler } from "../../session/commands/query-handlers.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { FileNotice, PromptFiles } from "./read-prompt-files.ts";
import type { PromptTemplate } from "./template.ts";

/** Namespace of the slash commands for templates. */
const PROMPTS = "prompts";
const NONE_YET =
  "There are none yet: write one as prompts/NAME.md beside your config.toml, or as .cinch/prompts/NAME.md of the project.";

/** The loaded templates and aliases. */
type LoadedPrompts = Omit<PromptFiles, "notices">;

const NOTHING: LoadedPrompts = {
  templates: new Map(),
  aliases: new Map(),
  brokenTemplates: new Map(),
  aliasProblems: [],
};

/**
 * Opens the prompt templates and aliases of the user and the project, as far as a person has acknowledged them
 * (CTX-03, CMD-02).
 *
 * `/prompts:NAME words` sends `ExpandPrompt`, and the client sends the answer as the user's input, so that people see
 * what they send. Clients replace an alias by its text, so aliases are listed as commands, with their text. Without
 * templates, expanding one fails with `UnknownPromptTemplate`. Problems of files are not shown again in a session
 * that continues this one.
 */
export function openPrompts({ trust, shown, publish }: SessionHost): OpenFeature {
  if (!trust.has("prompt-template") && !trust.has("alias-file")) return NONE_WRITTEN;
  const end = new AbortController();
  let written = NOTHING;
  let loading: Promise<void> | undefined;

  /**
   * Loads the files once the questions about the project's files are answered. Each problem is reported and affects
   * only its own file.
   */
  function load(): Promise<void> {
    loading ??= (async () => {
      const { items } = await trust.loaded(end.signal);
      const { readPromptFiles } = await import("./read-prompt-files.ts");
      const read = await readPromptFiles(items);
      written = read;
      for (const { text: problem, weight, key } of read.notices.filter((each) => !shown.has(each.key))) {
        shown.add(key);
        publishProblem(new HarnessError("PromptTemplateInvalid", { problem }), weight);
      }
    })();
    return loading;
  }

  function publishProblem({ reason, message }: HarnessError, weight: FileNotice["weight"]): void {
    const severity = weight === "notice" ? { severity: weight } : {};
    publish({ kind: "Error", payload: { reason, message, ...severity } });
  }

  const expand: QueryHandler<"ExpandPrompt"> = async ({ name, args = [], text, unclosed }) => {
    await load();
    const template = written.templates.get(name);
    if (template === undefined) throw unknown(name, written);
    const { EXPANDED_CHARACTERS_MAX, expandTemplate, hasWordPlaceholder } = await import(
      "./expand-template.ts"
    );
    if (unclosed !== undefined && hasWordPlaceholder(template.text)) {
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
      await loadIfUnasked();
      return [...[...written.templates.values()].map(commandOf), ...[...written.aliases].map(aliasOf)];
    },
    async aliasProblems() {
      await loadIfUnasked();
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

  /** Loads the files if nobody has to be asked first. */
  async function loadIfUnasked(): Promise<void> {
    if (!trust.asks) await load().catch(() => undefined); // reported when loading began
  }

  function begin(): void {
    load().catch((thrown: unknown) => {
      loading = undefined;
      // The session ended at an open question.
      if (!(thrown instanceof Cancelled)) publishProblem(asHarnessError(thrown), "error");
    });
  }
}

function asHarnessError(thrown: unknown): HarnessError {
  return thrown instanceof HarnessError
    ? thrown
    : new HarnessError("InternalError", { what: messageOf(thrown) });
}

/** The feature of a session without templates: every expansion fails by name. */
const NONE_WRITTEN: OpenFeature = {
  queries: {
    ExpandPrompt: async ({ name }) => {
      throw unknown(name, NOTHING);
    },
  },
};

function unknown(name: string, written: LoadedPrompts): HarnessError<"UnknownPromptTemplate"> {
  return new HarnessError("UnknownPromptTemplate", { name, known: hintOf(name, written) });
}

function hintOf(name: string, { templates, brokenTemplates }: LoadedPrompts): string {
  const broken = brokenTemplates.get(name);
  if (broken !== undefined) return `Its file cannot be used: ${broken}`;
  const known = [...templates.keys()];
  const [meant] = nearestWords(name, known);
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

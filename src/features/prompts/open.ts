import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import { nearestWords } from "../../base/text/near.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { QueryHandler } from "../../session/commands/query-handlers.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { OwnPrompt } from "../../view/slash/own-prompts.ts";
import { isOwnPrompt } from "../../view/slash/own-prompts.ts";
import type { FileNotice, PromptFiles } from "./read-prompt-files.ts";
import type { PromptTemplate } from "./template.ts";

/** Namespace of the slash commands for templates. */
const PROMPTS = "prompts";
/** Texts of the prompts that come with cinch. */
const OWN_TEXTS: Readonly<Record<OwnPrompt, () => Promise<{ readonly default: string }>>> = {
  init: () => import("./builtin/init.md", { with: { type: "text" } }),
};
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
export function openPrompts(host: SessionHost): OpenFeature {
  const { trust } = host;
  if (!trust.has("prompt-template") && !trust.has("alias-file")) return NONE_WRITTEN;
  const files = new SessionPrompts(host);
  return {
    queries: {
      async ExpandPrompt(query) {
        await files.load();
        return { prompt: await expandPrompt(query, files.loaded) };
      },
    },
    async slashCommands() {
      await files.loadIfUnasked();
      const { templates, aliases } = files.loaded;
      return [...[...templates.values()].map(commandOf), ...[...aliases].map(aliasOf)];
    },
    async aliasProblems() {
      await files.loadIfUnasked();
      return files.loaded.aliasProblems;
    },
    async ready() {
      if (!trust.asks) files.begin();
    },
    onFollowed: () => files.begin(),
    settle: () => files.end(),
  };
}

/** The templates and aliases of a session, loaded once the questions about the project's files are answered. */
class SessionPrompts {
  readonly #host: Pick<SessionHost, "trust" | "shown" | "publish">;
  readonly #end = new AbortController();
  #loading: Promise<void> | undefined;
  #loaded = NOTHING;

  constructor(host: Pick<SessionHost, "trust" | "shown" | "publish">) {
    this.#host = host;
  }

  /** The templates and aliases as far as they are loaded. */
  get loaded(): LoadedPrompts {
    return this.#loaded;
  }

  /** Loads the files. Each problem is reported and affects only its own file. */
  async load(): Promise<void> {
    this.#loading ??= this.#read();
    await this.#loading;
  }

  /** Loads the files if nobody has to be asked first. */
  async loadIfUnasked(): Promise<void> {
    if (!this.#host.trust.asks) await this.load().catch(() => undefined); // reported when loading began
  }

  /** Begins to load the files, and reports a failure. */
  begin(): void {
    this.load().catch((thrown: unknown) => {
      this.#loading = undefined;
      // The session ended at an open question.
      if (!(thrown instanceof Cancelled)) this.#publish(asHarnessError(thrown), "error");
    });
  }

  async end(): Promise<void> {
    this.#end.abort(new Cancelled("engine", "the session was ended"));
    await this.#loading?.catch(() => undefined);
  }

  async #read(): Promise<void> {
    const { trust, shown } = this.#host;
    const { items } = await trust.loaded(this.#end.signal);
    const { readPromptFiles } = await import("./read-prompt-files.ts");
    const read = await readPromptFiles(items);
    this.#loaded = read;
    for (const { text: problem, weight, key } of read.notices.filter((each) => !shown.has(each.key))) {
      shown.add(key);
      this.#publish(new HarnessError("PromptTemplateInvalid", { problem }), weight);
    }
  }

  #publish({ reason, message }: HarnessError, weight: FileNotice["weight"]): void {
    const severity = weight === "notice" ? { severity: weight } : {};
    this.#host.publish({ kind: "Error", payload: { reason, message, ...severity } });
  }
}

/** Returns the text of a template with its words filled in. @throws HarnessError if it is unknown, or would not fit. */
async function expandPrompt(
  { name, args = [], text, unclosed }: Parameters<QueryHandler<"ExpandPrompt">>[0],
  loaded: LoadedPrompts,
): Promise<string> {
  const template = loaded.templates.get(name) ?? (await builtinTemplate(name));
  if (template === undefined) throw unknown(name, loaded);
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
  return prompt;
}

function asHarnessError(thrown: unknown): HarnessError {
  return thrown instanceof HarnessError
    ? thrown
    : new HarnessError("InternalError", { what: messageOf(thrown) });
}

/** Returns the template of cinch with this name. One of the user or the project replaces it. */
async function builtinTemplate(name: string): Promise<Pick<PromptTemplate, "text"> | undefined> {
  if (!isOwnPrompt(name)) return undefined;
  const { default: text } = await OWN_TEXTS[name]();
  return { text };
}

/** The feature of a session without templates: all but those of cinch fail by name. */
const NONE_WRITTEN: OpenFeature = {
  queries: {
    ExpandPrompt: async (query) => ({ prompt: await expandPrompt(query, NOTHING) }),
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

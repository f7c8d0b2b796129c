import { mistakesIn } from "../../config/mistakes.ts";
import { noticeKey } from "../../guard/trust/notice-key.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import { parseAliases } from "./aliases.ts";
import type { PromptTemplate } from "./template.ts";
import { readTemplate, templateName } from "./template.ts";

/** The content of prompt templates and alias files. */
export interface PromptFiles {
  readonly templates: ReadonlyMap<string, PromptTemplate>;
  readonly aliases: ReadonlyMap<string, string>;
  /** Problems and notices about files. Each names its file. */
  readonly notices: readonly FileNotice[];
  /** The problem of each unusable template, by name. */
  readonly brokenTemplates: ReadonlyMap<string, string>;
  /** The problems in alias files. */
  readonly aliasProblems: readonly string[];
}

/** A sentence for the user about one of the files. */
export interface FileNotice {
  readonly text: string;
  /** `notice`: the file still counts. */
  readonly weight: "error" | "notice";
  /** See `noticeKey`. */
  readonly key: string;
}

/** Returns the errors in prompts and alias files. A file with one cannot be used. */
export async function promptErrors(items: readonly TrustItem[]): Promise<readonly string[]> {
  const { notices } = await readPromptFiles(items);
  return notices.filter(({ weight }) => weight === "error").map(({ text }) => text);
}

/**
 * Reads prompt templates and alias files from the bytes that a person has acknowledged. A template of the project
 * replaces the user's of the same name, with a notice; an alias of the user stays.
 */
export async function readPromptFiles(items: readonly TrustItem[]): Promise<PromptFiles> {
  const templates = new Map<string, PromptTemplate>();
  const aliases = new Map<string, string>();
  const notices: FileNotice[] = [];
  const brokenTemplates = new Map<string, string>();
  const aliasProblems: string[] = [];
  const addNotice = (weight: FileNotice["weight"], text: string) =>
    notices.push({ text, weight, key: noticeKey(text, items) });
  for (const { kind, path, scope, files } of items) {
    const bytes = files[0]?.bytes ?? new Uint8Array();
    if (kind === "prompt-template") {
      const read = await readTemplate({ path, source: scope, bytes });
      if (read.kind === "problem") {
        addNotice("error", read.problem);
        brokenTemplates.set(templateName(path), read.problem);
        continue;
      }
      const { template } = read;
      for (const text of read.ignoredFields) addNotice("notice", text);
      if (templates.has(template.name))
        addNotice("notice", `${path}: it replaces your own prompt ${template.name} in this project`);
      templates.set(template.name, template);
    }
    if (kind === "alias-file") {
      const { value: read = [], mistakes } = await mistakesIn((following) =>
        parseAliases({ path, bytes }, following),
      );
      for (const { line, key, problem } of mistakes) {
        const text = `${path}:${line}: ${key}: ${problem}; until that is right, no alias of this file counts`;
        addNotice("error", text);
        aliasProblems.push(text);
      }
      for (const [name, text] of mistakes.length === 0 ? read : []) {
        if (aliases.has(name))
          addNotice("notice", `${path}: aliases.${name}: you have an alias of this name, which stays`);
        else aliases.set(name, text);
      }
    }
  }
  return { templates, aliases, notices, brokenTemplates, aliasProblems };
}

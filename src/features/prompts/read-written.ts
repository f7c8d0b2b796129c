import { mistakesIn } from "../../config/mistakes.ts";
import { noticeKey } from "../../guard/trust/notice-key.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import { parseAliases } from "./aliases.ts";
import type { PromptTemplate } from "./template.ts";
import { readTemplate, templateName } from "./template.ts";

/** What prompt templates and alias files hold. */
export interface ReadWritten {
  readonly templates: ReadonlyMap<string, PromptTemplate>;
  readonly aliases: ReadonlyMap<string, string>;
  /** What is wrong with a file, and what there is to know about one, each naming it. */
  readonly told: readonly ToldOfFile[];
  /** The prompts whose file cannot be used, by name, and what is wrong with each. */
  readonly brokenTemplates: ReadonlyMap<string, string>;
  /** What is wrong in alias files. */
  readonly aliasProblems: readonly string[];
}

/** A sentence about one of the files, for a person. */
export interface ToldOfFile {
  readonly text: string;
  /** A notice costs nothing: the file counts. */
  readonly weight: "error" | "notice";
  /** See `toldKey`. */
  readonly key: string;
}

/**
 * Reads prompt templates and alias files from the bytes that a person has acknowledged. A template of the project takes
 * the place of the user's of the same name, which is told; an alias of the user's stays what the user has said.
 */
export async function readWritten(items: readonly TrustItem[]): Promise<ReadWritten> {
  const templates = new Map<string, PromptTemplate>();
  const aliases = new Map<string, string>();
  const told: ToldOfFile[] = [];
  const brokenTemplates = new Map<string, string>();
  const aliasProblems: string[] = [];
  const tell = (weight: ToldOfFile["weight"], text: string) =>
    told.push({ text, weight, key: noticeKey(text, items) });
  for (const { kind, path, scope, files } of items) {
    const bytes = files[0]?.bytes ?? new Uint8Array();
    if (kind === "prompt-template") {
      const read = await readTemplate({ path, source: scope, bytes });
      if (read.kind === "problem") {
        tell("error", read.problem);
        brokenTemplates.set(templateName(path), read.problem);
        continue;
      }
      const { template } = read;
      for (const text of read.told) tell("notice", text);
      if (templates.has(template.name))
        tell("notice", `${path}: it takes the place of your own prompt ${template.name} in this project`);
      templates.set(template.name, template);
    }
    if (kind === "alias-file") {
      const { value: read = [], mistakes } = await mistakesIn((following) =>
        parseAliases({ path, bytes }, following),
      );
      for (const { line, key, problem } of mistakes) {
        const text = `${path}:${line}: ${key}: ${problem}; until that is right, no alias of this file counts`;
        tell("error", text);
        aliasProblems.push(text);
      }
      for (const [name, text] of mistakes.length === 0 ? read : []) {
        if (aliases.has(name))
          tell("notice", `${path}: aliases.${name}: you have an alias of this name, which stays`);
        else aliases.set(name, text);
      }
    }
  }
  return { templates, aliases, told, brokenTemplates, aliasProblems };
}

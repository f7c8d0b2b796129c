import { trustedText } from "../../base/brand.ts";
import type { World } from "../../base/world.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { lateStream } from "../../providers/middleware.ts";
import type { SystemSection } from "../../providers/provider.ts";
import type { SectionName } from "../../safety/fence.ts";
import { fence, UNTRUSTED_NOTICE } from "../../safety/fence.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { ContextFile } from "./agents-md.ts";

export interface ContextOptions {
  readonly world: World;
  readonly workingDir: string;
  /** Folders of the workspace besides the working directory. */
  readonly added: readonly string[];
  /** Text of the profile. */
  readonly promptHeader: string;
  /** Text that the person adds for this session; "" for none. */
  readonly appended: string;
  readonly isRepository: boolean;
  /** Resolves to the files that may be loaded. Called once, by the first request, which waits for it. */
  readonly files: (signal: AbortSignal) => Promise<readonly ContextFile[]>;
}

/**
 * Puts the system text before every request: the profile's text, the working directory, and the repository's own
 * instructions inside the fence (CTX-01, ENG-14).
 *
 * It stays the same for the session: a prompt cache keeps only an unchanged prefix. Sections that were there before
 * come after, and the text that the person adds comes last.
 */
export function contextMiddleware(options: ContextOptions): RequestMiddleware {
  const { appended } = options;
  const last = appended === "" ? [] : [{ name: "appended", text: trustedText(appended) }];
  let sections: readonly SystemSection[] | undefined;
  return function contextAssembly(request, requestContext, next) {
    const send = (first: readonly SystemSection[]) =>
      next({ ...request, system: [...first, ...request.system, ...last] }, requestContext);
    if (sections !== undefined) return send(sections);
    return lateStream(async () => {
      sections ??= assemble(options, await options.files(requestContext.signal));
      return send(sections);
    });
  };
}

function assemble(
  { world, workingDir, added, promptHeader, isRepository }: ContextOptions,
  files: readonly ContextFile[],
): readonly SystemSection[] {
  const day = new Date(world.clock.now()).toISOString().slice(0, 10);
  const environment = [
    `Working directory: ${visibleLine(workingDir)}${isRepository ? " (git repository)" : ""}`,
    ...(added.length === 0
      ? []
      : [`Also part of the workspace, by absolute path: ${added.map(visibleLine).join(", ")}`]),
    `Platform: ${world.machine.platform}. Date: ${day}.`,
    UNTRUSTED_NOTICE,
    ...(files.length > 0 ? [FILES_NOTICE] : []),
  ].join("\n");
  return [
    ...(promptHeader === "" ? [] : [{ name: "profile", text: trustedText(promptHeader) }]),
    { name: "environment", text: trustedText(environment) },
    ...files.flatMap(sectionOf),
  ];
}

// A repository's notes about itself are useful, but no commands.
const FILES_NOTICE =
  "The sections below are this repository's notes for agents: take conventions and commands from them, where they serve the user's request.";

function sectionOf(file: ContextFile): readonly SystemSection[] {
  const name: SectionName = file.source === "AGENTS.md" ? "agents-md" : "context-file";
  const cut = file.cutBytes === 0 ? "" : `\n[${file.cutBytes} bytes more: Read ${file.label} for the rest]`;
  const text = fence(name, `${file.label}:\n\n${file.text}${cut}`);
  return text === undefined ? [] : [{ name, text }];
}

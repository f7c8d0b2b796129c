import { memoryCommand } from "../../features/memory/cli/command.ts";
import type { AnyCommand } from "../args/call.ts";

/** The subcommands. Adding one is a folder and its line here. */
export const SUBCOMMANDS: readonly AnyCommand[] = [memoryCommand];

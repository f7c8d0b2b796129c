import type { AnyCommand } from "../args/parsed-call.ts";
import { lineCommand } from "./line/command.ts";
import { promptCommand } from "./prompt/command.ts";

/** Command lines without a subcommand: `cinch` and `cinch -p`. */
export const BARE: readonly AnyCommand[] = [lineCommand, promptCommand];

import { parseArgs } from "node:util";
import { endToEndFiles } from "../test/support/program-tests.ts";

/**
 * Prints the end-to-end test files that start the program under test, one a line; with `--without`, the others, whose
 * result is the same for every program.
 */
const { values } = parseArgs({ options: { without: { type: "boolean", default: false } } });
console.log(endToEndFiles({ startProgram: !values.without }).join("\n"));

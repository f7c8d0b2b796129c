import { cpSync } from "node:fs";
import { join } from "node:path";
import {
  checkTypes,
  copyWithout,
  DELETABLE,
  findUnused,
  generate,
  remainingTests,
  runTests,
} from "../test/support/deletable.ts";
import { ROOT } from "../test/support/source.ts";
import { temporaryDirectory } from "../test/support/world.ts";

/**
 * Deletes one feature after the other in a copy of the tree: types, unused code, and the tests of `src/` that are left.
 */
export async function soakDeletable(only: string | undefined): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const feature of DELETABLE.filter((each) => only === undefined || each === only)) {
    await using directory = temporaryDirectory();
    const copy = join(directory.path, "copy");
    copyWithout([feature], copy);
    cpSync(join(ROOT, "test/data"), join(copy, "test/data"), { recursive: true });
    const tests = remainingTests(feature);
    const found = [
      ...(await generate(copy)),
      ...(await checkTypes(copy)),
      ...(await findUnused(copy)).map(
        ({ file, name }) => `unused: ${file}${name === undefined ? "" : ` ${name}`}`,
      ),
      ...(await runTests(copy, tests)),
    ];
    console.log(`without ${feature}: ${tests.length} test files, ${found.length} problems`);
    failures.push(...found.map((line) => `without ${feature}: ${line}`));
  }
  return failures;
}

import { cpSync } from "node:fs";
import { join } from "node:path";
import {
  checkTypes,
  copyWithout,
  DELETABLE,
  findUnused,
  generate,
  NEEDED_UNNAMED,
  remainingTests,
  runTests,
} from "../test/support/deletable.ts";
import { ROOT } from "../test/support/source.ts";
import { temporaryDirectory } from "../test/support/world.ts";

/**
 * Deletes one feature after the other in a copy of the tree: types, unused code, and the tests of `src/` that are left.
 * A test that is left out because it needs the feature, and passes without it, is a failure, too.
 */
export async function soakDeletable(only: string | undefined): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const feature of DELETABLE.filter((each) => only === undefined || each === only)) {
    await using directory = temporaryDirectory();
    const copy = join(directory.path, "copy");
    copyWithout([feature], copy);
    cpSync(join(ROOT, "test/data"), join(copy, "test/data"), { recursive: true });
    const problems = [
      ...(await generate(copy)),
      ...(await checkTypes(copy)),
      ...(await findUnused(copy)).map(
        ({ file, name }) => `unused: ${file}${name === undefined ? "" : ` ${name}`}`,
      ),
    ];
    for (const file of NEEDED_UNNAMED[feature] ?? []) {
      const { failed } = await runTests(copy, [file]);
      if (failed.length === 0) problems.push(`${file} is left out and passes`);
    }
    const files = remainingTests(feature);
    const { passed, failed } = await runTests(copy, files);
    console.log(
      `without ${feature}: ${files.length} test files, ${passed} passed, ${failed.length} failed; ${problems.length} other problems`,
    );
    failures.push(...[...problems, ...failed].map((line) => `without ${feature}: ${line}`));
  }
  return failures;
}

import { posix } from "node:path";
import { filesUnder, importsOf, isTest, readSource } from "./source.ts";

/** The list of features, which alone may import their manifests. */
export const FEATURE_LIST = "src/app/features.ts";

/**
 * Files that import a file of a feature though they are neither part of one nor the list of features, each with its
 * reason. The list may only shrink. A feature that stands here cannot be deleted with its folder and its line.
 */
export const FEATURE_IMPORTS: Readonly<Record<string, string>> = {};

/** Returns the features that files outside them import, by importing file. */
export function featureImports(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const file of filesUnder("src", "**/*.{ts,tsx}")) {
    if (isTest(file) || file === FEATURE_LIST) continue;
    const features = featuresImportedBy(file, readSource(file));
    if (features.length > 0) found.set(file, features);
  }
  return found;
}

/** Returns the names of the features, apart from its own, that a source imports. */
export function featuresImportedBy(file: string, source: string): readonly string[] {
  const names = importsOf(source).flatMap(({ specifier = "" }) => {
    const [, name] = /^src\/features\/([^/]+)\//.exec(posix.join(posix.dirname(file), specifier)) ?? [];
    return name === undefined || file.startsWith(`src/features/${name}/`) ? [] : [name];
  });
  return [...new Set(names)].sort();
}

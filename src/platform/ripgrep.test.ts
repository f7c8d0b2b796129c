import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../test/support/world.ts";
import { encode } from "../base/text/text.ts";
import { extractExecutable, hostRipgrep } from "./ripgrep.ts";

test("[TOOL-03] ripgrep is found where npm has put it, and nothing is written", async () => {
  await using place = temporaryDirectory();
  const path = await hostRipgrep(place.path)();
  expect(Bun.spawnSync([path, "--version"]).stdout.toString()).toStartWith("ripgrep 15.");
  expect(readdirSync(place.path)).toEqual([]);
});

test("[TOOL-03] an embedded ripgrep runs from the compiled program, extracted once into a folder of the user alone", async () => {
  await using place = temporaryDirectory();
  const data = join(place.path, "data");
  const bin = join(data, "bin");
  mkdirSync(data, { mode: 0o755 });
  const main = join(place.path, "main.ts");
  const program = join(place.path, "program");
  writeFileSync(
    main,
    `import { hostRipgrep } from ${JSON.stringify(join(import.meta.dir, "ripgrep.ts"))};
     const path = await hostRipgrep(${JSON.stringify(data)})();
     console.log(path, Bun.spawnSync([path, "--version"]).stdout.toString().slice(0, 8));`,
  );
  const built = await Bun.build({
    entrypoints: [main, await hostRipgrep(data)()],
    compile: { outfile: program, autoloadDotenv: false, autoloadBunfig: false },
    target: "bun",
  });
  expect(built.logs).toEqual([]);
  const run = () => Bun.spawnSync([program], { cwd: "/", env: {} }).stdout.toString();
  const [path, version] = run().trim().split(" ");
  expect(version).toBe("ripgrep");
  expect(readdirSync(bin).map((name) => join(bin, name))).toEqual([path ?? ""]);
  expect([statSync(bin).mode & 0o777, statSync(path ?? "").mode & 0o777]).toEqual([0o700, 0o700]);
  const before = statSync(path ?? "").mtimeMs;
  expect(run()).toStartWith(`${path} `);
  expect(statSync(path ?? "").mtimeMs).toBe(before);
}, 300_000);

test("[TOOL-03] a program that was changed since is replaced, and a folder open to others is refused", async () => {
  await using place = temporaryDirectory();
  const path = await extractExecutable(encode("program"), join(place.path, "bin"));
  writeFileSync(path, "evil");
  expect(await extractExecutable(encode("program"), join(place.path, "bin"))).toBe(path);
  expect(readFileSync(path, "utf8")).toBe("program");
  mkdirSync(join(place.path, "open"));
  chmodSync(join(place.path, "open"), 0o777);
  await expect(extractExecutable(encode("program"), join(place.path, "open"))).rejects.toThrow(
    "must be a directory of yours alone",
  );
});

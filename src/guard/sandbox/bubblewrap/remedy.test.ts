import { expect, test } from "bun:test";
import type { Files } from "../../../base/world.ts";
import { installRemedy, kernelRemedy } from "./remedy.ts";

/** A machine that has these files and no others. */
function machine(content: Readonly<Record<string, string>>): Files {
  const files: Pick<Files, "read" | "stat"> = {
    async read(path) {
      const text = content[path];
      if (text === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
      return new TextEncoder().encode(text);
    },
    stat: async (path) =>
      content[path] === undefined
        ? undefined
        : { kind: "file", size: 0, modifiedMs: 0, mode: 0o644, identity: path },
  };
  return files as Files;
}

test.each([
  ["ID=ubuntu\nID_LIKE=debian\n", "install it: sudo apt install bubblewrap"],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', "install it: sudo dnf install bubblewrap"],
  ["ID=arch\n", "install it: sudo pacman -S bubblewrap"],
  ["ID=alpine\n", "install it: sudo apk add bubblewrap"],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "install it: sudo zypper install bubblewrap"],
  ["ID=void\n", "install it: sudo xbps-install bubblewrap"],
  ["ID=gentoo\n", "install it: sudo emerge sys-apps/bubblewrap"],
  ["ID=nixos\n", "install it: add pkgs.bubblewrap to environment.systemPackages"],
  ["ID=plan9\n", "install the package bubblewrap"],
])(
  "[SBX-02] without bubblewrap, the command that installs it on this system is shown (%j)",
  async (release, remedy) => {
    expect(await installRemedy(machine({ "/etc/os-release": release }))).toBe(remedy);
  },
);

test.each([
  ["kernel/unprivileged_userns_clone", "0\n", "sudo sysctl -w kernel.unprivileged_userns_clone=1"],
  ["user/max_user_namespaces", "0\n", "sudo sysctl -w user.max_user_namespaces=15000"],
  [
    "kernel/apparmor_restrict_unprivileged_userns",
    "1\n",
    "give bwrap an AppArmor profile with `userns,`, or: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  ],
])(
  "[SBX-02] a kernel that refuses by %s is reported with the setting that lifts it",
  async (name, value, remedy) => {
    expect(await kernelRemedy(machine({ [`/proc/sys/${name}`]: value }))).toBe(remedy);
  },
);

test("[SBX-02] in a container the start of the container is the remedy, and where nothing is known none is made up", async () => {
  for (const mark of ["/.dockerenv", "/run/.containerenv"]) {
    const remedy = await kernelRemedy(machine({ [mark]: "" }));
    expect(remedy).toContain("--security-opt seccomp=unconfined --security-opt systempaths=unconfined");
    expect(remedy).toContain('backend = "none" under [sandbox] if the container is the boundary');
  }
  expect(await kernelRemedy(machine({}))).toBeUndefined();
});

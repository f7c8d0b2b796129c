import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";

const OS_RELEASE_BYTES_MAX = 16_384;

const INSTALL: readonly (readonly [id: RegExp, command: string])[] = [
  [/\b(?:debian|ubuntu|linuxmint|raspbian|pop)\b/, "sudo apt install bubblewrap"],
  [/\b(?:fedora|rhel|centos|rocky|almalinux)\b/, "sudo dnf install bubblewrap"],
  [/\b(?:arch|manjaro|endeavouros)\b/, "sudo pacman -S bubblewrap"],
  [/\b(?:alpine)\b/, "sudo apk add bubblewrap"],
  [/\b(?:suse|opensuse.*|sles)\b/, "sudo zypper install bubblewrap"],
  [/\b(?:void)\b/, "sudo xbps-install bubblewrap"],
  [/\b(?:gentoo)\b/, "sudo emerge sys-apps/bubblewrap"],
  [/\b(?:nixos)\b/, "add pkgs.bubblewrap to environment.systemPackages"],
];

/** Returns the command that installs bwrap on this system. */
export async function installRemedy(files: Files): Promise<string> {
  const release = await text(files, "/etc/os-release");
  const ids = [...release.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].map(([, id]) => id).join(" ");
  const command = INSTALL.find(([id]) => id.test(ids))?.[1];
  return command === undefined ? "install the package bubblewrap" : `install it: ${command}`;
}

/**
 * Returns why the kernel refuses what bwrap needs, and which setting changes that; undefined if no known setting does.
 */
export async function kernelRemedy(files: Files): Promise<string | undefined> {
  const setting = (name: string) => settingOf(files, name);
  if ((await setting("kernel/unprivileged_userns_clone")) === "0")
    return "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  if (await hasNoNamespaces(files)) return "sudo sysctl -w user.max_user_namespaces=15000";
  if ((await setting("kernel/apparmor_restrict_unprivileged_userns")) === "1") {
    return "give bwrap an AppArmor profile with `userns,`, or: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
  }
  if (
    (await files.stat("/.dockerenv")) !== undefined ||
    (await files.stat("/run/.containerenv")) !== undefined
  ) {
    return 'this is a container: start it with leave to make user namespaces and to mount /proc (docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined), or set backend = "none" under [sandbox] if the container is the boundary';
  }
  return undefined;
}

/** True if the kernel gives users no namespace at all: bwrap then fails as where all are in use. */
export async function hasNoNamespaces(files: Files): Promise<boolean> {
  return (await settingOf(files, "user/max_user_namespaces")) === "0";
}

async function settingOf(files: Files, name: string): Promise<string> {
  return (await text(files, `/proc/sys/${name}`)).trim();
}

/** Returns "" for an unreadable file. */
async function text(files: Files, path: string): Promise<string> {
  try {
    return decode(await files.read(path, OS_RELEASE_BYTES_MAX));
  } catch {
    return "";
  }
}

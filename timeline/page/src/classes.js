// The classes of records: how they are drawn, and what they count as.
export const routine = 0;
export const sending = 1;
export const arriving = 2;
export const mishap = 3; // a drop, a second copy, a delay
export const disk = 4;
export const loss = 5; // what a crash left of a disk
export const operation = 6;
export const life = 7;
export const world = 8;
export const report = 9; // of the program under test
export const failure = 10;
export const clock = 11;

export function classOf(kind) {
  if (["timer", "proc", "call", "enter", "inert"].includes(kind)) return routine;
  if (kind === "fail") return failure;
  const slash = kind.indexOf("/");
  if (slash < 0) return report;
  const what = kind.slice(slash + 1);
  switch (kind.slice(0, slash)) {
    case "net": return { send: sending, deliver: arriving, drop: mishap, dup: mishap, delay: mishap, corrupt: mishap }[what] ?? world;
    case "disk": return ["crash", "fate", "corrupt", "wipe", "swap"].includes(what) ? loss : disk;
    case "op": return operation;
    case "node": return life;
    case "fault": return world;
    case "stream": return { open: arriving, accept: arriving, close: arriving, "close-write": arriving, short: mishap, deadline: mishap }[what] ?? world;
    case "clock": return clock;
  }
  return report;
}

const onProcess = ["kill", "power-loss", "pause", "crash-loop", "crash-recovery", "lose-node", "leave", "join", "upgrade", "slow-node", "outage"];
const onDisk = ["sync-fail", "write-fail", "read-fail", "slow-disk", "stall-disk", "full-disk", "read-only-disk", "corrupt", "wipe-disk", "swap-disks"];

// area is the part of the system that a kind of fault acts on: a colour.
export function area(kind) {
  if (onProcess.includes(kind)) return "process";
  if (onDisk.includes(kind)) return "disk";
  if (kind.startsWith("clock-") || kind === "timer-error") return "clock";
  return "net";
}

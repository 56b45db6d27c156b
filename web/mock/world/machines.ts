/** The machines of the mock: a stable one with a kernel update, and a suspect one. */
import type { MachineSummary } from "@/api/types";
import { KERNEL_AT } from "./commits";

type Environment = MachineSummary["environment"];

/** A machine, and its slowdown relative to the first one. */
export type Machine = {
  machine: string;
  arch: string;
  slowness: number;
  suspect_because: string | null;
  /** Its environment at a commit. */
  environmentAt: (ordinal: number) => { environment_id: number; environment: Environment };
};

const QUIET = { "cpu.frequency-governor": "performance", "memory.transparent-huge-pages": "madvise" };

function linux(cpu: string, cores: string, kernel: string, conditions: Record<string, string>): Environment {
  return {
    stable: { "cpu.model": cpu, "cpu.online": cores, "os.kernel": kernel, "os.name": "Debian 12" },
    conditions,
  };
}

export const MACHINES: Machine[] = [
  {
    machine: "lab-linux-1",
    arch: "x86-64",
    slowness: 1,
    suspect_because: null,
    environmentAt: (ordinal) =>
      ordinal < KERNEL_AT
        ? { environment_id: 1, environment: linux("AMD EPYC 9354 32-Core Processor", "0-31", "6.1.0", QUIET) }
        : {
            environment_id: 2,
            environment: linux("AMD EPYC 9354 32-Core Processor", "0-31", "6.12.4", QUIET),
          },
  },
  {
    machine: "lab-arm-1",
    arch: "aarch64",
    slowness: 1.35,
    suspect_because: "results shifted without a code change at 3 commits (last 50 runs)",
    environmentAt: () => ({
      environment_id: 3,
      environment: linux("Neoverse-N1", "0-3", "6.12.4", { ...QUIET, "cpu.frequency-governor": "schedutil" }),
    }),
  },
];

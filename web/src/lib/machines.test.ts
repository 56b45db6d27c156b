import { describe, expect, it } from "vitest";
import { aMachine, anImport, aReading, aRunSummary } from "@/test/fixtures";
import { healthName, healthOf, silenceOf, systemOf, usualInterval, usualText } from "./machines";

const HOUR_MS = 3_600_000;
const BEGIN = Date.parse("2026-11-14T00:00:00Z");
const at = (hours: number) => new Date(BEGIN + hours * HOUR_MS).toISOString();
const now = (hours: number) => new Date(BEGIN + hours * HOUR_MS);

describe("systemOf", () => {
  const machine = (stable: Record<string, string>) => aMachine({ environment: { stable, conditions: {} } });
  it("names kernel and processor briefly", () => {
    const stable = { "os.kernel": "6.12.4", "cpu.model": "Intel(R) Xeon(R) CPU E5-2670 v3 @ 2.30GHz" };
    expect(systemOf(machine(stable))).toEqual({ system: "Linux 6.12.4", cpu: "Intel Xeon E5-2670 v3" });
    expect(systemOf(machine({ "cpu.model": "AMD EPYC 9354 32-Core Processor" })).cpu).toBe("AMD EPYC 9354");
  });
  it("ignores reasons for missing facts", () => {
    expect(systemOf(machine({ "cpu.model": "not available: no /proc" }))).toEqual({
      system: "Linux",
      cpu: "x86-64",
    });
  });
});

describe("an overdue machine", () => {
  const every2h = [0, 2, 4, 6, 8].map(at);
  it("is overdue after three usual intervals, not before", () => {
    expect(silenceOf(every2h, now(14))).toBeNull();
    expect(silenceOf(every2h, now(14.1))).toEqual({ since: at(8), usual_ms: 2 * HOUR_MS });
  });
  it("is not reported with too few runs", () => {
    expect(silenceOf([0, 2, 4].map(at), now(1000))).toBeNull();
  });
  it("has an interval of at least an hour, so bursts do not count", () => {
    const burst = [0, 0.01, 0.02, 0.03, 0.04].map(at);
    expect(usualInterval(burst)).toBe(HOUR_MS);
    expect(silenceOf(burst, now(3))).toBeNull();
    expect(silenceOf(burst, now(4))).not.toBeNull();
  });
  it("shows the expected interval", () => {
    expect(usualText({ since: at(8), usual_ms: 2 * HOUR_MS })).toBe("expected every 2 h");
  });
});

describe("a machine's health", () => {
  const readings = [0, 2, 4, 6].map((hours) => aReading({ started_at: at(hours) }));
  it("is stable without issues and with canary readings", () => {
    const health = healthOf(aMachine({ last_run_at: at(6) }), undefined, readings, [], now(7));
    expect(healthName(health)).toBe("stable");
  });
  it("is not called stable without canary readings", () => {
    expect(healthName(healthOf(aMachine({ last_run_at: at(6) }), undefined, [], [], now(7)))).toBe(
      "no known issues",
    );
  });
  it("can be both suspect and overdue", () => {
    const machine = aMachine({
      last_run_at: at(6),
      suspect_because: "results shifted without a code change",
    });
    expect(healthName(healthOf(machine, undefined, readings, [], now(100)))).toBe("suspect, overdue");
  });
  it("does not count imports as runs of the machine", () => {
    const runs = [0, 2, 4].map((hours) => aRunSummary({ started_at: at(hours) }));
    const imports = [5, 5.1, 5.2].map((hours) => anImport({ started_at: at(hours) }));
    const { silence } = healthOf(
      aMachine({ last_run_at: at(6) }),
      undefined,
      [],
      [...runs, ...imports],
      now(13),
    );
    expect(silence?.usual_ms).toBe(2 * HOUR_MS);
  });

  it("is never overdue with an online agent", () => {
    const heard = (is_online: boolean) =>
      healthOf(aMachine({ last_run_at: at(6) }), { is_online }, readings, [], now(100)).silence;
    expect(heard(true)).toBeNull();
    expect(heard(false)).not.toBeNull();
  });
});

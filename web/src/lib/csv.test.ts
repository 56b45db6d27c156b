import { describe, expect, it } from "vitest";
import { toCsv } from "./csv";

describe("toCsv", () => {
  it("quotes only what needs it", () => {
    expect(toCsv(["commit", "p50_ns"], [['a, "b"', 4020]])).toBe('commit,p50_ns\r\n"a, ""b""",4020\r\n');
  });
  it("writes nothing for an absent value", () => {
    expect(toCsv(["a", "b"], [[null, false]])).toBe("a,b\r\n,false\r\n");
  });
  it("escapes formulas in texts", () => {
    expect(toCsv(["subject"], [["=1+1"], ["-x"]])).toBe("subject\r\n'=1+1\r\n'-x\r\n");
  });
});

import { expect, it } from "vitest";
import type { SizeProfile } from "@/api/types";
import { adviceAsked, draggedText, parseAdvisorSearch, startOf, withDragged } from "./search";

const PROFILE: SizeProfile = {
  slug: "some",
  title: "Some",
  source: "Somebody",
  sample_count: 100,
  note: "",
  buckets: [
    { from_bytes: 12, to_bytes: 48, count: 40 },
    { from_bytes: 49, to_bytes: 64, count: 60 },
  ],
};
const OTHER = { ...PROFILE, slug: "other" };
const START = { profile: PROFILE, buckets: PROFILE.buckets };

it("keeps valid values of an address and ignores others", () => {
  const whole = {
    profile: "some",
    sizes: "12-15:4387,64:3",
    dragged: "12:500,64:0",
    times: 1.5,
    machine: "lab-1",
    placement: "same-cpu",
    mode: "2thread",
    by: "p98",
    rate: 10_000,
  };
  expect(parseAdvisorSearch(whole)).toEqual(whole);
  expect(parseAdvisorSearch({ sizes: "12 - 15: 4387" })).toEqual({ sizes: "12-15:4387" });
  expect(
    parseAdvisorSearch({
      profile: "Not one",
      sizes: "12-15",
      dragged: "12:-1",
      times: 5000,
      by: "p90",
      rate: 0,
    }),
  ).toEqual({});
  expect(parseAdvisorSearch({ sizes: 64, dragged: "", times: 1, rate: 1.5 })).toEqual({});
});

it("starts with custom sizes, else the requested profile, else the first", () => {
  expect(startOf({ sizes: "64:3", profile: "other" }, [PROFILE]).buckets).toEqual([
    { from_bytes: 64, to_bytes: 64, count: 3 },
  ]);
  expect(startOf({ profile: "other" }, [PROFILE, OTHER]).profile?.slug).toBe("other");
  expect(startOf({ profile: "gone" }, [PROFILE, OTHER]).profile?.slug).toBe("some");
  expect(startOf({}, [])).toEqual({ profile: null, buckets: [] });
});

it("writes changed buckets to the address and reads them back", () => {
  const now = withDragged(PROFILE.buckets, "49:0,7:5");
  expect(now.map(({ count }) => count)).toEqual([40, 0]);
  expect(draggedText(PROFILE.buckets, now)).toBe("49:0");
  expect(draggedText(PROFILE.buckets, PROFILE.buckets)).toBeUndefined();
});

it("requests a profile by name, anything else by sizes", () => {
  expect(
    adviceAsked({ machine: "lab-1", rate: 50 }, START, { placement: "same-cpu", mode: "2proc" }),
  ).toEqual({
    profile: "some",
    machine: "lab-1",
    placement: "same-cpu",
    mode: "2proc",
    by: "p50",
    rate_per_second: 50,
  });
  expect(adviceAsked({ dragged: "49:1", by: "p99" }, START, {})).toEqual({
    sizes: "12-48:40,49-64:1",
    by: "p99",
  });
  expect(adviceAsked({ times: 2 }, START, {})?.sizes).toBe("24-97:40,98-129:60");
  expect(adviceAsked({ dragged: "12:0,49:0" }, START, {})).toBeNull();
});

import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { AdviceGroup } from "@/api/types";
import { anAdviceGroup, aRankedTransport } from "@/test/comparisons";
import { showPage } from "@/test/page";
import { Group } from "./Groups";

const BUCKETS = [{ from_bytes: 16, to_bytes: 63, count: 10 }];
const behind = (ratio: number, is_sure: boolean) => ({
  behind_first: { ratio, low: ratio - 0.1, high: ratio + 0.1, is_sure },
});

async function show(group: AdviceGroup, next = group) {
  const onLonger = vi.fn();
  const Page = () => {
    const [current, setCurrent] = useState(group);
    return (
      <>
        <h1>Ranking</h1>
        <Group project="libfoo" group={current} name="lab-1" by="p50" buckets={BUCKETS} onLonger={onLonger} />
        <button type="button" onClick={() => setCurrent(next)}>
          next
        </button>
      </>
    );
  };
  await showPage(<Page />);
  const rows = () =>
    within(screen.getByRole("region", { name: /^Ranking/ }))
      .getAllByRole("row")
      .slice(1);
  return { onLonger, rows };
}

it("names ties with the fastest", async () => {
  const { rows } = await show(
    anAdviceGroup([
      aRankedTransport("pipe", 4000),
      aRankedTransport("fifo", 4040, behind(1.01, false)),
      aRankedTransport("tcp", 9000, behind(2.25, true)),
      aRankedTransport("mq", 9500, { behind_first: { ratio: 2.4, low: null, high: null, is_sure: false } }),
    ]),
  );
  expect(rows().map((row) => row.textContent?.includes("tied"))).toEqual([false, true, false, false]);
  expect(rows().at(-1)?.textContent).toContain("too few repetitions");
  expect(rows().map((row) => row.dataset.standing)).toEqual(["first", "equal", "behind", "equal"]);
  expect(screen.getByRole("columnheader", { name: "p50" }).getAttribute("aria-sort")).toBe("ascending");
});

it("keeps the row of a transport when it moves", async () => {
  const [pipe, tcp] = [aRankedTransport("pipe", 4000), aRankedTransport("tcp", 9000, behind(2.25, true))];
  const { rows } = await show(
    anAdviceGroup([pipe, tcp]),
    anAdviceGroup([
      { ...tcp, behind_first: null },
      { ...pipe, ...behind(1.5, true) },
    ]),
  );
  const [first, second] = rows();
  await userEvent.click(screen.getByRole("button", { name: "next" }));
  expect(rows()).toEqual([second, first]);
  expect(rows()[0]?.textContent).toContain("tcp");
});

it("shows sensitivity, crossovers and unranked transports", async () => {
  const { onLonger } = await show(
    anAdviceGroup([aRankedTransport("pipe", 4000), aRankedTransport("memfd", 9000, behind(2.25, true))], {
      would_change: [{ factor: 16, place: 1 }],
      crossovers: [{ below: 0, above: 1, x: 40, from: 30, to: 50 }],
      not_ranked: [
        { transport: aRankedTransport("udp", 1).transport, distinguishing: {}, because: "It lost messages." },
      ],
    }),
  );
  expect(screen.getByText(/At 16x message sizes, memfd is fastest\./)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Try" }));
  expect(onLonger).toHaveBeenCalledWith(16);
  expect(screen.getByText("It lost messages.")).toBeTruthy();
  const crossings = within(screen.getByRole("region", { name: /^Crossover sizes/ })).getAllByRole("cell");
  expect(crossings.map((cell) => cell.textContent)).toEqual(["40 B [30, 50]", "pipe", "memfd", "50.0 %"]);
});

it("leaves out columns without data", async () => {
  await show(anAdviceGroup([aRankedTransport("pipe", 4000, { cpu_ns_per_message: 2000 })]));
  expect(screen.getByRole("columnheader", { name: "CPU per message" })).toBeTruthy();
  expect(screen.queryByRole("columnheader", { name: "Wake-ups per message" })).toBeNull();
});

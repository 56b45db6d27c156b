import { fireEvent, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Mark } from "@/lib/history";
import { CommitSlider } from "./CommitSlider";
import { CrosshairScope } from "./crosshair";
import { SparkLine, SparkPointer, SparkValue, SparkValueHead } from "./SparkCells";
import { SPARK, type Spark } from "./sparklines";

const ORDINALS = [10, 11, 12];

const MARKS_OF_ROW: Mark[] = [
  { place: 1, from: 1, mark: "small", direction: "regressed", text: "#11: small" },
  { place: 2, from: 0, mark: "drift", direction: "regressed", text: "#12: drift" },
  { place: 1, from: 1, mark: "step", direction: "regressed", text: "#11: p50 +12 %" },
];

function pointAt(element: Element, clientX = 0) {
  fireEvent(element, new MouseEvent("pointermove", { clientX, bubbles: true }));
}

const SPARKS: Record<string, Spark> = {
  pipe: { values: [100, 101, 102], breaks: [], marks: MARKS_OF_ROW },
  fifo: { values: [200, null, 202], breaks: [], marks: MARKS_OF_ROW },
};

function setUp() {
  render(
    <CrosshairScope>
      <SparkPointer ordinals={ORDINALS}>
        <table>
          <thead>
            <tr>
              <th>Series</th>
              <th>
                <CommitSlider ordinals={ORDINALS} describe={(ordinal) => `commit ${ordinal}`} />
              </th>
              <th>
                <SparkValueHead ordinals={ORDINALS} />
              </th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(SPARKS).map(([name, spark]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <SparkLine spark={spark} text={`${name} in words`} ordinals={ORDINALS} />
                </td>
                <td>
                  <SparkValue
                    spark={spark}
                    ordinals={ORDINALS}
                    newest={`newest ${name}`}
                    format={(value) => `${value} ns`}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </SparkPointer>
    </CrosshairScope>,
  );
  const line = screen.getByRole("img", { name: "pipe in words" });
  vi.spyOn(line, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, SPARK.width, SPARK.height));
  return {
    line,
    values: () =>
      screen
        .getAllByRole("row")
        .slice(1)
        .map((row) => row.lastChild?.textContent),
  };
}

it("shows the value of every series at the commit under the pointer", () => {
  const { line, values } = setUp();
  expect(values()).toEqual(["newest pipe", "newest fifo"]);
  pointAt(line, SPARK.width / 2);
  expect(values()).toEqual(["101 ns", "not measured"]);
  expect(screen.getByRole("columnheader", { name: "At #11" })).toBeTruthy();
  expect(document.querySelectorAll(".spark-cross line")).toHaveLength(2);
  expect(document.querySelectorAll(".spark-cross circle")).toHaveLength(1);
  pointAt(line, SPARK.width);
  expect(values()).toEqual(["102 ns", "202 ns"]);
});

it("shows the newest values without a pointer", () => {
  const { line, values } = setUp();
  pointAt(line, 0);
  expect(values()).toEqual(["100 ns", "200 ns"]);
  pointAt(screen.getByRole("rowheader", { name: "pipe" }));
  expect(values()).toEqual(["newest pipe", "newest fifo"]);
});

it("does not redraw lines while the crosshair moves", () => {
  const { line } = setUp();
  const paths = [...document.querySelectorAll("svg > path")];
  const changes = vi.fn();
  const observer = new MutationObserver(changes);
  for (const path of paths) observer.observe(path, { attributes: true, childList: true });
  pointAt(line, 0);
  pointAt(line, SPARK.width);
  expect(document.querySelectorAll(".spark-cross")).toHaveLength(2);
  expect(observer.takeRecords()).toEqual([]);
  expect([...document.querySelectorAll("svg > path")]).toEqual(paths);
});

it("is a slider over commits for the keyboard", async () => {
  const { values } = setUp();
  const slider = screen.getByRole("slider", { name: "Commit" });
  slider.focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(slider.getAttribute("aria-valuetext")).toBe("commit 12");
  await userEvent.keyboard("{ArrowLeft}");
  expect(values()).toEqual(["101 ns", "not measured"]);
  await userEvent.keyboard("{Home}{ArrowLeft}");
  expect(slider.getAttribute("aria-valuenow")).toBe("10");
  await userEvent.keyboard("{Escape}");
  expect(values()).toEqual(["newest pipe", "newest fifo"]);
});

it("describes changes at their marks, the most important on top", () => {
  const { line } = setUp();
  const marks = [...line.querySelectorAll(".change-shape")];
  expect(marks.map(({ textContent }) => textContent)).toEqual(["#11: small", "#12: drift", "#11: p50 +12 %"]);
  expect(marks[1]?.classList).toContain("change-shape-drift");
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { open, withoutEvents } from "@/test/app";
import { withLayout } from "@/test/layout";
import { mockServer } from "@/test/server";

mockServer();
withLayout(720, 300);
withoutEvents();

/** The lines of the chart that are not faded. */
function strong(section: HTMLElement): (string | null)[] {
  const curves = [...section.querySelectorAll(".curve")];
  return curves
    .filter((curve) => curve.getAttribute("stroke-opacity") === "1")
    .map((curve) => curve.getAttribute("data-key"));
}

it("the overview has latency by message size: sentences, a link to all sizes, and lines to highlight", async () => {
  await open("/libfoo");
  const section = await screen.findByRole("region", { name: "Latency by message size" });
  expect(section.textContent).toMatch(/ring-posix-semaphore is fastest at all sizes: /);
  expect(section.textContent).toMatch(/Spinning on a second CPU: .* with ring-spin, 4\.0 times as fast as /);
  expect(within(section).getByRole("link", { name: "Size sweep" }).getAttribute("href")).toBe(
    "/libfoo/sweep?machine=lab-arm-1&scenario=roundtrip&mode=2proc&placement=same-cpu",
  );
  await waitFor(() => expect(strong(section)).toHaveLength(16));

  const tcp = within(section).getByRole("button", { name: "tcp" });
  await userEvent.hover(tcp);
  await waitFor(() => expect(strong(section)).toEqual(["tcp 0"]));
  await userEvent.unhover(tcp);
  await userEvent.hover(within(section).getByText("udp", { selector: "text" }));
  await waitFor(() => expect(strong(section)).toEqual(["udp 0"]));
});

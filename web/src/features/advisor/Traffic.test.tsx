import { fireEvent, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { OwnSizes } from "./Traffic";

function show() {
  const onUse = vi.fn();
  render(<OwnSizes text="64:3" onUse={onUse} onClose={() => {}} />);
  return { onUse, field: screen.getByRole("textbox") };
}

it("shows a parse error until the text changes", async () => {
  const { onUse, field } = show();
  await userEvent.type(field, ",x");
  await userEvent.click(screen.getByRole("button", { name: "Apply" }));
  expect(screen.getByRole("alert").textContent).toContain("“x” is not a bucket. Expected");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(onUse).not.toHaveBeenCalled();
  await userEvent.type(field, "{Backspace}{Backspace}");
  expect(screen.queryByRole("alert")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Apply" }));
  expect(onUse).toHaveBeenCalledWith([{ from_bytes: 64, to_bytes: 64, count: 3 }]);
});

it("reads chosen and dropped files", async () => {
  const { onUse } = show();
  // The files of this environment cannot be read.
  const file = (content: string) =>
    Object.assign(new File([content], "sizes.csv", { type: "text/csv" }), {
      text: () => Promise.resolve(content),
    });
  await userEvent.upload(screen.getByLabelText("Choose file"), file("bucket_min_bytes,count\n12,5\n16,0\n"));
  await vi.waitFor(() => expect(onUse).toHaveBeenCalledWith([{ from_bytes: 12, to_bytes: 15, count: 5 }]));
  fireEvent.drop(screen.getByRole("form"), { dataTransfer: { files: [file("7\n7\n")] } });
  await vi.waitFor(() => expect(onUse).toHaveBeenLastCalledWith([{ from_bytes: 7, to_bytes: 7, count: 2 }]));
});

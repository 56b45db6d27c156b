import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ApiError } from "@/api/errors";
import { ErrorState } from "./states";

it("shows detail and request ID, and retries", async () => {
  const onRetry = vi.fn();
  const error = new ApiError("The database did not answer.", 503, "Unavailable", "req-7");
  render(<ErrorState error={error} onRetry={onRetry} />);
  expect(screen.getByRole("heading", { name: "Unavailable" })).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("The database did not answer.");
  expect(screen.getByText("req-7")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(onRetry).toHaveBeenCalledOnce();
});

it("shows no request ID if there is none", () => {
  render(<ErrorState error={new Error("Cannot read the chart.")} onRetry={() => {}} />);
  expect(screen.queryByText(/server’s log/)).toBeNull();
});

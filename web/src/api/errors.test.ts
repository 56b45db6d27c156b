import { describe, expect, it } from "vitest";
import { errorOfNoResponse, errorOfResponse } from "./errors";

describe("errors of the API", () => {
  it("use the problem document", () => {
    const response = new Response(null, { status: 404, headers: { "x-request-id": "header" } });
    const body = { type: "/problems/unknown-run", title: "Unknown run", status: 404, code: "unknown-run" };
    const error = errorOfResponse(response, { ...body, detail: "There is no run 7.", request_id: "abc" });
    expect(error).toMatchObject({ message: "There is no run 7.", title: "Unknown run", requestId: "abc" });
    expect(error.isTransient).toBe(false);
  });
  it("use status and header without a problem document", () => {
    const response = new Response("<html>", { status: 502, headers: { "x-request-id": "header" } });
    const error = errorOfResponse(response, "<html>");
    expect(error.message).toContain("502");
    expect(error.requestId).toBe("header");
    expect(error.isTransient).toBe(true);
  });
  it("name the wrong field", () => {
    const problem = { type: "/problems/x", title: "Wrong", status: 400, code: "invalid-parameter" };
    const response = new Response(null, { status: 400 });
    const fieldOf = (body: object) => errorOfResponse(response, { ...problem, ...body }).field;
    expect(fieldOf({ detail: "parameter name: expected 1 to 100 bytes" })).toEqual({
      name: "name",
      text: "Expected 1 to 100 bytes",
    });
    expect(fieldOf({ detail: "not a sha", pointer: "/commit/sha" })?.name).toBe("commit");
    expect(fieldOf({ detail: "there is no project nope" })).toBeNull();
  });
  it("are transient without a response", () => {
    expect(errorOfNoResponse()).toMatchObject({ status: null, isTransient: true });
  });
});

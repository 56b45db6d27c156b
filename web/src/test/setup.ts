/** Runs before each file of unit tests. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// A deadline for a machine that is busy with other things, as for the tests.
configure({ asyncUtilTimeout: 30_000 });

afterEach(cleanup);

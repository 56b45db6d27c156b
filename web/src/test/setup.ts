/** Runs before each file of unit tests. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Long enough for a busy machine, as for the tests.
configure({ asyncUtilTimeout: 30_000 });

afterEach(cleanup);

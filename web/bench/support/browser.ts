/** The browser of all measurements. */

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Returns the options to start the browser, with additional arguments. */
export const launchOptions = (...more: string[]) => ({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...ARGUMENTS, ...more],
});

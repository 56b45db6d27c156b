/** The browser that everything is measured in. */

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** The options to start the browser, with more arguments where a figure needs them. */
export const launchOptions = (...more: string[]) => ({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...ARGUMENTS, ...more],
});

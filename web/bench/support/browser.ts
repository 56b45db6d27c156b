/** The browser that everything is measured in. */

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** How it is started; with further arguments where a figure needs them. */
export const launchOptions = (...more: string[]) => ({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...ARGUMENTS, ...more],
});

/** The browser of all measurements. */

/** The screen of a phone. */
export const PHONE = { width: 390, height: 844 };

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Returns the options to start the browser, with additional arguments. */
export const launchOptions = (...more: string[]) => ({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...ARGUMENTS, ...more],
});

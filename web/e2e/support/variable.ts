/**
 * A variable that `cargo xtask` sets.
 *
 * @throws if it is missing.
 */
export function variable(name: string, advice: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: ${advice}.`);
  return value;
}

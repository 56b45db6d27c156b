/** Tables as CSV (RFC 4180). */

/** A cell: numbers are written bare and in their base unit, so that a spreadsheet can calculate with them. */
export type CsvCell = string | number | boolean | null;

export function toCsv(header: string[], rows: CsvCell[][]): string {
  return [header, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  // Spreadsheets treat a leading =, +, - or @ as a formula; commit subjects are untrusted.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(url);
}

/** Handing files to the reader. */

/** Offers some content as a file to download. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(url);
}

/** What to mind when reading a page's figures, a sentence each. */

export function Cautions({ sentences }: { sentences: string[] }) {
  if (sentences.length === 0) return null;
  return (
    <ul className="cautions">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
